import { type Db, queryOne } from "../../store/engine/db.ts";
import { type SignedTransferRow, SignedTransfers } from "../table.ts";

/** Signed and possibly sent, lowest nonce first. */
export function openTransfersOf(
  db: Db,
  { network, sender }: { network: string; sender: string },
): Promise<SignedTransferRow[]> {
  return db.rows(
    SignedTransfers,
    `INDEXED BY signed_transfers_open
WHERE network = ? AND sender = ? AND state = 'open' ORDER BY nonce`,
    [network, sender],
  );
}

/** Newest first. */
export function newestTransfersOf(
  db: Db,
  { network, sender, limit, offset }: {
    network: string;
    sender: string;
    limit: number;
    offset: number;
  },
): Promise<SignedTransferRow[]> {
  return db.rows(
    SignedTransfers,
    "WHERE network = ? AND sender = ? ORDER BY nonce DESC, id DESC LIMIT ? OFFSET ?",
    [network, sender, limit, offset],
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
  const [row] = await db.rows(
    SignedTransfers,
    "WHERE withdrawal_id = ? AND state = 'open' ORDER BY id DESC LIMIT 1",
    [withdrawalId],
  );
  return row;
}

/** Whether anything was ever signed for it, whatever happened to it. */
export async function wasSignedFor(db: Db, withdrawalId: number): Promise<boolean> {
  const rows = await db.rows(SignedTransfers, "WHERE withdrawal_id = ? LIMIT 1", [withdrawalId]);
  return rows.length > 0;
}

/** The transfer for it that was mined for good. */
export async function settledTransferOfWithdrawal(
  db: Db,
  withdrawalId: number,
): Promise<SignedTransferRow | undefined> {
  const [row] = await db.rows(
    SignedTransfers,
    "WHERE withdrawal_id = ? AND state = 'settled' ORDER BY id DESC LIMIT 1",
    [withdrawalId],
  );
  return row;
}

/** The withdrawals that an empty transaction is trying to cancel. */
export async function revokedWithdrawals(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await db.query(
    `SELECT withdrawal_id
FROM signed_transfers
WHERE withdrawal_id IN (SELECT value FROM json_each(?)) AND purpose = 'void' AND state = 'open'`,
    [JSON.stringify(ids)],
  );
  return new Set(rows.map(({ withdrawal_id }) => Number(withdrawal_id)));
}

/** All bids for one nonce of a wallet, whatever happened to them. */
export function bidsFor(
  db: Db,
  { network, sender, nonce }: Pick<SignedTransferRow, "network" | "sender" | "nonce">,
): Promise<SignedTransferRow[]> {
  return db.rows(
    SignedTransfers,
    "WHERE network = ? AND sender = ? AND nonce = ? ORDER BY id",
    [network, sender, nonce],
  );
}

/** How often gas was sent for a sweep since an operator last dealt with its parking. */
export async function topUpsOfSweep(db: Db, sweepId: number): Promise<number> {
  const row = await queryOne(
    db,
    `SELECT count(DISTINCT nonce) AS count
FROM signed_transfers
WHERE sweep_id = ? AND purpose = 'gas_topup'
  AND created_at_ms > (
    SELECT coalesce(max(resolved_at_ms), 0)
    FROM alerts
    WHERE kind = 'sweep_parked' AND subject = ?)`,
    [sweepId, `sweep:${sweepId}`],
  );
  return Number(row.count);
}

/** Gas on its way to an address. */
export async function openTopUpOf(
  db: Db,
  { network, address }: { network: string; address: string },
): Promise<SignedTransferRow | undefined> {
  const [row] = await db.rows(
    SignedTransfers,
    `WHERE network = ? AND to_address = ?
  AND purpose = 'gas_topup' AND state = 'open' AND live_nonce IS NOT NULL`,
    [network, address],
  );
  return row;
}
