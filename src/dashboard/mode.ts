import { isTestNetwork } from "../networks/test_networks.ts";
import { isLocalChain } from "../chains/registry.ts";
import type { NetworkRow } from "../networks/table.ts";

type Mode = "demo" | "testnet" | "live";

/** Live as soon as one chain has coins of value; undefined: there are no networks yet. */
export function modeOf(networks: readonly NetworkRow[]): Mode | undefined {
  if (networks.length === 0) return undefined;
  if (!networks.every(isTestNetwork)) return "live";
  return networks.every(({ chainId }) => isLocalChain(chainId)) ? "demo" : "testnet";
}
