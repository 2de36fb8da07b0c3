import { last } from "../../base/lists.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { openTampered } from "../../store/reads/pages/alerts.ts";
import { type GuardedRow, guardedRow } from "../../store/reads/guarded.ts";
import { GUARDED_TABLES, primaryKeyOf, rowsAfter } from "../../store/reads/sealed.ts";
import type { Db } from "../../store/engine/db.ts";
import { type AlertRow, Alerts } from "../../store/tables/alerts.ts";
import { type BalanceRow, Balances, type FreezeRow, Freezes } from "../../store/tables/ledger.ts";
import { type TransactionRow, Transactions } from "../../store/tables/transactions.ts";
import { type WithdrawalRow, Withdrawals } from "../../store/tables/withdrawals.ts";
import type { RowValue, Table } from "../../store/tables/table.ts";
import { read, readAll, type View } from "../../store/engine/workspace.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { booksDiffer } from "./freeze.ts";
import { BALANCES_CHANGED, balancesChanged } from "./_balances_add_up.ts";
import { catchUp, readBalances } from "./sum_balances.ts";
import { creditProofs, isUncredited, UnprovenDeposit } from "./never_credited.ts";
import { isNeverSigned, isUnsigned, UnprovenWithdrawal } from "./never_signed.ts";
import { findAccount } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import { tampered, type TamperedRow } from "../books/tampered.ts";
import type { Actor, Deps } from "../deps.ts";

const PAGE_ROWS = 1_000;
const LISTED_MAX = 1_000;

interface Checked {
  readonly rows: number;
  /** How many rows aren't as this program wrote them. The first of them are listed. */
  readonly tampered: number;
  readonly first: readonly TamperedRow[];
}

/** Checks every row that carries a seal. */
export async function checkIntegrity({ db }: Pick<Deps, "db">): Promise<Checked> {
  const first: TamperedRow[] = [];
  let [rows, found] = [0, 0];
  for (const table of GUARDED_TABLES) {
    for await (const row of everyRow(db, table)) {
      rows++;
      if (db.isGenuine(table, row)) continue;
      found++;
      if (first.length < LISTED_MAX) first.push(tampered(table, row));
    }
  }
  const balances = await lookAtBalances(db);
  // Only once those are repaired can old balances be noticed.
  if (balances.difference !== 0n && balances.forged.length === 0) {
    found++;
    first.unshift(balancesChanged());
  }
  return { rows, tampered: found, first };
}

interface Looked {
  /** The sum of the balances minus the kept sum, using the ledger's values for forged rows. */
  readonly difference: bigint;
  readonly forged: readonly BalanceRow[];
}

export async function lookAtBalances(db: Db): Promise<Looked> {
  const seals = db.seals();
  if (!seals?.areSummed) return { difference: 0n, forged: [] };
  const summed = await readBalances(db, seals);
  const { difference } = await catchUp(db, summed, seals);
  return { difference, forged: summed.forged };
}

/**
 * How much to correct the kept sum by: an operator has looked, and the balances are right as they
 * are.
 */
async function balancesMoved(db: Db): Promise<bigint> {
  const { difference, forged } = await lookAtBalances(db);
  if (difference !== 0n) { for (const row of forged) throw notRight(Balances, row); }
  return difference;
}

function notRight<Row extends object>(table: Table<Row>, row: Row): OperatorError {
  const { message } = tampered(table, row);
  return new OperatorError(
    `${message}: restore it, or run "integrity accept" once you have checked it`,
  );
}

async function* everyRow(db: Db, table: Table<object>): AsyncGenerator<object> {
  let after: RowValue[] | undefined;
  for (;;) {
    const page = await rowsAfter(db, table, { after, limit: PAGE_ROWS });
    yield* page;
    if (page.length < PAGE_ROWS) return;
    after = primaryKeyOf(table, last(page));
  }
}

/** An operator has looked, and the row is right as it is. */
export async function acceptRow(
  deps: Deps,
  { table: name, key, actor }: { table: string; key: string; actor: Actor },
): Promise<TamperedRow> {
  const { table, values } = guardedRow(name, key);
  const nowMs = deps.clock.nowMs();
  return await deps.db.write({
    reads: [read(table, values)],
    decide: (view) => {
      const row = view.find(table, values);
      if (!row) throw new OperatorError(`There is no row ${key} in ${name}`);
      if (view.isGenuine(table, row)) {
        throw new OperatorError(`Row ${key} of ${name} is as this gateway wrote it`);
      }
      view.accept(table, row);
      const subject = `${name}:${key}`;
      const detail = { row: withoutSecrets(row) };
      recordAudit(view, { actor, action: "integrity.accepted", subject, detail, nowMs });
      return tampered(table, row);
    },
  });
}

const SECRET = /sealed|hash|secret|raw$/i;

function withoutSecrets(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([field]) => !SECRET.test(field)));
}

interface Resumed {
  readonly closed: readonly AlertRow[];
  readonly lifted: number;
  /** Freezes whose books differed meanwhile; "account unfreeze" checks these again. */
  readonly kept: number;
}

/** Once every reported row is right again or gone, what was paused because of them continues. */
export async function resumeTampered(
  deps: Deps,
  { accountId, actor }: { accountId: number | null; actor: Actor },
): Promise<Resumed> {
  const alerts = await openTampered(deps.db, accountId);
  for (const { subject } of alerts) {
    if (subject !== BALANCES_CHANGED.subject) await mustBeRight(deps, rowOf(subject));
  }
  const difference = accountId === null ? await balancesMoved(deps.db) : 0n;
  const frozen = accountId === null ? [] : await deps.db.list(Freezes, { accountId });
  const ours = frozen.filter(({ code }) => code === "tampered");
  if (alerts.length === 0 && ours.length === 0 && difference === 0n) {
    throw await nothingToResume(deps, accountId);
  }
  const nowMs = deps.clock.nowMs();
  const keys = ours.map(({ accountId, network, currency }) => [accountId, network, currency]);
  const lifted = await deps.db.write({
    reads: [
      ...readAll(Freezes, keys),
      ...ours.map((freeze) => alertRead("books_differ", booksDiffer(freeze).subject)),
      ...alerts.map(({ subject }) => alertRead("tampered", subject)),
    ],
    decide: (view) => {
      const count = ours.filter((freeze) => lift(view, freeze)).length;
      for (const { subject } of alerts) closeAlert(view, { kind: "tampered", subject, nowMs });
      if (difference !== 0n) view.correctSum(difference);
      const subject = accountId === null ? "integrity" : `account:${accountId}`;
      const rows = alerts.map((alert) => alert.subject);
      const detail = difference === 0n ? { rows } : { rows, balances: "as they stand" };
      recordAudit(view, { actor, action: "integrity.resumed", subject, detail, nowMs });
      return count;
    },
  });
  return { closed: alerts, lifted, kept: ours.length - lifted };
}

/** Differences found meanwhile still count. */
function lift(view: View, { accountId, network, currency }: FreezeRow): boolean {
  const freeze = view.find(Freezes, [accountId, network, currency]);
  if (!freeze) return false;
  const { subject } = booksDiffer(freeze);
  const differs = view.find(Alerts, ["books_differ", subject, 1], "open");
  if (differs) view.update(Freezes, freeze, { code: "books_differ", reason: differs.message });
  else view.remove(Freezes, freeze);
  return !differs;
}

async function nothingToResume(deps: Deps, accountId: number | null): Promise<OperatorError> {
  if (accountId !== null) {
    await findAccount(deps, accountId);
    return new OperatorError(`Account ${accountId} is not paused over a tampered row`);
  }
  return new OperatorError(
    "No alert is open about a tampered row that belongs to no account; for an account give --account",
  );
}

async function mustBeRight(deps: Deps, { table, values }: GuardedRow): Promise<void> {
  const { db } = deps;
  const row = await db.find(table, values);
  if (!row) return;
  if (!db.isGenuine(table, row)) throw notRight(table, row);
  if (table.name === Withdrawals.name) await mustBeUnpaid(deps, row as WithdrawalRow);
  if (table.name === Transactions.name) await mustBeUncredited(deps, row as TransactionRow);
}

/** The next look would pause the account again: after a break, the log can't prove anything. */
async function mustBeUncredited(deps: Deps, row: TransactionRow): Promise<void> {
  if (!isUncredited(row) || (await creditProofs(deps, [row]))(row) !== undefined) return;
  const { message } = new UnprovenDeposit(row);
  throw new OperatorError(
    `${message}. Find out whether it was, then run "deposit vouch ${row.id}"`,
  );
}

/** Its next try would pause it again: after a break, the log can't prove anything about it. */
async function mustBeUnpaid(deps: Deps, row: WithdrawalRow): Promise<void> {
  if (!isUnsigned(row) || await isNeverSigned(deps, row)) return;
  const { message } = new UnprovenWithdrawal(row);
  throw new OperatorError(
    `${message}. It will not be paid: check whether the chain shows a payment, then run ` +
      `"withdrawal cancel ${row.id}"`,
  );
}

function rowOf(subject: string): GuardedRow {
  const [, table, key] = /^(\w+):(.*)$/.exec(subject.replace(/^account:\d+ /, ""))!;
  return guardedRow(table!, key!);
}
