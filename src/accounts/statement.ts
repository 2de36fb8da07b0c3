import { nextTurn } from "../base/waiting/next_turn.ts";
import { last } from "../base/lists.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { Balance } from "../domain/money/balance.ts";
import { addToTotals, afterTotals, type KindTotals } from "../books/rules/statement.ts";
import { amountsIn, entryBefore, ledgerIdAt, type LedgerSpan } from "../books/reads/statement.ts";
import { LedgerEntries, type LedgerEntryRow } from "../books/table.ts";
import type { Asset } from "../books/records.ts";
import { genuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";

interface Period extends Asset {
  /** Null: from the first entry on. */
  readonly fromMs: number | null;
  /** Null: up to now. */
  readonly untilMs: number | null;
}

export interface Statement {
  /** The ids of its entries; later ones don't belong to it. */
  readonly span: LedgerSpan;
  readonly opening: Balance;
  readonly closing: Balance;
  /** Undefined: there are too many to add up now. */
  readonly totals: KindTotals | undefined;
  /** False: the entries don't lead from the opening to the closing balance. */
  readonly addsUp: boolean;
}

interface StatementOptions {
  /** The entries that may be added up now: the rest follows by itself, and is remembered. */
  readonly addedMax?: number;
}

const ENTRIES_AT_ONCE = 500;
const FIRST_ID = 1;

/** A period's balances and totals, exact to the last digit. Only the period is read, and once. */
export async function statementOf(
  deps: Deps,
  period: Period,
  { addedMax = Infinity }: StatementOptions = {},
): Promise<Statement> {
  const { db } = deps;
  const { accountId, network, currency, fromMs, untilMs } = period;
  const asset = { accountId, network, currency };
  const idAt = (atMs: number | null, none: number) =>
    atMs === null ? none : ledgerIdAt(db, { ...asset, atMs });
  const [fromId, endId] = await Promise.all([
    idAt(fromMs, FIRST_ID),
    idAt(untilMs, Number.MAX_SAFE_INTEGER),
  ]);
  const [before, newest] = await Promise.all([
    entryBefore(db, { ...asset, id: fromId }),
    entryBefore(db, { ...asset, id: Math.max(fromId, endId) }),
  ]);
  await genuine(deps, LedgerEntries, [before, newest].filter((row) => row !== undefined));
  const span = { ...asset, fromId, belowId: Math.max(fromId, (newest?.id ?? 0) + 1) };
  const [opening, closing] = [balanceAfter(before, asset), balanceAfter(newest, asset)];
  const totals = await totalsOf(deps, span, addedMax);
  const after = afterTotals(opening, totals ?? new Map());
  const addsUp = totals === undefined ||
    (after.balance.equals(closing.balance) && after.held.equals(closing.held));
  return { span, opening, closing, totals, addsUp };
}

function balanceAfter(entry: LedgerEntryRow | undefined, asset: Asset): Balance {
  const name = assetOf(asset);
  return {
    balance: Amount.parse(entry?.balanceAfter ?? "0", name),
    held: Amount.parse(entry?.heldAfter ?? "0", name),
  };
}

/** Undefined: the page needn't wait, the rest is added up beside it. */
async function totalsOf(
  deps: Deps,
  span: LedgerSpan,
  addedMax: number,
): Promise<KindTotals | undefined> {
  const { memory } = deps;
  const name = nameOf(span);
  if (addedMax < Infinity && memory.ledgerPass === name) return undefined;
  const totals = await addUp(deps, span, addedMax);
  if (totals === undefined && memory.ledgerPass === undefined) {
    memory.ledgerPass = name;
    // If it fails, whoever looks next begins where it ended.
    addUp(deps, span, Infinity).catch(() => {}).finally(() => memory.ledgerPass = undefined);
  }
  return totals;
}

/** A shorter period from the same start can't use a longer one's sums. */
function nameOf({ accountId, fromId, ...asset }: LedgerSpan): string {
  return `${accountId}/${assetOf(asset)} ${fromId}`;
}

/** Entries never change, so what was added up once is right for good. */
async function addUp(
  { db, memory }: Deps,
  span: LedgerSpan,
  addedMax: number,
): Promise<KindTotals | undefined> {
  const asset = assetOf(span);
  const { fromId, belowId } = span;
  const known = memory.ledgerTotals.get(nameOf(span));
  let sums = known && known.belowId <= belowId ? known : { belowId: fromId, totals: new Map() };
  for (let added = 0; sums.belowId < belowId;) {
    if (added >= addedMax) return undefined;
    const left = { ...span, fromId: sums.belowId, limit: ENTRIES_AT_ONCE };
    const entries = await amountsIn(db, left);
    await nextTurn();
    added += entries.length;
    const isEnd = entries.length < ENTRIES_AT_ONCE;
    sums = {
      belowId: isEnd ? belowId : last(entries).id + 1,
      totals: addToTotals(sums.totals, { entries, asset }),
    };
    memory.ledgerTotals.set(nameOf(span), sums);
  }
  return sums.totals;
}
