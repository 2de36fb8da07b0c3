import type { Db } from "../engine/db.ts";
import type { SignedTransferRow } from "../tables/rows.ts";
import { SignedTransfers } from "../tables/tables.ts";

/** Signed and possibly on its way, lowest nonce first. */
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

/** What holds a nonce from this one on: on its way, or mined for good; lowest first. */
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

/** The same, and of each no more than what it may cost: of a busy wallet there are thousands. */
export async function heldCostsOf(
  db: Db,
  { network, sender, fromNonce }: { network: string; sender: string; fromNonce: number },
): Promise<TransferCost[]> {
  const [row] = await db.query(
    `SELECT json_group_array(
  json_array(nonce, contract_address, amount_raw, native_cost_max_raw)) AS costs
FROM signed_transfers
WHERE network = ? AND sender = ? AND nonce >= ? AND state IN ('open', 'settled')`,
    [network, sender, fromNonce],
  );
  const costs = JSON.parse(String(row!.costs)) as [number, string | null, string, string][];
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

/** Whether there were ever bytes for it, whatever became of them. */
export async function wasSignedFor(db: Db, withdrawalId: number): Promise<boolean> {
  const rows = await db.rows(SignedTransfers, "WHERE withdrawal_id = ? LIMIT 1", [withdrawalId]);
  return rows.length > 0;
}

/** The bytes for it that were mined for good. */
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

/** Which of these withdrawals an empty transaction bids against. */
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

/** Everything that bid for one nonce of a wallet, whatever became of it. */
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

/** How often gas was sent for a sweep since an operator last settled what it was parked for. */
export async function topUpsOfSweep(db: Db, sweepId: number): Promise<number> {
  const [row] = await db.query(
    `SELECT count(DISTINCT nonce) AS count
FROM signed_transfers
WHERE sweep_id = ? AND purpose = 'gas_topup'
  AND created_at_ms > (
    SELECT coalesce(max(resolved_at_ms), 0)
    FROM alerts
    WHERE kind = 'sweep_parked' AND subject = ?)`,
    [sweepId, `sweep:${sweepId}`],
  );
  return Number(row!.count);
}

/** Gas that is on its way to an address. */
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

/** From this one on, whatever became of what was signed with them. */
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

/** How many nonces of a wallet are known to stand in blocks, from one up to another. */
export async function minedNonces(
  db: Db,
  { network, sender, fromNonce, belowNonce }: {
    network: string;
    sender: string;
    fromNonce: number;
    belowNonce: number;
  },
): Promise<number> {
  const [row] = await db.query(
    `SELECT count(DISTINCT nonce) AS count
FROM signed_transfers
WHERE network = ? AND sender = ? AND nonce >= ? AND nonce < ? AND block_hash IS NOT NULL`,
    [network, sender, fromNonce, belowNonce],
  );
  return Number(row!.count);
}

/** What was signed elsewhere with a wallet's key, from this nonce on. */
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
 * What nobody has said yet whose it was, oldest first. Each was told once; whether that alert is still
 * open says nothing of the books.
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
