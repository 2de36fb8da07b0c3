import { last } from "../base/lists.ts";
import { nextTurn } from "../base/waiting/next_turn.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { balancePage } from "./reads/accounts.ts";
import { fewBalances } from "../store/reads/few_rows.ts";
import type { BalanceRow } from "../books/table.ts";
import type { Deps } from "../deps/deps.ts";
import { lately } from "../books/lately.ts";

export type AssetBalance = Pick<BalanceRow, "network" | "currency" | "balance" | "held">;

export interface TotalBalances {
  /** Undefined: too many to add up, or not added up yet. */
  readonly rows: readonly AssetBalance[] | undefined;
  /** When many were added up; undefined if there are few, and the sums are current. */
  readonly atMs?: number;
}

/** Up to this many are added up on every look, more only now and then. */
const FEW = 50;
const ROWS_AT_ONCE = 250;
const TOTALLED_MAX = 20_000;

/** The exact sums over all accounts. */
export async function totalBalances(
  deps: Deps,
  { waitMs }: { waitMs: number },
): Promise<TotalBalances> {
  const few = await fewBalances(deps.db, FEW);
  if (few) return { rows: listOf(addTo(new Map(), few)) };
  const look = () => addUp(deps);
  return await lately(deps, { key: "total balances", look, waitMs, waitAgainMs: 0 }) ??
    { rows: undefined };
}

/**
 * Reads some rows per turn of the event loop, so other work continues. Each balance is from some
 * moment in between.
 */
async function addUp({ db, clock }: Deps): Promise<TotalBalances> {
  const atMs = clock.nowMs();
  const sums: Sums = new Map();
  let after = { accountId: 0, network: "", currency: "" };
  for (let added = 0; added < TOTALLED_MAX;) {
    await nextTurn();
    const rows = await balancePage(db, { after, limit: ROWS_AT_ONCE });
    addTo(sums, rows);
    if (rows.length < ROWS_AT_ONCE) return { rows: listOf(sums), atMs };
    after = last(rows);
    added += rows.length;
  }
  return { rows: undefined, atMs };
}

type Sums = Map<string, { readonly one: BalanceRow; balance: Amount; held: Amount }>;

function addTo(sums: Sums, rows: readonly BalanceRow[]): Sums {
  for (const one of rows) {
    const name = assetOf(one);
    const zero = Amount.zero(name);
    const sum = sums.get(name) ?? { one, balance: zero, held: zero };
    sum.balance = sum.balance.plus(Amount.parse(one.balance, name));
    sum.held = sum.held.plus(Amount.parse(one.held, name));
    sums.set(name, sum);
  }
  return sums;
}

function listOf(sums: Sums): AssetBalance[] {
  const sorted = [...sums].toSorted(([a], [b]) => a < b ? -1 : 1);
  return sorted.map(([, { one: { network, currency }, balance, held }]) => ({
    network,
    currency,
    balance: balance.toString(),
    held: held.toString(),
  }));
}
