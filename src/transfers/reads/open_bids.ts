import type { Db } from "../../store/engine/db.ts";
import type { BlockRead } from "../../reconcile/reads.ts";
import { costOf, type SigningCost, TOKENS } from "./places.ts";

export interface OpenBid extends SigningCost {
  readonly block: BlockRead;
  readonly accountId: number;
  readonly sender: string;
}

const OPEN_BIDS =
  `SELECT k.height, k.hash, a.account_id, t.sender, t.place, t.native_cost_max_raw, ${TOKENS} AS tokens
FROM network_cursors AS n
CROSS JOIN network_blocks AS k ON k.network = n.network AND k.height = n.scan_height
CROSS JOIN signed_transactions AS t ON t.network = n.network AND t.state = 'open'
CROSS JOIN addresses AS a ON a.network = t.network AND a.address = t.sender
WHERE n.network = ? AND a.purpose = 'hot' AND t.block_hash IS NULL
  AND t.signed_at_height <= n.scan_height AND t.place >= a.nonce_floor
  AND NOT EXISTS (
    SELECT 1
    FROM signed_transactions AS m
    WHERE m.network = t.network AND m.sender = t.sender AND m.place = t.place
      AND m.block_hash IS NOT NULL)
ORDER BY t.sender, t.place
LIMIT ?`;

/** What hot wallets signed up to the last block read and whose place no block has taken. */
export async function openBidsOfHotWallets(
  db: Db,
  { network, limit }: { network: string; limit: number },
): Promise<OpenBid[]> {
  const rows = await db.query(OPEN_BIDS, [network, limit]);
  return rows.map((row) => ({
    block: { height: Number(row.height), hash: String(row.hash) },
    accountId: Number(row.account_id),
    sender: String(row.sender),
    ...costOf([Number(row.place), String(row.native_cost_max_raw), JSON.parse(String(row.tokens))]),
  }));
}
