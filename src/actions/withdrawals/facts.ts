import { familyOf } from "../../chains/registry.ts";
import { Amount } from "../../domain/money/amount.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import { type Read, read } from "../../store/engine/workspace.ts";
import { hotWalletOf } from "../../store/reads/addresses.ts";
import { Addresses } from "../../store/tables/addresses.ts";
import type { CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";
import { lossAt } from "../books/lost_money.ts";
import { prepareJudging } from "../policies/judging.ts";
import { paymentOf } from "../policies/payment.ts";
import { isRestored } from "../wallets/halt.ts";
import type { Deps } from "../deps.ts";
import { booksOf, type Facts, type Order } from "./hold.ts";

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
  const payment = () => paymentOf(catalog, resolved(order, { asset, currency }));
  const judging = await prepareJudging(deps, { payment });
  const own = payee === undefined ? undefined : read(Addresses, [asset.network, payee], "address");
  const facts = { order, asset, network, currency, own, books, loss, isUnsure, judging };
  const more = order.refunding?.reads ?? [];
  return { facts, reads: [...books.all, ...judging.reads, ...own ? [own] : [], ...more] };
}

/** As the rules see it: with the network's own names, and the amount that is really paid. */
function resolved(
  { caller: { accountId, keyId }, toAddress, amount }: Order,
  { asset, currency }: { asset: ReturnType<typeof assetFields>; currency: CurrencyRow | undefined },
) {
  const { network, currency: symbol } = asset;
  const paid = Amount.parse(amount, "").truncatedTo(currency?.decimals ?? 0).toString();
  return { accountId, keyId, network, currency: symbol, toAddress, amount: paid };
}

export function payeeOf(
  catalog: Catalog,
  { network, toAddress }: { network: NetworkRow | undefined; toAddress: string },
): { payee?: string; loss?: string | undefined } {
  if (!network) return {};
  const family = familyOf(network.family);
  if (!family.isAddress(toAddress)) return {};
  const payee = family.canonicalAddress(toAddress);
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
