import type { WithdrawalInput } from "../withdrawals/hold.ts";
import { rulesOf } from "../chains/registry.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import type { DepositRequestRow } from "../wallets/tables/addresses.ts";
import type { WithdrawalRow } from "../withdrawals/table.ts";

/**
 * A repeated request gets what its first one created, whatever else it says. This header warns a
 * caller who gave one reference to two different orders.
 */
export type Replay = "same" | "different";

interface Asked {
  readonly network: string;
  readonly currency: string;
}

export function withdrawalReplay(
  catalog: Catalog,
  { asked, row }: { asked: Omit<WithdrawalInput, "caller">; row: WithdrawalRow },
): Replay {
  const decimals = catalog.currency(row.network, row.currency)?.decimals;
  const wanted = Amount.parse(asked.amount, assetOf(row));
  const amount = decimals === undefined ? wanted : wanted.truncatedTo(decimals);
  const isSame = isSameAsset(asked, row) && amount.equals(Amount.parse(row.amount, assetOf(row))) &&
    isSameAddress(catalog, { asked: asked.toAddress, row });
  return isSame ? "same" : "different";
}

export function depositReplay(
  asked: Asked & { readonly userIdentifier: string | null },
  row: DepositRequestRow,
): Replay {
  const isSame = isSameAsset(asked, row) && asked.userIdentifier === row.userIdentifier;
  return isSame ? "same" : "different";
}

/** Codes match in any case. */
function isSameAsset(asked: Asked, row: Asked): boolean {
  return asked.network.toLowerCase() === row.network.toLowerCase() &&
    asked.currency.toLowerCase() === row.currency.toLowerCase();
}

/** In whichever spelling. */
function isSameAddress(
  catalog: Catalog,
  { asked, row }: { asked: string; row: WithdrawalRow },
): boolean {
  if (asked === row.toAddress) return true;
  const network = catalog.network(row.network);
  const rules = network && rulesOf(network);
  if (!rules?.isAddress(asked) || !rules.isAddress(row.toAddress)) return false;
  return rules.canonicalAddress(asked) === rules.canonicalAddress(row.toAddress);
}
