import type { Deps } from "../deps/deps.ts";
import type { World } from "./rules/world.ts";
import { isTestNetwork } from "./test_networks.ts";
import type { NetworkRow } from "./table.ts";
import type { Catalog } from "../store/engine/catalog.ts";
import { hotWalletOf } from "../wallets/reads/addresses.ts";

type Worldly = Pick<Deps, "db" | "catalog">;

interface Placed {
  readonly accountId: number;
  readonly network: string;
}

/**
 * Null: it is a test coin of an account that has real ones, so it is worth nothing. Without a real
 * network in the gateway, there is one world only.
 */
export async function worldOf(
  deps: Worldly,
  { accountId, network }: Placed,
): Promise<World | null> {
  const catalog = await deps.catalog.current();
  const row = catalog.network(network);
  if (!row || pricesOn(row, catalog) === "real") return "real";
  return await hasReal(deps, { accountId, catalog }) ? null : "test";
}

/** Which prices its coins have for whoever takes them for something. */
export function pricesOn(network: NetworkRow, catalog: Catalog): World {
  return isTestNetwork(network) && realNetworks(catalog).length > 0 ? "test" : "real";
}

/** Null if it has no test network either, or the gateway none at all. */
export async function worldOfAccount(deps: Worldly, accountId: number): Promise<World | null> {
  const catalog = await deps.catalog.current();
  const real = realNetworks(catalog);
  if (real.length === 0) return catalog.networks.length === 0 ? null : "test";
  if (real.length === catalog.networks.length) return "real";
  if (await hasReal(deps, { accountId, catalog })) return "real";
  const tests = catalog.networks.filter(isTestNetwork);
  return await hasAnyWallet(deps, { accountId, networks: tests }) ? "test" : null;
}

/** Of accounts that have test networks only, everything says so. */
export async function isTestAccount(deps: Worldly, accountId: number): Promise<boolean> {
  return await worldOfAccount(deps, accountId) === "test";
}

/** What a coin of this network means for the account; null: it has real networks only. */
export async function aboutWorlds(
  deps: Worldly,
  { accountId, network }: { accountId: number; network: NetworkRow },
): Promise<string | null> {
  const catalog = await deps.catalog.current();
  const used = await Promise.all(
    catalog.networks.map(async (row) =>
      await hasAnyWallet(deps, { accountId, networks: [row] }) ? [row] : []
    ),
  );
  const [tests, real] = [used.flat().filter(isTestNetwork), used.flat().filter(isReal)]
    .map((rows) => rows.map(({ code }) => code).join(", "));
  if (tests === "") return null;
  if (real === "") {
    return `Account ${accountId} has test networks only: everything works as if its coins were ` +
      "real, and says that it is a test";
  }
  return isTestNetwork(network)
    ? `Account ${accountId} has real coins too (${real}): coins of the test network ${network.code} ` +
      "are worth nothing there, and pay no invoice"
    : `Account ${accountId} has real coins now: from here on, coins of its test networks (${tests}) ` +
      "are worth nothing, and pay no invoice, not even one that offered them before";
}

function isReal(row: NetworkRow): boolean {
  return !isTestNetwork(row);
}

export function realNetworks({ networks }: Catalog): NetworkRow[] {
  return networks.filter(isReal);
}

/** Once a coin there was enabled, whatever was switched off since: it may be switched on again. */
async function hasReal(
  deps: Worldly,
  { accountId, catalog }: { accountId: number; catalog: Catalog },
): Promise<boolean> {
  return await hasAnyWallet(deps, { accountId, networks: realNetworks(catalog) });
}

async function hasAnyWallet(
  { db }: Worldly,
  { accountId, networks }: { accountId: number; networks: readonly NetworkRow[] },
): Promise<boolean> {
  const looks = networks.map(({ code }) => hotWalletOf(db, { accountId, network: code }));
  return (await Promise.all(looks)).some((wallet) => wallet !== undefined);
}
