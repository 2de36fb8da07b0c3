import { lossAt } from "../books/lost_money.ts";
import type { Asset } from "../books/records.ts";
import { rulesOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { feeOf } from "../domain/money/fee.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { prepareJudging } from "../policies/judging.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import { type Read, read } from "../store/engine/workspace.ts";
import { isRestored } from "../wallets/halt.ts";
import { hotWalletOf } from "../wallets/reads/addresses.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import { booksOf, type Facts, type Order, type Priced } from "./hold.ts";

/** Everything that decides about an order, and what its unit has to read. */
export async function gatherFacts(
  deps: Deps,
  order: Order,
): Promise<{ facts: Facts; reads: Read[] }> {
  const catalog = deps.catalog.fresh() ?? await deps.catalog.current();
  const network = catalog.network(order.network);
  const currency = network && catalog.currency(network.code, order.currency);
  const asset = assetFields(order, { network, currency });
  const { payee, loss } = payeeOf(catalog, { network, toAddress: order.toAddress });
  const wallet = catalog.numberedFrom > 0 ? await hotWalletOf(deps.db, asset) : null;
  // A wallet that has yet to be created would be halted as well.
  const isUnsure = wallet !== null && (wallet === undefined || isRestored(wallet));
  const books = booksOf(deps, asset);
  const priced = price(order, { asset, currency });
  const recipient = payee ?? order.toAddress;
  const { keyId } = order.caller;
  const payment = () => ({
    ...{ ...asset, keyId, recipient, values: {} },
    amount: priced.amount.toString(),
  });
  const judging = await prepareJudging(deps, { payment });
  const own = payee === undefined ? undefined : read(Addresses, [asset.network, payee], "address");
  const known = { order, asset, network, currency, own, books, loss, isUnsure, judging };
  const isRefund = order.refunding !== undefined;
  const minimum = minimumOf({ network, currency, payee, isRefund, asset: priced.amount.asset });
  const facts = { ...known, ...priced, minimum };
  const more = order.refunding?.reads ?? [];
  return { facts, reads: [...books.all, ...judging.reads, ...own ? [own] : [], ...more] };
}

/** Fee and debit are based on the amount after truncation to the chain's decimals. */
function price(
  order: Order,
  { asset, currency }: { asset: Asset; currency: CurrencyRow | undefined },
): Priced {
  const name = assetOf(asset);
  if (!currency) return { amount: Amount.zero(name), fee: Amount.zero(name) };
  const amount = Amount.parse(order.amount, name).truncatedTo(currency.decimals);
  return { amount, fee: feeOf(amount, currency) };
}

/** A refund has none but the chain's. */
export function minimumOf(
  { network, currency, payee, isRefund, asset }: {
    network: NetworkRow | undefined;
    currency: CurrencyRow | undefined;
    payee: string | undefined;
    isRefund: boolean;
    asset: string;
  },
): Amount {
  if (!network || !currency) return Amount.zero(asset);
  const set = Amount.ofSetting(isRefund ? "0" : currency.minWithdrawalAmount, asset);
  if (payee === undefined || currency.contractAddress !== null) return set;
  const raw = rulesOf(network).dustRaw?.(payee) ?? 0n;
  const least = Amount.fromRaw(raw, { asset, decimals: currency.decimals });
  return set.isLessThan(least) ? least : set;
}

export function payeeOf(
  catalog: Catalog,
  { network, toAddress }: { network: NetworkRow | undefined; toAddress: string },
): { payee?: string; loss?: string | undefined } {
  if (!network) return {};
  const rules = rulesOf(network);
  if (!rules.isAddress(toAddress)) return {};
  const payee = rules.canonicalAddress(toAddress);
  return { payee, loss: lossAt(catalog, { network, address: payee }) };
}

function assetFields(
  order: Order,
  found: { network: NetworkRow | undefined; currency: CurrencyRow | undefined },
) {
  return {
    accountId: order.caller.accountId,
    network: found.network?.code ?? "",
    currency: found.currency?.symbol ?? "",
  };
}
