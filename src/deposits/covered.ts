import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import type { TransactionRow } from "./tables/transactions.ts";
import { type NewAlert, raiseAlert } from "../books/alerts.ts";
import type { Deps } from "../deps/deps.ts";
import { holding, lookAtCoins, type Short } from "./_look_at_coins.ts";

const WAIT_FIRST_MS = 30_000;
const WAIT_MAX_MS = 3_600_000;

export function waitingDeposits({ memory, clock }: Deps): number[] {
  const nowMs = clock.nowMs();
  return [...memory.coverWaits].filter(([, { untilMs }]) => untilMs > nowMs).map(([id]) => id);
}

/** The books now explain where something went. */
export function waitNoLonger({ memory }: Deps): void {
  memory.coverWaits.clear();
}

export function notCovered({ id }: TransactionRow): Pick<NewAlert, "kind" | "subject"> {
  return { kind: "deposit_not_covered", subject: `transaction:${id}` };
}

/**
 * A token may report more than it moved, so what is credited must be there. The same goes for coins
 * on addresses where an operator credited or reversed some: a rescan may find the same coins later.
 */
export async function coveredDeposits(
  deps: Deps,
  { network, deposits, isDoubtful }: {
    network: NetworkRow;
    deposits: readonly TransactionRow[];
    isDoubtful(row: TransactionRow): boolean;
  },
): Promise<readonly TransactionRow[]> {
  const found = await lookAtCoins(deps, {
    network,
    deposits,
    isDoubtful,
    isAsked: ({ row, currency, book }) =>
      currency.contractAddress !== null || book.corrections > 0 || isDoubtful(row),
  });
  if (found === undefined) return [];
  for (const one of found.short) await putOff(deps, one);
  const dropped = new Set([...found.short, ...found.unknown].map(({ row }) => row.id));
  return deposits.filter(({ id }) => !dropped.has(id));
}

/** By id: why the coins of some of these can't be credited now. */
export async function missingCoins(
  deps: Deps,
  { network, deposits }: { network: NetworkRow; deposits: readonly TransactionRow[] },
): Promise<ReadonlyMap<number, ActionRefused>> {
  const found = await lookAtCoins(deps, {
    network,
    deposits,
    isDoubtful: () => true,
    isAsked: () => true,
  });
  const unknown = found?.unknown.map(({ row }) => row) ?? deposits;
  return new Map([
    ...found?.short.map((one) => [one.row.id, holding(one)] as const) ?? [],
    ...unknown.map(({ id }) => [id, refuse("coins_unknown")] as const),
  ]);
}

async function putOff(deps: Deps, one: Short): Promise<void> {
  const { row } = one;
  const { coverWaits } = deps.memory;
  const forMs = Math.min(WAIT_MAX_MS, 2 * (coverWaits.get(row.id)?.forMs ?? WAIT_FIRST_MS / 2));
  coverWaits.set(row.id, { forMs, untilMs: deps.clock.nowMs() + forMs });
  await raiseAlert(deps, {
    ...notCovered(row),
    message: `Deposit ${row.txHash} of ${row.amount} ${row.currency} on ${row.network} is not ` +
      `credited: ${holding(one).message}`,
  });
}
