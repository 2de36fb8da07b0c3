import { first, zip } from "../base/lists.ts";
import type { BlockAt } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import { present } from "../base/assert.ts";
import { coveredBy, NOTHING_BOOKED } from "../domain/money/address_books.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import type { TransactionRow } from "./tables/transactions.ts";
import { booksAt, rawOf, UNSEEN_POSITION } from "../books/address_books.ts";
import { finalHeight } from "../books/depth.ts";
import type { Deps } from "../deps/deps.ts";
import { cursorOf } from "../books/find.ts";

interface KeptCredits {
  readonly block: BlockAt;
  readonly ids: ReadonlySet<number>;
}

/** Its block can be read without finding it: manual credits are in no block, and traces are pruned. */
export function isUnseen({ position }: TransactionRow): boolean {
  return position <= UNSEEN_POSITION;
}

/**
 * Which of these deposits still have their coins, although their block was read again without them.
 * Undefined if no node knows.
 */
export async function keptCredits(
  deps: Deps,
  { network, rows }: { network: NetworkRow; rows: readonly TransactionRow[] },
): Promise<KeptCredits | undefined> {
  const ids = [...new Set(rows.map((row) => present(row.addressId, "Deposits have one")))];
  const height = finalHeight({ cursor: await cursorOf(deps, network), network });
  const pick = { ids };
  const { block, addresses } = await booksAt(deps, { network: network.code, pick, height });
  if (block === undefined) return undefined;
  const catalog = await deps.catalog.current();
  const groups = [...Map.groupBy(rows, (row) => `${row.addressId}/${row.currency}`).values()];
  const asked = groups.map((group) => {
    const { addressId, currency: symbol } = first(group);
    const book = present(addresses.find(({ id }) => id === addressId), "Addresses stay");
    const currency = present(catalog.currency(network.code, symbol), "Currencies stay");
    const { seenRaw } = book.books.get(currency.contractAddress) ?? NOTHING_BOOKED;
    return { group, currency, seenRaw, address: book.address, contract: currency.contractAddress };
  });
  try {
    const found = await deps.chains.of(network).balancesAt(block, asked);
    const kept = zip(asked, found).flatMap(([{ group, currency, seenRaw }, foundRaw]) =>
      coveredBy(foundRaw - seenRaw, { items: group, rawOf: (row) => rawOf(row.amount, currency) })
    );
    return { block, ids: new Set(kept.map(({ id }) => id)) };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return undefined;
  }
}
