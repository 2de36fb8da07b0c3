import { present } from "../base/assert.ts";
import { familyOf } from "../chains/registry.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { calendarPeriod, monthOf } from "../domain/money/period.ts";
import { dayOf } from "../domain/time.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { Db } from "../store/engine/db.ts";
import { nativeAmount } from "../transfers/price.ts";
import { costsOfHour, hoursOf } from "./add_up.ts";
import { costHours, costMarks, keptOnAddresses, monthsWithCosts, nodeCalls } from "./reads.ts";
import { addedUp, type Cost } from "./rules/hour.ts";
import { type OtherMode, otherMode } from "./rules/other_mode.ts";
import type { NodeCallsRow } from "./table.ts";

export interface CurrencyCosts {
  readonly currency: string;
  /** By way. */
  readonly costs: readonly Cost[];
  readonly sweeps: number;
  readonly deposits: number;
  readonly feeRaw: bigint;
  readonly other: OtherMode | undefined;
}

export interface MonthCosts {
  readonly currencies: readonly CurrencyCosts[];
  /** What the gas wallet and addresses paid for no sweep of one currency. */
  readonly upkeepRaw: bigint;
  readonly feeRaw: bigint;
  /** What lies on deposit addresses now and is nobody's deposit. */
  readonly kept: Amount;
  readonly nodes: readonly NodeUse[];
  /** So much isn't added up yet that the sums lack some of it. */
  readonly isBehind: boolean;
}

export interface NodeUse {
  readonly host: string;
  /** Of the days that are over; null before the first one is. */
  readonly perDay: number | null;
  readonly most: number;
  /** Undefined in another month. */
  readonly today: number | undefined;
}

/** Looked at by whoever asks, instead of waiting until they are added up. */
const HOURS_AT_ONCE = 50;
const NEW_MAX = 1_000;
const MONTHS_MAX = 12;

/** In UTC, by when the transactions were signed, as far as they are final. */
export async function costsOfMonth(
  db: Db,
  { network, month, nowMs }: { network: NetworkRow; month: string; nowMs: number },
): Promise<MonthCosts> {
  const { fromMs, untilMs } = spanOf(month);
  const span = { network: network.code, fromMs, untilMs };
  const [{ costs, isBehind }, kept, calls] = await Promise.all([
    costsIn(db, { network, fromMs, untilMs }),
    keptBy(db, network),
    nodeCalls(db, span),
  ]);
  const isOfOne = ({ currency }: Cost) => currency !== "";
  const byCurrency = Map.groupBy(costs.filter(isOfOne), ({ currency }) => currency);
  const currencies = Array.from(byCurrency, ([currency, own]) => ofCurrency(own, network, currency))
    .toSorted((a, b) => a.currency < b.currency ? -1 : 1);
  return {
    currencies,
    upkeepRaw: sumOf(costs.filter((cost) => !isOfOne(cost))),
    feeRaw: sumOf(costs),
    kept,
    nodes: nodesIn(calls, nowMs),
    isBehind,
  };
}

/** The last twelve in which there was anything, newest first; this one anyway. */
export async function monthsToShow(
  db: Db,
  { network, nowMs }: { network: string; nowMs: number },
): Promise<string[]> {
  const names = Array.from({ length: MONTHS_MAX }, (_, before) => monthOf(nowMs, before));
  const months = names.map((name) => ({ name, ...spanOf(name) }));
  const found = await monthsWithCosts(db, { network, months });
  return names.filter((name, before) => before === 0 || found.has(name));
}

/** One that `calendarPeriod` understands. */
function spanOf(month: string): { fromMs: number; untilMs: number } {
  const { fromMs, untilMs } = present(calendarPeriod(month), "A month was asked for");
  return { fromMs: present(fromMs, "It begins"), untilMs: present(untilMs, "It ends") };
}

/** Of each hour. */
async function costsIn(
  db: Db,
  { network, fromMs, untilMs }: { network: NetworkRow; fromMs: number; untilMs: number },
): Promise<{ costs: readonly Cost[]; isBehind: boolean }> {
  // First, so that what is added up meanwhile isn't missed.
  const marks = await costMarks(db, { limit: NEW_MAX });
  const due = hoursOf(marks).filter((hour) =>
    hour.network === network.code && hour.startsAtMs >= fromMs && hour.startsAtMs < untilMs
  );
  const rows = await costHours(db, { network: network.code, fromMs, untilMs });
  const looked = new Set<number>();
  const costs: Cost[] = [];
  for (const hour of due.slice(0, HOURS_AT_ONCE)) {
    looked.add(hour.startsAtMs);
    costs.push(...await costsOfHour(db, { ...hour, network }));
  }
  const known = rows.filter(({ startsAtMs }) => !looked.has(startsAtMs))
    .map(({ network: _, startsAtMs: __, ...row }) => ({ ...row, feeRaw: BigInt(row.feeRaw) }));
  const isBehind = marks.length === NEW_MAX || due.length > HOURS_AT_ONCE;
  return { costs: [...known, ...costs], isBehind };
}

function ofCurrency(
  hourly: readonly Cost[],
  { family, nativeSymbol }: NetworkRow,
  currency: string,
): CurrencyCosts {
  const costs = addedUp(hourly);
  return {
    currency,
    costs,
    sweeps: costs.reduce((sum, { sweeps }) => sum + sweeps, 0),
    deposits: costs.reduce((sum, { deposits }) => sum + deposits, 0),
    feeRaw: sumOf(costs),
    other: otherMode(hourly, {
      usual: familyOf(family).usualSweeps,
      isNative: currency === nativeSymbol,
    }),
  };
}

function sumOf(costs: readonly Cost[]): bigint {
  return costs.reduce((sum, { feeRaw }) => sum + feeRaw, 0n);
}

/** What came to deposit addresses as gas, or with deposits that are gone, and left by no sweep. */
async function keptBy(db: Db, network: NetworkRow): Promise<Amount> {
  const { code, nativeSymbol: currency } = network;
  const asset = assetOf({ network: code, currency });
  const parts = await keptOnAddresses(db, { network: code, currency, newMax: NEW_MAX });
  const kept = parts.reduce((sum, { kind, amount, sign, isNew }) => {
    const part = isNew && kind === "fees"
      ? nativeAmount(network, BigInt(amount))
      : Amount.parse(amount, asset);
    const isPlus = CAME.has(kind) === (sign === 1);
    return !CAME.has(kind) && !WENT.has(kind) ? sum : isPlus ? sum.plus(part) : sum.minus(part);
  }, Amount.zero(asset));
  return kept.isNegative() ? Amount.zero(asset) : kept;
}

const CAME: ReadonlySet<string> = new Set(["gas", "emptied"]);
const WENT: ReadonlySet<string> = new Set(["swept", "swept_hot", "fees"]);

function nodesIn(rows: readonly NodeCallsRow[], nowMs: number): NodeUse[] {
  const today = dayOf(nowMs);
  return Array.from(Map.groupBy(rows, ({ host }) => host), ([host, days]) => {
    const over = days.filter(({ dayMs }) => dayMs < today).map(({ calls }) => calls);
    const sum = over.reduce((all, calls) => all + calls, 0);
    return {
      host,
      perDay: over.length === 0 ? null : Math.round(sum / over.length),
      most: Math.max(...days.map(({ calls }) => calls)),
      today: days.find(({ dayMs }) => dayMs === today)?.calls,
    };
  });
}
