import { setNetwork } from "../../src/networks/set.ts";
import type { Litecoind } from "./nodes/litecoind.ts";
import { type BareWorld, startBareWorld } from "./world.ts";

interface LitecoinOptions {
  readonly nodes: readonly Litecoind[];
  readonly minConfirmations?: number;
  readonly quorum?: number;
  /** By default as many as the chain needs. */
  readonly finalBlocks?: number | null;
  /** Its worker is off by default: rounds are made by hand. */
  readonly isWorking?: boolean;
  readonly pollIntervalMs?: number;
}

/** A gateway that follows these nodes as LTC, from their newest block on. */
export async function startLitecoinWorld(
  {
    nodes,
    minConfirmations = 2,
    quorum = 1,
    isWorking = false,
    pollIntervalMs = 50,
    finalBlocks = null,
  }: LitecoinOptions,
): Promise<BareWorld> {
  const world = await startBareWorld({
    network: {
      ...{ code: "LTC", symbol: "LTC", family: "bitcoin", chainId: "LTC-REGTEST" },
      ...{ finality: "none", decimals: 8, minConfirmations, pollIntervalMs },
      rpcUrls: nodes.map(({ url }) => url),
      startHeight: await nodes[0]!.rpc("getblockcount"),
    },
    env: isWorking ? {} : { CPG_WORKER: "false" },
  });
  await setNetwork(world.deps, {
    ...{ code: "LTC", actor: "test" },
    change: { quorum, finalBlocks },
  });
  await world.round();
  return world;
}

/** The same, from its next block on or so many later. */
export async function startLitecoinLater(
  node: Litecoind,
  { later = 0 }: { later?: number } = {},
): Promise<BareWorld> {
  const height: number = await node.rpc("getblockcount");
  return await startBareWorld({
    network: {
      ...{ code: "LTC", symbol: "LTC", family: "bitcoin", finality: "none", decimals: 8 },
      ...{ chainId: "LTC-REGTEST", rpcUrls: [node.url], minConfirmations: 2 },
      startHeight: height + 1 + later,
    },
    env: { CPG_WORKER: "false" },
  });
}
