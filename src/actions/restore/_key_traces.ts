import type { Amount } from "../../domain/money/amount.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { amountOf } from "../books/address_books.ts";
import type { Deps } from "../deps.ts";

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
  return addresses.map((_, i) => {
    const holds = currencies.map((currency, j) => ({
      currency: currency.symbol,
      amount: amountOf(balances[i * currencies.length + j]!, currency),
    })).filter(({ amount }) => !amount.isZero());
    return { holds, isUsed: used[i]! || holds.length > 0 };
  });
}
