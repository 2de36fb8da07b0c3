import { rulesOf } from "../chains/registry.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { Catalog } from "../store/engine/catalog.ts";

/** Why money sent to this canonical address is lost; undefined if somebody can spend it. */
export function lossAt(
  catalog: Catalog,
  { network, address }: { network: NetworkRow; address: string },
): string | undefined {
  if (address === rulesOf(network).nobody) {
    return "belongs to nobody: what is sent there is lost";
  }
  const token = catalog.currencyByContract(network.code, address);
  return token && `is the contract of ${token.symbol} itself: what is sent there is lost`;
}
