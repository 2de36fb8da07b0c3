import type { Catalog } from "../../store/engine/catalog.ts";
import { Currencies, type NetworkRow, Networks } from "../../store/tables/setup.ts";
import { genuine } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";

/**
 * What blocks are read by. By another contract or other decimals they would say other sums, and what
 * was once credited by them would look as if it were right: until then they are not read at all.
 */
export async function genuineSetUp(deps: Deps, network: NetworkRow): Promise<Catalog> {
  const catalog = await deps.catalog.current();
  await genuine(deps, Networks, [network]);
  await genuine(
    deps,
    Currencies,
    catalog.currencies.filter((row) => row.network === network.code),
  );
  return catalog;
}
