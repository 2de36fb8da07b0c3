import { PAY_OUT } from "../accounts/rules/usable.ts";
import type { Db } from "../store/engine/db.ts";
import { type NetworkBlockRow, NetworkBlocks } from "./table.ts";
import { inputsSpentAbove } from "../deposits/reads/inputs.ts";
import type { DepositInputRow } from "../deposits/tables/inputs.ts";
import { outputsAbove } from "../outputs/reads.ts";
import type { OutputRow } from "../outputs/table.ts";
import type { BalanceKey } from "../books/table.ts";
import { type SignedTransactionRow, SignedTransactions } from "../transfers/table.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import { OPEN_WITHDRAWALS, type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";

/** Lowest first. */
export function rememberedBlocks(db: Db, network: string): Promise<NetworkBlockRow[]> {
  return db.rows(NetworkBlocks, "WHERE network = ? ORDER BY height", [network]);
}

export function blocksBelow(
  db: Db,
  { network, height, limit }: { network: string; height: number; limit: number },
): Promise<NetworkBlockRow[]> {
  return db.rows(NetworkBlocks, "WHERE network = ? AND height < ? ORDER BY height LIMIT ?", [
    network,
    height,
    limit,
  ]);
}

export interface Anchored {
  readonly transactions: TransactionRow[];
  readonly signed: SignedTransactionRow[];
  readonly outputs: OutputRow[];
  /** Of deposits, what something else had spent. */
  readonly inputs: DepositInputRow[];
}

/** Everything in a block above this height. */
export async function anchoredAbove(
  db: Db,
  { network, height }: { network: string; height: number },
): Promise<Anchored> {
  const tail = "WHERE network = ? AND block_number > ? AND block_hash IS NOT NULL";
  const [transactions, signed, outputs, inputs] = await Promise.all([
    db.rows(Transactions, tail, [network, height]),
    db.rows(SignedTransactions, tail, [network, height]),
    outputsAbove(db, { network, height }),
    inputsSpentAbove(db, { network, height }),
  ]);
  return { transactions, signed, outputs, inputs };
}

export interface Asked {
  readonly network: string;
  readonly limit: number;
}

/** The last deposit of a page, in the order of blocks. */
export interface DepositMark {
  readonly blockNumber: number;
  readonly id: number;
}

export const FIRST_DEPOSIT: DepositMark = { blockNumber: -1, id: 0 };

/** Detected deposits at this height or below, oldest first. */
export function confirmableDeposits(
  db: Db,
  { network, height, scanHeight, after, exceptIds, limit }: Asked & {
    height: number;
    scanHeight: number;
    after: DepositMark;
    exceptIds: readonly number[];
  },
): Promise<TransactionRow[]> {
  return db.rows(
    Transactions,
    `INDEXED BY transactions_detected
WHERE network = ? AND status = 'detected' AND (block_number, id) > (?, ?) AND block_number <= ?
  AND direction = 'deposit' AND block_hash IS NOT NULL
  AND (credit_from IS NULL OR credit_from <= ?)
  AND id NOT IN (SELECT value FROM json_each(?))
ORDER BY block_number, id LIMIT ?`,
    [network, after.blockNumber, after.id, height, scanHeight, JSON.stringify(exceptIds), limit],
  );
}

/** All deposits ever found, in order. */
export function depositsAfter(
  db: Db,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<TransactionRow[]> {
  return db.rows(
    Transactions,
    "WHERE direction = 'deposit' AND id > ? ORDER BY id LIMIT ?",
    [afterId, limit],
  );
}

/** Deposits that were seen in a block that isn't in the chain (yet), whatever their status was. */
export function orphanedDeposits(
  db: Db,
  { network, afterId, limit }: Asked & { afterId: number },
): Promise<TransactionRow[]> {
  return db.rows(
    Transactions,
    `INDEXED BY transactions_orphaned
WHERE network = ? AND direction = 'deposit' AND block_hash IS NULL AND live = 1 AND id > ?
  AND block_number > 0
ORDER BY id LIMIT ?`,
    [network, afterId, limit],
  );
}

const PENDING =
  `WHERE network = ? AND status = 'pending' AND id > ? AND (requested_at_ms <= ? OR requested_at_ms > ?)
  AND id NOT IN (SELECT value FROM json_each(?))
  AND (transfer_id IS NOT NULL OR NOT (
    approval IS 'waiting'
    OR EXISTS (
      SELECT 1
      FROM addresses AS a
      WHERE a.account_id = withdrawals.account_id AND a.network = withdrawals.network
        AND a.purpose = 'hot' AND a.halted_reason IS NOT NULL)
    OR EXISTS (
      SELECT 1
      FROM accounts AS c
      WHERE c.id = withdrawals.account_id AND c.suspended_at_ms IS NOT NULL)
    OR EXISTS (SELECT 1 FROM stops WHERE id = 1)
    OR EXISTS (SELECT 1 FROM networks AS n WHERE n.code = withdrawals.network AND n.is_active = 0)
    OR EXISTS (
      SELECT 1
      FROM currencies AS k
      WHERE k.network = withdrawals.network AND k.symbol = withdrawals.currency AND k.is_active = 0)
    OR EXISTS (
      SELECT 1
      FROM account_currencies AS e
      WHERE e.account_id = withdrawals.account_id AND e.network = withdrawals.network
        AND e.currency = withdrawals.currency AND NOT (${PAY_OUT.isOnSql}))))
ORDER BY id LIMIT ?`;

/**
 * Leaves out those for which nothing is signed and nothing may be, so that they don't delay the
 * others.
 */
export function pendingWithdrawals(
  db: Db,
  { network, afterId, requestedBeforeMs, requestedAfterMs, exceptIds, limit }: Asked & {
    afterId: number;
    requestedBeforeMs: number;
    requestedAfterMs: number;
    exceptIds: readonly number[];
  },
): Promise<WithdrawalRow[]> {
  return db.rows(
    Withdrawals,
    PENDING,
    [network, afterId, requestedBeforeMs, requestedAfterMs, JSON.stringify(exceptIds), limit],
  );
}

export function openWithdrawalsOf(
  db: Db,
  { accountId, network, currency }: BalanceKey,
): Promise<WithdrawalRow[]> {
  return db.rows(
    Withdrawals,
    `INDEXED BY withdrawals_kind
WHERE account_id = ? AND status IN ${OPEN_WITHDRAWALS} AND network = ? AND currency = ?
ORDER BY id`,
    [accountId, network, currency],
  );
}
