import { first, last } from "../base/lists.ts";
import { findNetwork } from "../books/find.ts";
import { depositReads, moveDeposit, placeOf } from "../books/move_transaction.ts";
import { recordAudit } from "../books/records.ts";
import { LedgerEntries } from "../books/table.ts";
import { type Vouch, VOUCHED } from "../books/trail.ts";
import { LogCredits } from "./_log_credits.ts";
import { creditIn } from "./_other_credit.ts";
import { missingCoins } from "./covered.ts";
import { type TransactionRow, Transactions } from "./tables/transactions.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { assetOf } from "../domain/money/amount.ts";
import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import { confirmableDeposits, FIRST_DEPOSIT } from "../following/reads.ts";
import { checkLedgerOf } from "../integrity/check_ledger.ts";
import { lookAtBalances } from "../integrity/manage_integrity.ts";
import { creditProofs, isUncredited } from "../integrity/never_credited.ts";
import { read, type View } from "../store/engine/workspace.ts";

const PAGE = 200;
const AT_ONCE = 100;
/** One run lists, and vouches for, at most this many. */
export const VOUCHED_MAX = 1_000;

interface VouchOrder {
  /** Empty: all that wait. */
  readonly ids: readonly number[];
  readonly isCredited: boolean;
  /** Null: only list them. */
  readonly reason: string | null;
  readonly actor: Actor;
}

export interface Unproven {
  readonly row: TransactionRow;
  readonly state: "unproven" | "vouched" | "left";
  /** Why it is left. */
  readonly doubt: ActionRefused | undefined;
}

/**
 * For deposits about which a broken log can't prove anything, an operator's word decides whether
 * they were credited before. It becomes a row of the log, so it needs the master key, and it counts
 * as long as the log leads from it to its end without a credit of the same payment.
 */
export async function vouchForDeposits(
  deps: Deps,
  order: VouchOrder,
): Promise<readonly Unproven[]> {
  const rows = order.ids.length > 0 ? await named(deps, order) : await allUnproven(deps);
  if (rows.length === 0) return [];
  const log = new LogCredits(deps.db, new Set(rows.map(placeOf)));
  await log.readOn();
  const doubts = order.isCredited
    ? new Map<number, ActionRefused>()
    : await doubtsAbout(deps, { rows, log });
  const isSure = ({ id }: TransactionRow) => !doubts.has(id);
  const sure = rows.filter(isSure);
  if (order.reason !== null && sure.length > 0) await write(deps, { ...order, rows: sure, log });
  const done = order.reason === null ? "unproven" : "vouched";
  return rows.map((row) => ({
    row,
    state: isSure(row) ? done : "left",
    doubt: doubts.get(row.id),
  }));
}

async function named(
  deps: Deps,
  { ids, isCredited }: Pick<VouchOrder, "ids" | "isCredited">,
): Promise<TransactionRow[]> {
  const rows = await Promise.all([...new Set(ids)].map(async (id) => {
    const row = await deps.db.find(Transactions, [id]);
    if (row?.direction !== "deposit") throw refuse("deposit_unknown", { id });
    if (isUncredited(row)) return row;
    throw refuse("deposit_not_waiting", { id, status: row.status });
  }));
  const proofOf = await creditProofs(deps, rows);
  for (const row of rows) {
    const proof = proofOf(row);
    if (proof === undefined || (isCredited && proof === "vouched")) continue;
    throw proof === "vouched"
      ? refuse("deposit_vouched_for", { id: row.id })
      : refuse("deposit_proven", { id: row.id, isCredited: proof === "credited" });
  }
  return rows;
}

/** The oldest of each network first. */
async function allUnproven(deps: Deps): Promise<TransactionRow[]> {
  const found: TransactionRow[] = [];
  const { networks } = await deps.catalog.current();
  for (const { code: network } of networks) {
    const height = Number.MAX_SAFE_INTEGER;
    const asked = { network, height, scanHeight: height, exceptIds: [], limit: PAGE };
    let after = FIRST_DEPOSIT;
    for (;;) {
      const rows = await confirmableDeposits(deps.db, { ...asked, after });
      const proofOf = await creditProofs(deps, rows);
      found.push(...rows.filter((row) => proofOf(row) === undefined));
      if (found.length >= VOUCHED_MAX) return found.slice(0, VOUCHED_MAX);
      if (rows.length < PAGE) break;
      after = last(rows);
    }
  }
  return found;
}

interface Sure extends VouchOrder {
  readonly rows: readonly TransactionRow[];
  readonly log: LogCredits;
}

async function write(deps: Deps, order: Sure): Promise<void> {
  const { rows, log, isCredited } = order;
  await begin(deps, order);
  await log.readOn();
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    await deps.db.write({
      reads: some.flatMap((row) => [...depositReads(row), creditRead(row)]),
      decide: (view) => {
        for (const row of some) vouchFor(view, { ...order, row, nowMs: deps.clock.nowMs() });
      },
    });
  }
  if (isCredited) return;
  const proofOf = await creditProofs(deps, rows);
  if (rows.some((row) => proofOf(row) === undefined)) {
    throw refuse("audit_log_changed");
  }
}

/** If the log's end is lost, the next row has no predecessor, so it must not be one that counts. */
async function begin({ db, clock }: Deps, { rows, reason, actor }: Sure): Promise<void> {
  const detail = { deposits: rows.length, reason };
  const entry = { actor, action: "deposit.vouching", subject: "deposits", detail } as const;
  await db.write({
    reads: [],
    decide: (view) => recordAudit(view, { ...entry, nowMs: clock.nowMs() }),
  });
}

function creditRead({ id }: TransactionRow) {
  return read(LedgerEntries, [id, "credit"], "transaction");
}

function vouchFor(
  view: View,
  { row: planned, log, isCredited, reason, actor, nowMs }: Sure & {
    row: TransactionRow;
    nowMs: number;
  },
): void {
  const { id, amount } = planned;
  const place = placeOf(planned);
  const row = view.find(Transactions, [id]);
  const isSame = row && isUncredited(row) &&
    placeOf(row) === place && row.amount === amount;
  const isKnown = view.rowOf(creditRead(planned)) ?? log.creditOf(place);
  if (!isSame || (!isCredited && isKnown)) throw refuse("deposit_changed", { id });
  const vouch: Vouch = { place, isCredited, readTo: log.readTo, reason: reason! };
  const detail = { ...vouch, amount };
  recordAudit(view, { actor, action: VOUCHED, subject: `transaction:${id}`, detail, nowMs });
  if (isCredited) moveDeposit(view, { row, step: { trigger: "vanished", topHeight: 0, nowMs } });
}

/** Why nobody can vouch that some of these weren't credited before, by id. */
async function doubtsAbout(
  deps: Deps,
  { rows, log }: { rows: readonly TransactionRow[]; log: LogCredits },
): Promise<ReadonlyMap<number, ActionRefused>> {
  const doubts = new Map<number, ActionRefused>();
  const open = () => rows.filter(({ id }) => !doubts.has(id));
  for (const row of rows) {
    const why = await creditOf(deps, { row, log });
    if (why !== undefined) doubts.set(row.id, why);
  }
  for (const [why, wrong] of await differences(deps, open())) {
    for (const { id } of wrong) doubts.set(id, why);
  }
  for (const [code, deposits] of Map.groupBy(open(), (row) => row.network)) {
    const network = await findNetwork(deps, code);
    const missing = await missingCoins(deps, { network, deposits });
    for (const [id, why] of missing) doubts.set(id, why);
  }
  return doubts;
}

async function creditOf(
  { db }: Deps,
  { row, log }: { row: TransactionRow; log: LogCredits },
): Promise<ActionRefused | undefined> {
  if (!db.isGenuine(Transactions, row)) return refuse("deposit_tampered");
  const rowId = log.creditOf(placeOf(row));
  const found = rowId === undefined
    ? await creditIn(db, row)
    : { where: "audit_log", id: rowId } as const;
  return found && refuse("deposit_credited_before", found);
}

/** A balance that was put back may hide a credit. */
async function differences(
  deps: Deps,
  rows: readonly TransactionRow[],
): Promise<[ActionRefused, readonly TransactionRow[]][]> {
  if (rows.length === 0) return [];
  const { difference, forged } = await lookAtBalances(deps.db);
  if (difference !== 0n || forged.length > 0) {
    return [[refuse("balances_tampered"), rows]];
  }
  const found: [ActionRefused, readonly TransactionRow[]][] = [];
  for (const group of Map.groupBy(rows, (row) => `${row.accountId}/${assetOf(row)}`).values()) {
    const { accountId, network, currency } = first(group);
    const wrong = await checkLedgerOf(deps, { accountId, network, currency });
    if (wrong.length > 0) found.push([refuse("account_books_wrong"), group]);
  }
  return found;
}
