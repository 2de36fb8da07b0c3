import { rulesOf } from "../chains/registry.ts";
import { isSameSymbol } from "../domain/money/symbols.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import type { DepositRequestRow } from "../wallets/tables/addresses.ts";
import type { PayoutOrder } from "../withdrawals/rules/fields.ts";
import { isSamePayout } from "../withdrawals/rules/same_payout.ts";
import type { WithdrawalRow } from "../withdrawals/table.ts";

/**
 * A repeated request gets what its first one created, whatever else it says. This header warns a
 * caller who gave one reference to two different orders.
 */
export type Replay = "same" | "different";

export function withdrawalReplay(
  catalog: Catalog,
  { asked, row }: { asked: PayoutOrder; row: WithdrawalRow },
): Replay {
  const decimals = catalog.currency(row.network, row.currency)?.decimals;
  const network = catalog.network(row.network);
  const rules = network && rulesOf(network);
  const spelled = (address: string) =>
    rules?.isAddress(address) ? rules.canonicalAddress(address) : address;
  return isSamePayout(row, asked, { decimals, spelled }) ? "same" : "different";
}

interface AskedAddress {
  readonly network: string;
  readonly currency: string;
  readonly userIdentifier: string | null;
}

export function depositReplay(asked: AskedAddress, row: DepositRequestRow): Replay {
  const isSame = isSameSymbol(asked.network, row.network) &&
    isSameSymbol(asked.currency, row.currency) && asked.userIdentifier === row.userIdentifier;
  return isSame ? "same" : "different";
}
