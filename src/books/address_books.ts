import { present } from "../base/assert.ts";
import type { BlockAt } from "../chains/chain.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { addressBooks, type Booked } from "../domain/money/address_books.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { CurrencyRow } from "../networks/table.ts";
import { type AddressesAsked, type BookedAddress, bookedAddresses } from "../reconcile/reads.ts";
import { sourceOf } from "../wallets/rules/key_path.ts";
import type { Catalog } from "../store/engine/catalog.ts";

/**
 * From this position down, a deposit need not show up in its block: traces may be pruned, or an
 * operator credited it.
 */
export const UNSEEN_POSITION = -2;

/** Deposits credited by an operator count down from here; no payment on a chain does. */
export const BY_HAND_POSITION = -1_000_000_000;

export interface AddressBook {
  readonly id: number;
  readonly accountId: number;
  readonly address: string;
  /** What comes to a merchant's own wallet, nodes are not asked for: it may have been spent. */
  readonly source: "seed" | "xpub";
  readonly corrections: number;
  /** Whether a payment ever reached it. */
  readonly hasReceived: boolean;
  /** By token contract, null for the native coin; only currencies the address ever had. */
  readonly books: ReadonlyMap<string | null, Booked>;
}

interface BooksAt {
  readonly block: BlockAt | undefined;
  readonly addresses: readonly AddressBook[];
}

/** What should be on deposit addresses at one block, according to the books. */
export async function booksAt(
  deps: Deps,
  asked: Omit<AddressesAsked, "unseenFrom" | "isFeeInside">,
): Promise<BooksAt> {
  const catalog = await deps.catalog.current();
  const network = present(catalog.network(asked.network), "Networks with books stay");
  const { block, addresses } = await bookedAddresses(deps.db, {
    ...asked,
    unseenFrom: UNSEEN_POSITION,
    isFeeInside: familyOf(network.family).holdings === "outputs",
  });
  return {
    block,
    addresses: addresses.map((row) => addressBook(row, { network: asked.network, catalog })),
  };
}

function addressBook(
  row: BookedAddress,
  { network, catalog }: { network: string; catalog: Catalog },
): AddressBook {
  const { id, accountId, address, corrections } = row;
  const deposits = row.deposits.map(({ currency: symbol, status, amount, isAnchored }) => {
    const currency = present(catalog.currency(network, symbol), "Currencies stay");
    return {
      contract: currency.contractAddress,
      amountRaw: rawOf(amount, currency),
      isCredited: status !== "detected",
      isSwept: status === "swept",
      isAnchored,
    };
  });
  const spends = row.spends.map(({ amountRaw, feeRaw, ...spend }) => ({
    ...spend,
    amountRaw: BigInt(amountRaw),
    feeRaw: BigInt(feeRaw),
  }));
  const books = addressBooks({ deposits, topUpsRaw: row.topUpsRaw.map(BigInt), spends });
  const hasReceived = corrections > 0 || deposits.length > 0;
  return { id, accountId, address, source: sourceOf(row), corrections, hasReceived, books };
}

export function rawOf(amount: string, currency: CurrencyRow): bigint {
  return Amount.parse(amount, assetName(currency)).toRaw(currency.decimals);
}

export function amountOf(raw: bigint, currency: CurrencyRow): Amount {
  return Amount.fromRaw(raw, { asset: assetName(currency), decimals: currency.decimals });
}

function assetName({ network, symbol }: CurrencyRow): string {
  return assetOf({ network, currency: symbol });
}
