import { last, zip } from "../base/lists.ts";
import { present } from "../base/assert.ts";
import type { BlockAt, Chain } from "../chains/chain.ts";
import type { Difference, Surplus } from "./rules/difference.ts";
import { type Booked, NOTHING_BOOKED } from "../domain/money/address_books.ts";
import type { BalanceKey } from "../books/table.ts";
import type { CurrencyRow, NetworkRow } from "../store/tables/setup.ts";
import { type AddressBook, amountOf, booksAt } from "../books/address_books.ts";
import type { Deps } from "../deps/deps.ts";

/** A node can read this many balances in one call. */
const ADDRESSES_PER_PAGE = 1000;

/**
 * What to check besides booked currencies: coins on every address, if contract payments may go
 * unnoticed, or everything on every address.
 */
type Reach = "booked" | "coins" | "everything";

/** Those that a payment ever reached, those that none did, or both. */
export type Among = "all" | "received" | "others";

interface AddressesPage {
  readonly differences: Difference[];
  readonly surplus: Surplus[];
  /** The last one of it; undefined at the end. */
  readonly next: number | undefined;
}

/** Compares a page of deposit addresses with the books at the same block. */
export async function checkAddressesPage(
  deps: Deps,
  { network, chain, afterId, reach, of, among }: {
    network: NetworkRow;
    chain: Chain;
    afterId: number;
    reach: Reach;
    among: Among;
    /** Only these; all if absent. */
    of?: Pick<BalanceKey, "accountId" | "currency">;
  },
): Promise<AddressesPage> {
  const limit = ADDRESSES_PER_PAGE;
  const pick = among === "received"
    ? { receivedAfterId: afterId, limit }
    : { accountId: of?.accountId, afterId, limit };
  const { block, addresses } = await booksAt(deps, { network: network.code, pick });
  const catalog = await deps.catalog.current();
  const all = catalog.currencies.flatMap((row) =>
    row.network === network.code ? [row.contractAddress] : []
  );
  const wanted = among === "others"
    ? addresses.filter(({ hasReceived }) => !hasReceived)
    : addresses;
  const asked = wanted.flatMap((book) =>
    contractsAsked(book, { reach, all }).map((contract) => ({
      book,
      currency: present(catalog.currencyByContract(network.code, contract), "Currencies stay"),
      booked: book.books.get(contract) ?? NOTHING_BOOKED,
    }))
  ).filter(({ currency }) => !of || currency.symbol === of.currency);
  const judged = asked.length === 0 ? [] : await judgeAll(chain, {
    asked,
    block: present(block, "Books are read at a block"),
  });
  return {
    differences: judged.flatMap(({ difference }) => difference ?? []),
    surplus: judged.flatMap(({ surplus }) => surplus ?? []),
    next: addresses.length < ADDRESSES_PER_PAGE ? undefined : last(addresses).id,
  };
}

function contractsAsked(
  { books }: AddressBook,
  { reach, all }: { reach: Reach; all: readonly (string | null)[] },
): readonly (string | null)[] {
  if (reach === "everything") return all;
  const booked = [...books].filter(([, { seenRaw }]) => seenRaw > 0n).map(([contract]) => contract);
  return reach === "coins" && !booked.includes(null) ? [...booked, null] : booked;
}

interface Asked {
  readonly book: AddressBook;
  readonly currency: CurrencyRow;
  readonly booked: Booked;
}

async function judgeAll(
  chain: Chain,
  { asked, block }: { asked: readonly Asked[]; block: BlockAt },
) {
  const found = await chain.balancesAt(
    block,
    asked.map(({ book, currency }) => ({
      address: book.address,
      contract: currency.contractAddress,
    })),
  );
  return zip(asked, found).map(([one, foundRaw]) =>
    judge({ ...one, foundRaw, height: block.height })
  );
}

function judge(
  { book, currency, booked, foundRaw, height }: Asked & { foundRaw: bigint; height: number },
): { difference?: Difference; surplus?: Surplus } {
  const { accountId, address } = book;
  const asset = { accountId, network: currency.network, currency: currency.symbol };
  if (foundRaw < booked.creditedRaw) {
    const expected = amountOf(booked.creditedRaw, currency);
    const found = amountOf(foundRaw, currency);
    const detail = `deposit address ${address} lacks ${expected.minus(found)} ` +
      `${currency.symbol} of what was credited and not swept, at block ${height}`;
    const kind = "deposit_address";
    return {
      difference: { ...asset, kind, expected: `${expected}`, found: `${found}`, detail },
    };
  }
  const knownRaw = booked.seenRaw + booked.orphanedRaw;
  if (foundRaw <= knownRaw) return {};
  const amount = amountOf(foundRaw - knownRaw, currency).toString();
  return { surplus: { ...asset, address, amount } };
}
