import type { Db } from "./db.ts";
import type { SignedTransferRow } from "./rows.ts";
import { SignedTransfers } from "./tables.ts";

/** Signed and possibly on its way, lowest nonce first. */
export function openTransfersOf(
  db: Db,
  { network, sender }: { network: string; sender: string },
): Promise<SignedTransferRow[]> {
  return db.rows(
    SignedTransfers,
    "WHERE network = ? AND sender = ? AND state = 'open' ORDER BY nonce",
    [network, sender],
  );
}

export function openTransfersOfNetwork(db: Db, network: string): Promise<SignedTransferRow[]> {
  return db.rows(
    SignedTransfers,
    "WHERE network = ? AND state = 'open' ORDER BY sender, nonce",
    [network],
  );
}

export async function openTransferOfWithdrawal(
  db: Db,
  withdrawalId: number,
): Promise<SignedTransferRow | undefined> {
  const [row] = await db.rows(SignedTransfers, "WHERE withdrawal_id = ? AND state = 'open'", [
    withdrawalId,
  ]);
  return row;
}

/** The highest nonce this installation ever used for the wallet. */
export async function lastUsedNonce(
  db: Db,
  { network, sender }: { network: string; sender: string },
): Promise<number | undefined> {
  const [row] = await db.query(
    `SELECT max(nonce) AS nonce
FROM signed_transfers
WHERE network = ? AND sender = ?`,
    [network, sender],
  );
  return row?.nonce === null || row?.nonce === undefined ? undefined : Number(row.nonce);
}
