import { isLocalChain } from "../domain/network_health.ts";
import type { NetworkRow } from "../store/tables/setup.ts";

type Mode = "demo" | "testnet" | "live";

const TESTNETS: ReadonlySet<string> = new Set([
  "97",
  "17000",
  "43113",
  "80002",
  "84532",
  "421614",
  "560048",
  "11155111",
  "11155420",
  "2494104990",
  "3448148188",
]);

/** Live as soon as one chain has coins of value; undefined: there are no networks yet. */
export function modeOf(networks: readonly NetworkRow[]): Mode | undefined {
  const ids = networks.filter(({ isActive }) => isActive).map(({ chainId }) => chainId);
  if (ids.length === 0) return undefined;
  if (ids.every(isLocalChain)) return "demo";
  return ids.every((id) => isLocalChain(id) || TESTNETS.has(id)) ? "testnet" : "live";
}
