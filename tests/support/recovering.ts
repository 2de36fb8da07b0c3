import {
  recoverAddresses,
  type Recovered,
  type RecoverOrder,
} from "../../src/restore/recover_addresses.ts";
import type { Deps } from "../../src/deps/deps.ts";

/** By default it books what it finds. */
export function recover(deps: Deps, order: Partial<RecoverOrder> = {}): Promise<Recovered> {
  return recoverAddresses(deps, {
    network: "ETH",
    accountId: undefined,
    lostAccountId: undefined,
    addresses: [],
    fromIndex: undefined,
    unusedMax: 20,
    isApplied: true,
    actor: "test",
    ...order,
  });
}

/** Address and state of each, and what it holds. */
export function shownOf({ addresses }: Recovered): string[][] {
  return addresses.map(({ address, state, holds }) => [
    address,
    state,
    ...holds.map(({ currency, amount }) => `${amount} ${currency}`),
  ]);
}
