import { type Db, queryOne } from "../engine/db.ts";
import { type SignedTransferRow, SignedTransfers } from "../tables/signed_transfers.ts";

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

/** Transfers that occupy a nonce from this one on, pending or mined for good; lowest first. */
export function heldNoncesOf(
  db: Db,
  { network, sender, fromNonce }: { network: string; sender: string; fromNonce: number },
): Promise<SignedTransferRow[]> {
  return db.rows(
    SignedTransfers,
    `WHERE network = ? AND sender = ? AND nonce >= ? AND state IN ('open', 'settled')
ORDER BY nonce`,
    [network, sender, fromNonce],
  );
}

export type TransferCost = Pick<
  SignedTransferRow,
  "nonce" | "contractAddress" | "amountRaw" | "nativeCostMaxRaw"
>;

/** The same, but only the maximum cost of each: a busy wallet has thousands. */
export async function heldCostsOf(
  db: Db,
  { network, sender, fromNonce }: { network: string; sender: string; fromNonce: number },
): Promise<TransferCost[]> {
  const row = await queryOne(
    db,
    `SELECT json_group_array(
  json_array(nonce, contract_address, amount_raw, native_cost_max_raw)) AS costs
FROM signed_transfers
WHERE network = ? AND sender = ? AND nonce >= ? AND state IN ('open', 'settled')`,
    [network, sender, fromNonce],
  );
  const costs: [number, string | null, string, string][] = JSON.parse(String(row.costs));
  return costs.map(([nonce, contractAddress, amountRaw, nativeCostMaxRaw]) => ({
    nonce,
    contractAddress,
    amountRaw,
    nativeCostMaxRaw,
  }));
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

/** Nonces from this one on, whatever happened to the transfers signed with them. */
export async function signedNonces(
  db: Db,
  { network, sender, fromNonce }: { network: string; sender: string; fromNonce: number },
): Promise<number[]> {
  const rows = await db.query(
    `SELECT nonce
FROM signed_transfers
WHERE network = ? AND sender = ? AND nonce >= ? AND purpose <> 'foreign'`,
    [network, sender, fromNonce],
  );
  return rows.map(({ nonce }) => Number(nonce));
}

/** How many of a wallet's nonces in this range are known to be in blocks. */
export async function minedNonces(
  db: Db,
  { network, sender, fromNonce, belowNonce }: {
    network: string;
    sender: string;
    fromNonce: number;
    belowNonce: number;
  },
): Promise<number> {
  const row = await queryOne(
    db,
    `SELECT count(DISTINCT nonce) AS count
FROM signed_transfers
WHERE network = ? AND sender = ? AND nonce >= ? AND nonce < ? AND block_hash IS NOT NULL`,
    [network, sender, fromNonce, belowNonce],
  );
  return Number(row.count);
}

/** Transfers from this nonce on that were signed elsewhere with a wallet's key. */
export function foreignSpendsOf(
  db: Db,
  { network, sender, fromNonce }: { network: string; sender: string; fromNonce: number },
): Promise<SignedTransferRow[]> {
  return db.rows(
    SignedTransfers,
    "WHERE network = ? AND sender = ? AND nonce >= ? AND purpose = 'foreign' ORDER BY nonce",
    [network, sender, fromNonce],
  );
}

/**
 * Foreign transfers that nobody has explained yet, oldest first. Each was reported once; whether
 * that alert is still open says nothing about the books.
 */
export function unexplainedSpends(
  db: Db,
  { network, limit }: { network: string; limit: number },
): Promise<SignedTransferRow[]> {
  return db.rows(
    SignedTransfers,
    `INDEXED BY signed_transfers_hash
WHERE network = ? AND tx_hash IN (SELECT subject FROM alerts WHERE kind = 'foreign_spend')
  AND purpose = 'foreign'
ORDER BY block_number, nonce
LIMIT ?`,
    [network, limit],
  );
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
