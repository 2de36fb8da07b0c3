import { first, zip } from "../base/lists.ts";
import { present } from "../base/assert.ts";
import type { Chain } from "../chains/chain.ts";
import type { Difference } from "./rules/difference.ts";
import { type OpenBid, openBidsOfHotWallets } from "../transfers/reads/open_bids.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import { amountOf } from "../books/address_books.ts";
import { Commitments } from "../wallets/funds.ts";
import type { Deps } from "../deps/deps.ts";

const BIDS_MAX = 10_000;

/** Whether each hot wallet can pay its signed and unmined transfers. */
export async function checkHotWallets(
  deps: Deps,
  { network, chain }: { network: NetworkRow; chain: Chain },
): Promise<Difference[]> {
  const bids = await openBidsOfHotWallets(deps.db, { network: network.code, limit: BIDS_MAX });
  if (bids.length === 0) return [];
  const catalog = await deps.catalog.current();
  const { block } = first(bids);
  const asked = [...Map.groupBy(bids, ({ sender }) => sender).values()].flatMap(committedBalances);
  const found = await chain.balancesAt(block, asked);
  return zip(asked, found).flatMap(([{ accountId, address, contract, committedRaw }, foundRaw]) => {
    if (foundRaw >= committedRaw) return [];
    const currency = present(catalog.currencyByContract(network.code, contract), "Currencies stay");
    return [{
      accountId,
      network: network.code,
      currency: currency.symbol,
      kind: "hot_wallet" as const,
      expected: amountOf(committedRaw, currency).toString(),
      found: amountOf(foundRaw, currency).toString(),
      detail: `hot wallet ${address} does not hold the ${currency.symbol} that its signed ` +
        `transfers may take, at block ${block.height}`,
    }];
  });
}

function committedBalances(bids: readonly OpenBid[]) {
  const { accountId, sender: address } = first(bids);
  const contracts = new Set(bids.map(({ contractAddress }) => contractAddress));
  contracts.add(null);
  const commitments = new Commitments(bids);
  return [...contracts].map((contract) => ({
    accountId,
    address,
    contract,
    committedRaw: commitments.of(contract),
  }));
}
