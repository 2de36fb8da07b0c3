import type { AccountRow } from "../../accounts/tables/accounts.ts";
import { accountOf } from "../../dashboard/parts/account.tsx";
import { BASE, NotFound, type Visit } from "../../dashboard/visit.ts";
import { monthOf } from "../../domain/money/period.ts";
import type { CurrencyRow } from "../../networks/table.ts";

export const ASSET_PATH = "/balances/:network/:symbol";

export interface OneAsset {
  readonly account: AccountRow;
  readonly currency: CurrencyRow;
}

/**
 * The currency of the path, of the merchant's account or the one that the operator chose. Undefined:
 * none is chosen yet.
 */
export async function assetOfPage(visit: Visit): Promise<OneAsset | undefined> {
  const catalog = await visit.deps.catalog.current();
  const currency = catalog.currency(visit.param("network"), visit.param("symbol"));
  if (!currency) throw new NotFound();
  const account = await accountOf(visit);
  return account && { account, currency };
}

interface Linked {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
}

/** A page about one balance, with the account if an operator may look at several. */
export function balanceUrl(
  visit: Visit,
  { accountId, network, currency }: Linked,
  { page = "", period }: { page?: string; period?: string } = {},
): string {
  const query = new URLSearchParams();
  if (visit.seesAll) query.set("account", String(accountId));
  if (period !== undefined) query.set("period", period);
  const text = query.toString();
  const asset = `${encodeURIComponent(network)}/${encodeURIComponent(currency)}`;
  return `${BASE}/balances/${asset}${page}${text === "" ? "" : `?${text}`}`;
}

/** What a ledger shows if no period was chosen. */
export function thisMonth({ nowMs }: Visit): string {
  return monthOf(nowMs);
}
