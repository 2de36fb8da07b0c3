import { first } from "../../base/lists.ts";
import { present } from "../../base/assert.ts";
import { type Chain, NodeError } from "../../chains/chain.ts";
import { familyOf } from "../../chains/registry.ts";
import { coveredBy, NOTHING_BOOKED } from "../../domain/money/address_books.ts";
import type { CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";
import type { TransactionRow } from "../../store/tables/transactions.ts";
import { type AddressBook, amountOf, booksAt, rawOf } from "../books/address_books.ts";
import { type NewAlert, raiseAlert } from "../books/alerts.ts";
import { finalHeight } from "../books/depth.ts";
import { cursorOf } from "../books/find.ts";
import type { Deps } from "../deps.ts";

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

interface Candidate {
  readonly row: TransactionRow;
  readonly currency: CurrencyRow;
  readonly book: AddressBook;
}

/**
 * A token may report more than it moved, so what is credited must be there. The same goes for coins
 * on addresses where an operator credited or reversed some: a rescan may find the same coins later.
 */
export async function coveredDeposits(
  deps: Deps,
  { network, deposits }: { network: NetworkRow; deposits: readonly TransactionRow[] },
): Promise<readonly TransactionRow[]> {
  if (deposits.length === 0) return [];
  const ids = [...new Set(deposits.map((row) => present(row.addressId, "Deposits have one")))];
  const { block, addresses } = await booksAt(deps, {
    network: network.code,
    pick: { ids },
    ...await judgedAt(deps, network),
  });
  if (block === undefined) return [];
  const catalog = await deps.catalog.current();
  const books = new Map(addresses.map((book) => [book.id, book]));
  const doubtful = deposits.map((row): Candidate => ({
    row,
    currency: present(catalog.currency(network.code, row.currency), "Currencies stay"),
    book: present(books.get(row.addressId!), "Deposit addresses stay"),
  })).filter(({ currency, book }) => currency.contractAddress !== null || book.corrections > 0);
  if (doubtful.length === 0) return deposits;
  const covered = await covering(deps, { chain: deps.chains.of(network), block, doubtful });
  const dropped = new Set(doubtful.map(({ row }) => row.id));
  for (const { row } of covered) dropped.delete(row.id);
  return deposits.filter(({ id }) => !dropped.has(id));
}

/** A token's statements in later blocks must not count for the deposit that is being checked. */
async function judgedAt(deps: Deps, network: NetworkRow): Promise<{ height?: number }> {
  if (familyOf(network.family).tellsBalancesAtAnyBlock) return {};
  return { height: finalHeight({ cursor: await cursorOf(deps, network), network }) };
}

/** Takes deposits of one address and currency in order, as long as the coins there cover them. */
async function covering(
  deps: Deps,
  { chain, block, doubtful }: {
    chain: Chain;
    block: { height: number; hash: string };
    doubtful: readonly Candidate[];
  },
): Promise<Candidate[]> {
  const groups = [
    ...Map.groupBy(doubtful, ({ row }) => `${row.addressId}/${row.currency}`).values(),
  ];
  const asked = groups.map(([first]) => ({
    address: first!.book.address,
    contract: first!.currency.contractAddress,
  }));
  let found: bigint[];
  try {
    found = await chain.balancesAt(block, asked);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const fields = { network: first(doubtful).row.network, error: error.message };
    deps.log.warn("deposits wait: no node says whether they are there", fields);
    return [];
  }
  const covered: Candidate[] = [];
  for (const [i, group] of groups.entries()) {
    const { book, currency } = first(group);
    const foundRaw = found[i]!;
    const booked = book.books.get(currency.contractAddress) ?? NOTHING_BOOKED;
    const bookedRaw = booked.creditedRaw + booked.orphanedRaw;
    const paid = coveredBy(foundRaw - bookedRaw, {
      items: group,
      rawOf: ({ row }) => rawOf(row.amount, currency),
    });
    covered.push(...paid);
    const short = group.filter((one) => !paid.includes(one));
    for (const one of short) await putOff(deps, { ...one, foundRaw, bookedRaw });
  }
  return covered;
}

async function putOff(
  deps: Deps,
  { row, currency, foundRaw, bookedRaw }: Candidate & { foundRaw: bigint; bookedRaw: bigint },
): Promise<void> {
  const { coverWaits } = deps.memory;
  const forMs = Math.min(WAIT_MAX_MS, 2 * (coverWaits.get(row.id)?.forMs ?? WAIT_FIRST_MS / 2));
  coverWaits.set(row.id, { forMs, untilMs: deps.clock.nowMs() + forMs });
  await raiseAlert(deps, {
    ...notCovered(row),
    message: `Deposit ${row.txHash} of ${row.amount} ${row.currency} on ${row.network} is not ` +
      `credited: ${row.toAddress} holds ${amountOf(foundRaw, currency)}, of which ` +
      `${amountOf(bookedRaw, currency)} were credited before`,
  });
}
