import { present } from "../base/assert.ts";
import { first, zip } from "../base/lists.ts";
import { type AddressBook, amountOf, booksAt, rawOf } from "../books/address_books.ts";
import { type NewAlert, raiseAlert } from "../books/alerts.ts";
import { finalHeight } from "../books/depth.ts";
import { cursorOf } from "../books/find.ts";
import type { Chain } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import type { TransactionRow } from "./tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { coveredBy, isStillThere, NOTHING_BOOKED } from "../domain/money/address_books.ts";
import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";

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

interface Candidate {
  readonly row: TransactionRow;
  readonly currency: CurrencyRow;
  readonly book: AddressBook;
}

interface Short extends Candidate {
  readonly foundRaw: bigint;
  readonly bookedRaw: bigint;
}

interface Coins {
  readonly short: readonly Short[];
  /** No node could say. */
  readonly unknown: readonly Candidate[];
}

/** Undefined if no block is deep enough. */
async function lookAtCoins(
  deps: Deps,
  { network, deposits, isDoubtful, isAsked }: {
    network: NetworkRow;
    deposits: readonly TransactionRow[];
    isDoubtful(row: TransactionRow): boolean;
    isAsked(candidate: Candidate): boolean;
  },
): Promise<Coins | undefined> {
  if (deposits.length === 0) return { short: [], unknown: [] };
  const ids = [...new Set(deposits.map(addressIdOf))];
  const { block, addresses } = await booksAt(deps, {
    network: network.code,
    pick: { ids },
    ...await judgedAt(deps, network),
  });
  if (block === undefined) return undefined;
  const catalog = await deps.catalog.current();
  const books = new Map(addresses.map((book) => [book.id, book]));
  const asked = deposits.map((row): Candidate => ({
    row,
    currency: present(catalog.currency(network.code, row.currency), "Currencies stay"),
    book: present(books.get(addressIdOf(row)), "Deposit addresses stay"),
  })).filter((one) => one.book.source === "seed" && isAsked(one));
  if (asked.length === 0) return { short: [], unknown: [] };
  return await findShort(deps, { chain: deps.chains.of(network), block, asked, isDoubtful });
}

function addressIdOf({ addressId }: TransactionRow): number {
  return present(addressId, "Deposits have one");
}

/** A token's statements in later blocks must not count for the deposit that is being checked. */
async function judgedAt(deps: Deps, network: NetworkRow): Promise<{ height?: number }> {
  if (familyOf(network.family).knowsBalancesAtAnyBlock) return {};
  return { height: finalHeight({ cursor: await cursorOf(deps, network), network }) };
}

/** Takes deposits of one address and currency in order, as long as the coins there cover them. */
async function findShort(
  deps: Deps,
  { chain, block, asked, isDoubtful }: {
    chain: Chain;
    block: { height: number; hash: string };
    asked: readonly Candidate[];
    isDoubtful(row: TransactionRow): boolean;
  },
): Promise<Coins> {
  const groups = [
    ...Map.groupBy(asked, ({ row }) => `${row.addressId}/${row.currency}`).values(),
  ];
  const places = groups.map(([first]) => ({
    address: first!.book.address,
    contract: first!.currency.contractAddress,
  }));
  let found: bigint[];
  try {
    found = await chain.balancesAt(block, places);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const fields = { network: first(asked).row.network, error: error.message };
    deps.log.warn("deposits wait: no node says whether they are there", fields);
    return { short: [], unknown: asked };
  }
  const short = zip(groups, found).flatMap(([group, foundRaw]) =>
    shortOf(group, { foundRaw, isDoubtful })
  );
  return { short, unknown: [] };
}

/** Of one address and currency. */
function shortOf(
  group: readonly Candidate[],
  { foundRaw, isDoubtful }: { foundRaw: bigint; isDoubtful(row: TransactionRow): boolean },
): Short[] {
  const { book, currency } = first(group);
  const booked = book.books.get(currency.contractAddress) ?? NOTHING_BOOKED;
  const bookedRaw = booked.creditedRaw + booked.orphanedRaw;
  const rawOfOne = ({ row }: Candidate) => rawOf(row.amount, currency);
  const isNative = currency.contractAddress === null;
  const paid = coveredBy(foundRaw - bookedRaw, { items: group, rawOf: rawOfOne });
  const isGone = (one: Candidate) =>
    isDoubtful(one.row) && one.row.sweepId === null &&
    !isStillThere(booked, { foundRaw, amountRaw: rawOfOne(one), isNative });
  return group.filter((one) => !paid.includes(one) || isGone(one))
    .map((one) => ({ ...one, foundRaw, bookedRaw }));
}

function holding({ row, currency, foundRaw, bookedRaw }: Short): ActionRefused {
  const [holds, booked] = [foundRaw, bookedRaw].map((raw) => amountOf(raw, currency).toString());
  return refuse("coins_missing", { address: row.toAddress, holds: holds!, booked: booked! });
}
