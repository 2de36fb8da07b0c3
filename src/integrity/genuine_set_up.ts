import { genuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { Currencies, type NetworkRow, Networks } from "../networks/table.ts";
import type { Catalog } from "../store/engine/catalog.ts";

/**
 * The configuration by which blocks are read. With another contract or other decimals, amounts
 * would be different, and credits booked by them would look right. So blocks are not read until it
 * is genuine.
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
