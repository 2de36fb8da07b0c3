import type { BlockRef, Chain, Tip } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { rememberedBlocks } from "./reads.ts";
import { haltNetwork, rewindNetwork } from "./rewind_network.ts";
import { judgeReorganisation, type Reorganisation } from "./rules/reorganisation.ts";
import { type NetworkBlockRow, NetworkBlocks, type NetworkCursorRow } from "./table.ts";
import type { NetworkRow } from "../networks/table.ts";

interface TipFacts {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly last: BlockRef;
  readonly tip: Tip;
}

/**
 * If the tip isn't above the cursor, only its hash shows a reorganisation. A node that merely lags
 * has the same blocks, just fewer.
 */
export async function isBranchLost(
  deps: Deps,
  { network, chain, last, tip }: TipFacts,
): Promise<boolean> {
  if (tip.height > last.height) return false;
  if (tip.height === last.height) return tip.hash !== last.hash;
  const same = await deps.db.find(NetworkBlocks, [network.code, tip.height]);
  if (!same) return false;
  // Another backend of the same URL may lack that block, which contradicts nothing.
  const ref = await chain.refAt(tip.height);
  return ref !== undefined && ref.hash !== same.hash;
}

interface Branch {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly cursor: NetworkCursorRow;
  readonly tip: Tip;
}

/** Goes back to the last block that our branch shares with the node's, or halts the network. */
export async function walkBack(deps: Deps, branch: Branch): Promise<void> {
  const { network, cursor, tip } = branch;
  const found = await judgeBranch(deps, branch);
  const { scanHeight } = cursor;
  if (found.kind === "contradiction") {
    throw new NodeError(`${network.code}: the node contradicts itself about block ${scanHeight}`);
  }
  if (found.kind !== "rewind") {
    const reason =
      `${network.code} was reorganised below ${lostPart(found)}: nothing is credited ` +
      "until an operator has looked";
    return await haltNetwork(deps, { network: network.code, reason });
  }
  const heights = { toHeight: found.toHeight, fromHeight: scanHeight, tipHeight: tip.height };
  await rewindNetwork(deps, { network: network.code, ...heights });
}

async function judgeBranch(
  deps: Deps,
  { network, chain, cursor }: Branch,
): Promise<Reorganisation> {
  const remembered = await rememberedBlocks(deps.db, network.code);
  const hashes = await hashesBack(chain, remembered);
  return judgeReorganisation({
    remembered,
    hashAt: (height) => hashes.get(height),
    startHeight: network.startHeight,
    finalHeight: cursor.finalizedHeight,
  });
}

/** What the node has, from the newest block back to the first that both have. */
export async function hashesBack(
  chain: Chain,
  remembered: readonly NetworkBlockRow[],
): Promise<ReadonlyMap<number, string>> {
  const hashes = new Map<number, string>();
  for (const { height, hash } of remembered.toReversed()) {
    const theirs = await chain.refAt(height);
    if (theirs) hashes.set(height, theirs.hash);
    if (theirs?.hash === hash) break;
  }
  return hashes;
}

function lostPart(found: Exclude<Reorganisation, { kind: "contradiction" | "rewind" }>): string {
  return found.kind === "below_final"
    ? `its finalized block ${found.finalHeight}`
    : `everything remembered, from block ${found.lowest}`;
}
