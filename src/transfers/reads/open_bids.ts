import type { SqlRow } from "../../store/connection/connection.ts";
import type { Db } from "../../store/engine/db.ts";
import type { BlockRead } from "../../reconcile/reads.ts";

export interface OpenBid {
  readonly block: BlockRead;
  readonly accountId: number;
  readonly sender: string;
  readonly nonce: number;
  readonly contractAddress: string | null;
  readonly amountRaw: string;
  readonly nativeCostMaxRaw: string;
}

const OPEN_BIDS =
  `SELECT k.height, k.hash, a.account_id, s.sender, s.nonce, s.contract_address, s.amount_raw,
  s.native_cost_max_raw
FROM network_cursors AS n
CROSS JOIN network_blocks AS k ON k.network = n.network AND k.height = n.scan_height
CROSS JOIN signed_transfers AS s ON s.network = n.network AND s.state = 'open'
CROSS JOIN addresses AS a ON a.network = s.network AND a.address = s.sender
WHERE n.network = ? AND a.purpose = 'hot' AND s.block_hash IS NULL
  AND s.signed_at_height <= n.scan_height AND s.nonce >= a.nonce_floor
  AND NOT EXISTS (
    SELECT 1
    FROM signed_transfers AS m
    WHERE m.network = s.network AND m.sender = s.sender AND m.nonce = s.nonce
      AND m.block_hash IS NOT NULL)
ORDER BY s.sender, s.nonce
LIMIT ?`;

/** Transfers that hot wallets signed up to the last block read and whose nonce no block has used. */
export async function openBidsOfHotWallets(
  db: Db,
  { network, limit }: { network: string; limit: number },
): Promise<OpenBid[]> {
  const rows = await db.query(
    OPEN_BIDS,
    [network, limit],
  );
  return rows.map(bidOf);
}

function bidOf(row: SqlRow): OpenBid {
  return {
    block: { height: Number(row.height), hash: String(row.hash) },
    accountId: Number(row.account_id),
    sender: String(row.sender),
    nonce: Number(row.nonce),
    contractAddress: row.contract_address === null ? null : String(row.contract_address),
    amountRaw: String(row.amount_raw),
    nativeCostMaxRaw: String(row.native_cost_max_raw),
  };
}
