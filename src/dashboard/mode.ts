import { isTestNetwork } from "../networks/test_networks.ts";
import { isLocalChain } from "../chains/registry.ts";
import type { NetworkRow } from "../networks/table.ts";

type Mode = "demo" | "test" | "live";

/** Live as soon as one chain has coins of value; undefined: there are no networks yet. */
export function modeOf(
  networks: readonly NetworkRow[],
  { isDemo }: { readonly isDemo: boolean },
): Mode | undefined {
  if (networks.length === 0) return undefined;
  if (!networks.every(isTestNetwork)) return "live";
  return isDemo ? "demo" : "test";
}

/** Nobody else uses its chains: a demo, or a developer's own nodes. */
export function isLocal(networks: readonly NetworkRow[]): boolean {
  return networks.length > 0 && networks.every(({ chainId }) => isLocalChain(chainId));
}
