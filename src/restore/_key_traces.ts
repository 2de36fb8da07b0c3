import { zip } from "../base/lists.ts";
import type { Amount } from "../domain/money/amount.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import { amountOf } from "../books/address_books.ts";
import type { Deps } from "../deps/deps.ts";

/** What a chain shows about an address that isn't in the books. */
export interface KeyTrace {
  /** Only currencies of the network that it holds. */
  readonly holds: readonly { readonly currency: string; readonly amount: Amount }[];
  /** It holds something, or once did. */
  readonly isUsed: boolean;
}

/** All at the newest block, because during a long search nodes may prune older ones. */
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
  return used.map((isUsed, i) => {
    const own = balances.slice(i * currencies.length, (i + 1) * currencies.length);
    const holds = zip(currencies, own).map(([currency, raw]) => ({
      currency: currency.symbol,
      amount: amountOf(raw, currency),
    })).filter(({ amount }) => !amount.isZero());
    return { holds, isUsed: isUsed || holds.length > 0 };
  });
}
