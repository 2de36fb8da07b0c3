import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import { openTampered } from "../alerts/reads.ts";
import { type SealedRow, sealedRow } from "../store/reads/sealed_row.ts";
import { readAll, type View } from "../store/engine/workspace.ts";
import { type AlertRow, Alerts } from "../alerts/table.ts";
import { type BalanceKey, type FreezeRow, Freezes } from "../books/table.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import { alertRead, closeAlert, type NewAlert } from "../books/alerts.ts";
import { findAccount } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import { BALANCES_CHANGED } from "./_balances_add_up.ts";
import { booksDiffer } from "./freeze.ts";
import { sumCorrection } from "./manage_integrity.ts";
import { creditProofs, isUncredited } from "./never_credited.ts";
import { wasWronglyAccepted } from "./account_noted.ts";
import { isNeverSigned, isUnsigned } from "./never_signed.ts";
import { whyOld } from "./newest.ts";
import { notRight } from "./not_right.ts";
import { accountFailing } from "./pause_failing.ts";
import { unnoted } from "./payment_noted.ts";
import type { Actor, Deps } from "../deps/deps.ts";

interface Resumed {
  readonly closed: readonly AlertRow[];
  readonly lifted: number;
  /** Freezes that have another reason meanwhile; "account unfreeze" checks these again. */
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
  const difference = accountId === null ? await sumCorrection(deps.db) : 0n;
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
      ...ours.flatMap(otherPauses).map(({ kind, subject }) => alertRead(kind, subject)),
      ...alerts.map(({ subject }) => alertRead("tampered", subject)),
    ],
    decide: (view) => {
      const count = ours.filter((freeze) => lift(view, freeze)).length;
      for (const { subject } of alerts) closeAlert(view, { kind: "tampered", subject, nowMs });
      if (difference !== 0n) view.correctSum(difference);
      const subject = accountId === null ? "integrity" : `account:${accountId}`;
      const rows = alerts.map((alert) => alert.subject);
      const sides = { before: { pausedFor: rows }, after: { pausedFor: [] } };
      const detail = difference === 0n ? sides : { ...sides, balances: "as they stand" };
      recordAudit(view, { actor, action: "integrity.resumed", subject, detail, nowMs });
      return count;
    },
  });
  return { closed: alerts, lifted, kept: ours.length - lifted };
}

/** What pauses the same payments for another reason. */
function otherPauses(asset: BalanceKey): Pick<NewAlert, "kind" | "subject">[] {
  return [booksDiffer(asset), accountFailing(asset)];
}

/** Differences and failed payments found meanwhile still count. */
function lift(view: View, { accountId, network, currency }: FreezeRow): boolean {
  const freeze = view.find(Freezes, [accountId, network, currency]);
  if (!freeze) return false;
  const [other] = otherPauses(freeze)
    .map(({ kind, subject }) => view.find(Alerts, [kind, subject, 1], "open"))
    .filter((alert) => alert !== undefined);
  if (other) view.update(Freezes, freeze, { code: "books_differ", reason: other.message });
  else view.remove(Freezes, freeze);
  return !other;
}

async function nothingToResume(deps: Deps, accountId: number | null): Promise<ActionRefused> {
  if (accountId === null) return refuse("nothing_tampered");
  await findAccount(deps, accountId);
  return refuse("account_not_tampered", { accountId });
}

async function mustBeRight(deps: Deps, { table, values }: SealedRow): Promise<void> {
  const { db } = deps;
  const row = await db.find(table, values);
  if (!row) return;
  if (!db.isGenuine(table, row)) throw notRight(table, row);
  const old = await whyOld(db, { table, values });
  if (old) throw refuse("row_out_of_date", { table: old.table, key: old.key, change: old.change });
  if (table.name === Withdrawals.name) {
    await mustBeUnpaid(deps, await db.get(Withdrawals, values));
  }
  if (table.name === Transactions.name) {
    await mustBeUncredited(deps, await db.get(Transactions, values));
  }
  const payment = await unnoted(deps, { table, values });
  if (payment) throw refuse("payment_not_noted", { id: payment.id, txHash: payment.txHash });
}

/** The next look would pause the account again: after a break, the log can't prove anything. */
async function mustBeUncredited(deps: Deps, row: TransactionRow): Promise<void> {
  if (!isUncredited(row) || (await creditProofs(deps, [row]))(row) !== undefined) return;
  throw refuse("deposit_not_proven", { id: row.id });
}

/** Its next try would pause it again: after a break, the log can't prove anything about it. */
async function mustBeUnpaid(deps: Deps, row: WithdrawalRow): Promise<void> {
  if (!isUnsigned(row)) return;
  const { id } = row;
  if (!await isNeverSigned(deps, row)) throw refuse("withdrawal_not_proven", { id });
  if (await wasWronglyAccepted(deps, row)) throw refuse("withdrawal_not_allowed", { id });
}

function rowOf(subject: string): SealedRow {
  const [, table, key] = /^(\w+):(.*)$/.exec(subject.replace(/^account:\d+ /, ""))!;
  return sealedRow(table!, key!);
}
