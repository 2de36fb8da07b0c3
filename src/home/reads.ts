import { BEFORE_MONEY, type BeforeMoney } from "../upkeep/rules/before_money.ts";
import { type Db, queryOne } from "../store/engine/db.ts";
import { OPEN_WITHDRAWALS, type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";

/** Higher counts are shown as "more than". */
const COUNTED_MAX = 1_000;

interface SetUpFacts {
  readonly hasAccount: boolean;
  readonly hasMoney: boolean;
  /** Logins, up to two. */
  readonly logins: number;
  /** Somebody has repeated words of the recovery phrase. */
  readonly isPhraseKept: boolean;
}

/** How far somebody has set it up. */
export async function setUpFacts(db: Db): Promise<SetUpFacts> {
  const row = await queryOne(
    db,
    `SELECT (SELECT max(id) FROM accounts) IS NOT NULL AS has_account,
  (SELECT max(id) FROM ledger_entries) IS NOT NULL AS has_money,
  (SELECT max(id) FROM users) AS newest,
  (SELECT min(id) FROM users) AS oldest,
  EXISTS (SELECT 1 FROM audit_log WHERE subject = 'seed' AND action = 'seed.kept') AS is_phrase_kept`,
  );
  return {
    hasAccount: Number(row.has_account) === 1,
    hasMoney: Number(row.has_money) === 1,
    logins: row.newest === null ? 0 : row.newest === row.oldest ? 1 : 2,
    isPhraseKept: Number(row.is_phrase_kept) === 1,
  };
}

interface BeforeMoneyFacts {
  readonly done: Set<BeforeMoney>;
  readonly leftOut: ReadonlySet<string>;
}

/** What the books show, which isn't everything: who has a second factor, they don't say. */
export async function beforeMoneyFacts(db: Db): Promise<BeforeMoneyFacts> {
  const { left_out, ...facts } = await queryOne(
    db,
    `SELECT
  EXISTS (SELECT 1 FROM audit_log WHERE subject = 'seed' AND action = 'seed.kept') AS phrase,
  (SELECT min(account_id) FROM receiving_wallets) IS NOT NULL AS wallet,
  EXISTS (SELECT 1 FROM policies WHERE is_active = 1) AS rule,
  EXISTS (SELECT 1 FROM audit_log WHERE subject = 'backup' AND action = 'backup.made') AS backup,
  EXISTS (SELECT 1 FROM notice_receivers WHERE account_id IS NULL) AS notify,
  (
    SELECT json_group_array(DISTINCT json_extract(detail, '$.thing'))
    FROM audit_log
    WHERE subject = 'set_up' AND action = 'set_up.left_out') AS left_out`,
  );
  return {
    done: new Set(BEFORE_MONEY.filter((thing) => Number(facts[thing]) === 1)),
    leftOut: new Set(JSON.parse(String(left_out))),
  };
}

interface UnderWay {
  readonly deposits: number;
  readonly withdrawals: number;
  /** Of the whole installation. */
  readonly alerts: number;
}

/** What isn't settled yet, counted up to `COUNTED_MAX`. */
export async function underWay(db: Db, accountId: number | null): Promise<UnderWay> {
  const row = await queryOne(
    db,
    accountId === null
      ? `SELECT
  (SELECT count(*) FROM (SELECT 1 FROM transactions
    WHERE status = 'detected' AND direction = 'deposit' LIMIT ${COUNTED_MAX})) AS deposits,
  (SELECT count(*) FROM (SELECT 1 FROM withdrawals
    WHERE status IN ${OPEN_WITHDRAWALS} LIMIT ${COUNTED_MAX})) AS withdrawals,
  (SELECT count(*) FROM (SELECT 1 FROM alerts WHERE open = 1 LIMIT ${COUNTED_MAX})) AS alerts`
      : `SELECT
  (SELECT count(*) FROM (SELECT 1 FROM transactions
    WHERE account_id = ? AND status = 'detected' AND direction = 'deposit' LIMIT ${COUNTED_MAX})
  ) AS deposits,
  (SELECT count(*) FROM (SELECT 1 FROM withdrawals
    WHERE account_id = ? AND status IN ${OPEN_WITHDRAWALS} LIMIT ${COUNTED_MAX})
  ) AS withdrawals,
  0 AS alerts`,
    accountId === null ? [] : [accountId, accountId],
  );
  return {
    deposits: Number(row.deposits),
    withdrawals: Number(row.withdrawals),
    alerts: Number(row.alerts),
  };
}

interface AssetAmount {
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
}

/** Deposits of an account that are on their way to its own wallet. */
export async function sweepingAmounts(
  db: Db,
  { accountId, limit }: { accountId: number; limit: number },
): Promise<AssetAmount[]> {
  const rows = await db.query(
    `SELECT network, currency, amount
FROM transactions
WHERE account_id = ? AND status = 'sweep_pending'
ORDER BY id
LIMIT ?`,
    [accountId, limit],
  );
  return rows.map(({ network, currency, amount }) => ({
    network: String(network),
    currency: String(currency),
    amount: String(amount),
  }));
}

export interface OpenPayout extends AssetAmount {
  readonly fee: string;
  /** In a block, its amount has left the wallet, and the account's balance still has it. */
  readonly isGone: boolean;
  /** What that block charged, in the coin's smallest unit; null: none has it. */
  readonly feeRaw: string | null;
}

/** What an account's open withdrawals hold, and what already left its wallet for them. */
export async function openPayouts(
  db: Db,
  { accountId, limit }: { accountId: number; limit: number },
): Promise<OpenPayout[]> {
  const rows = await db.query(
    `SELECT w.network, w.currency, w.amount, w.fee,
  (
    SELECT json_array(p.purpose = 'withdrawal' AND p.is_successful = 1, t.fee_raw)
    FROM signed_payments AS p
    CROSS JOIN signed_transactions AS t ON t.id = p.signed_id
    WHERE p.withdrawal_id = w.id AND t.state = 'open' AND t.block_hash IS NOT NULL
    LIMIT 1) AS mined
FROM withdrawals AS w
WHERE w.account_id = ? AND w.status IN ${OPEN_WITHDRAWALS}
LIMIT ?`,
    [accountId, limit],
  );
  return rows.map((row) => {
    const mined: [isGone: number, feeRaw: string | null] = JSON.parse(
      String(row.mined ?? "[0,null]"),
    );
    return {
      network: String(row.network),
      currency: String(row.currency),
      amount: String(row.amount),
      fee: String(row.fee),
      isGone: mined[0] === 1,
      feeRaw: mined[1],
    };
  });
}

/** Those of these accounts that have ever asked for a payout. */
export async function accountsThatPay(
  db: Db,
  accountIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await db.query(
    `SELECT s.value AS id
FROM json_each(?) AS s
WHERE EXISTS (
  SELECT 1 FROM withdrawals INDEXED BY withdrawals_account WHERE account_id = s.value)`,
    [JSON.stringify(accountIds)],
  );
  return new Set(rows.map(({ id }) => Number(id)));
}

/** The newest of an account's failed withdrawals. */
export async function lastFailed(db: Db, accountId: number): Promise<WithdrawalRow | undefined> {
  const [row] = await db.rows(
    Withdrawals,
    // The newest of each currency, or the database would walk all newer ones of the account.
    `WHERE id IN (
  SELECT (
    SELECT w.id
    FROM withdrawals AS w INDEXED BY withdrawals_kind
    WHERE w.account_id = c.account_id AND w.status = 'failed'
      AND w.network = c.network AND w.currency = c.currency
    ORDER BY w.id DESC
    LIMIT 1)
  FROM account_currencies AS c
  WHERE c.account_id = ?)
ORDER BY id DESC
LIMIT 1`,
    [accountId],
  );
  return row;
}
