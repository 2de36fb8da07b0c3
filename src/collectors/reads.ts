import type { Db } from "../store/engine/db.ts";
import { withPayments } from "../transfers/reads/transfers.ts";
import { type SignedTransactionRow, SignedTransactions } from "../transfers/table.ts";
import { type CollectorRow, Collectors } from "./table.ts";

/** Newest first. */
export function collectorRows(db: Db, network: string): Promise<CollectorRow[]> {
  return db.rows(
    Collectors,
    "WHERE network = ? ORDER BY created_at_ms DESC, nonce DESC",
    [network],
  );
}

/** The transaction that deploys it, in a block or not; undefined if it failed or never will be. */
export async function deploymentOf(
  db: Db,
  { network, owner, nonce }: Pick<CollectorRow, "network" | "owner" | "nonce">,
): Promise<SignedTransactionRow | undefined> {
  const rows = await db.rows(
    SignedTransactions,
    `WHERE network = ? AND sender = ? AND place = ? AND is_foreign = 0
  AND state IN ('open', 'settled') AND is_successful IS NOT 0
ORDER BY block_hash IS NULL, id DESC`,
    [network, owner, nonce],
  );
  return (await withPayments(db, rows)).find(({ payments }) => payments.length === 0)?.tx;
}
