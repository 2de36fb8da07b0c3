import { one } from "../base/lists.ts";
import { amountOf, booksAt } from "../books/address_books.ts";
import { finalHeight } from "../books/depth.ts";
import { cursorOf, findCurrency, findNetwork } from "../books/find.ts";
import { rulesOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { NOTHING_BOOKED } from "../domain/money/address_books.ts";
import { Amount } from "../domain/money/amount.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";

export interface PlaceNames {
  readonly network: string;
  readonly address: string;
  readonly currency: string;
}

export interface Place {
  readonly network: NetworkRow;
  readonly currency: CurrencyRow;
  readonly address: AddressRow & { readonly accountId: number };
}

interface FoundSurplus {
  /** Zero or less: the books explain everything there. */
  readonly amount: Amount;
  readonly symbol: string;
}

/** What could be credited now, according to the chain. */
export async function lookAtSurplus(
  deps: Deps,
  order: PlaceNames,
): Promise<FoundSurplus> {
  const place = await findPlace(deps, order);
  const { surplus } = await surplusNow(deps, place);
  return { amount: surplus, symbol: place.currency.symbol };
}

export async function findPlace(deps: Deps, order: PlaceNames): Promise<Place> {
  const network = await findNetwork(deps, order.network);
  const currency = await findCurrency(deps, { network: network.code, symbol: order.currency });
  const address = await findDepositAddress(deps, { network, text: order.address });
  return { network, currency, address };
}

async function findDepositAddress(
  deps: Deps,
  { network, text }: { network: NetworkRow; text: string },
): Promise<Place["address"]> {
  const rules = rulesOf(network);
  const row = rules.isAddress(text)
    ? await deps.db.find(Addresses, [network.code, rules.canonicalAddress(text)], "address")
    : undefined;
  if (row?.purpose !== "deposit" || row.accountId === null) {
    throw refuse("deposit_address_unknown", { text, network: network.code });
  }
  return { ...row, accountId: row.accountId };
}

/** The smaller of what is deep enough and what is there now. */
export async function surplusNow(deps: Deps, place: Place) {
  const { network } = place;
  const cursor = await cursorOf(deps, network);
  const final = await surplusAt(deps, place, finalHeight({ cursor, network }));
  const latest = await surplusAt(deps, place, cursor.scanHeight);
  const surplus = final.surplus.isLessThan(latest.surplus) ? final.surplus : latest.surplus;
  return { surplus, block: final.block, corrections: latest.corrections };
}

async function surplusAt(
  deps: Deps,
  { network, currency, address }: Place,
  height: number,
) {
  const pick = { ids: [address.id] };
  const { block, addresses } = await booksAt(deps, { network: network.code, pick, height });
  const [book] = addresses;
  if (block === undefined || !book) {
    throw refuse("no_block_deep_enough", { network: network.code });
  }
  const contract = currency.contractAddress;
  const asked = [{ address: address.address, contract }];
  const foundRaw = one(await deps.chains.of(network).balancesAt(block, asked));
  const { seenRaw, orphanedRaw } = book.books.get(contract) ?? NOTHING_BOOKED;
  const surplus = amountOf(foundRaw - seenRaw - orphanedRaw, currency);
  return { block, surplus, corrections: book.corrections };
}
