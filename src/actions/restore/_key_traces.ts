import type { Amount } from "../../domain/money/amount.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { amountOf } from "../books/address_books.ts";
import type { Deps } from "../deps.ts";

/** What a chain tells of an address that no books know. */
export interface KeyTrace {
  /** Of the network's currencies, only what it has some of. */
  readonly holds: readonly { readonly currency: string; readonly amount: Amount }[];
  /** It holds something, or did. */
  readonly isUsed: boolean;
}

/** All of one block, the newest: of a search that takes long, older ones may be forgotten by their nodes. */
export async function tracesOf(
  deps: Deps,
  { network, addresses }: { network: NetworkRow; addresses: readonly string[] },
): Promise<KeyTrace[]> {
  const chain = deps.chains.of(network);
  const currencies = (await deps.catalog.current()).currencies
    .filter((row) => row.network === network.code);
  const block = await chain.tip();
  const asked = addresses.flatMap((address) =>
    currencies.map(({ contractAddress: contract }) => ({ address, contract }))
  );
  const [balances, used] = await Promise.all([
    chain.balancesAt(block, asked),
    chain.areUsedAt(block, addresses),
  ]);
  return addresses.map((_, i) => {
    const holds = currencies.map((currency, j) => ({
      currency: currency.symbol,
      amount: amountOf(balances[i * currencies.length + j]!, currency),
    })).filter(({ amount }) => !amount.isZero());
    return { holds, isUsed: used[i]! || holds.length > 0 };
  });
}
