import type { Identity, Tip } from "../chains/chain.ts";
import type { Deps } from "../deps/deps.ts";
import { type Preset, presetOn } from "./catalogue.ts";
import type { NetworkRow } from "./table.ts";

/** What the nodes of a network being added report about themselves. */
export interface NodeSeen {
  readonly identity: Identity;
  readonly tip: Tip;
  readonly canTrace: boolean;
  /** The catalogue's entry for that chain. */
  readonly preset: Preset | undefined;
  /** Networks that already use that chain. */
  readonly namesakes: readonly NetworkRow[];
}

export async function lookAtNode(
  deps: Deps,
  order: Pick<NetworkRow, "family" | "rpcUrls">,
): Promise<NodeSeen> {
  const chain = deps.chains.unverified(order);
  const identity = await chain.identity();
  const [tip, canTrace] = await Promise.all([chain.tip(), chain.canTrace()]);
  const { chainId } = identity;
  const { networks } = await deps.catalog.current();
  return {
    identity,
    tip,
    canTrace,
    preset: presetOn({ family: order.family, chainId }),
    namesakes: networks.filter((row) => row.family === order.family && row.chainId === chainId),
  };
}
