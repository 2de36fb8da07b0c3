import { raiseAlert } from "../books/alerts.ts";
import type { Chain, ReadBlock } from "../chains/chain.ts";
import type { PushedHead } from "../chains/head_socket.ts";
import { TracesMissing } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import type { OwnedBlocks } from "./ahead.ts";
import { alertMissingTraces, usesTraces } from "./use_traces.ts";
import { watchedAmong } from "../deposits/reads/inputs.ts";
import { genuineSetUp } from "../integrity/genuine_set_up.ts";
import type { NetworkRow } from "../networks/table.ts";
import { sourceOf } from "../wallets/rules/key_path.ts";
import { ownedAddresses } from "../wallets/reads/addresses.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

export interface BlockRange {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly from: number;
  readonly to: number;
  /** The chain's height, if known. */
  readonly tipHeight?: number;
}

/** A full node keeps the state of this many blocks and can't trace older ones. */
export const TRACED_BELOW_TIP_MAX = 64;

export async function readBlocks(deps: Deps, range: BlockRange): Promise<OwnedBlocks> {
  const traces = await usesTraces(deps, range);
  try {
    return await readWith(deps, { ...range, traces });
  } catch (error) {
    const why = whyUntraceable(range, error);
    if (why !== undefined) {
      await alertUntraced(deps, range, why);
      return await readWith(deps, { ...range, traces: false });
    }
    await alertMissingTraces(deps, { ...range, error });
    throw error;
  }
}

/** So that a pushed block is asked about while the nodes are asked for their newest ones. */
export async function expectBlock(
  deps: Deps,
  { network, chain, pushed }: Pick<BlockRange, "network" | "chain"> & { pushed: PushedHead },
): Promise<void> {
  if (!chain.expectBlock) return;
  const traces = await usesTraces(deps, { network, chain });
  chain.expectBlock(pushed, { contracts: await contractsOf(deps, network), traces });
}

async function contractsOf(deps: Deps, network: NetworkRow): Promise<string[]> {
  const catalog = await genuineSetUp(deps, network);
  return catalog.currencies
    .flatMap((row) => row.network === network.code ? row.contractAddress ?? [] : []);
}

/** With or without traces; missing ones raise no alert. */
export async function readWith(
  deps: Deps,
  { network, chain, from, to, traces }: BlockRange & { traces: boolean },
): Promise<OwnedBlocks> {
  const contracts = await contractsOf(deps, network);
  const owned = new Map<string, AddressRow>();
  const blocks = await chain.readBlocks({ from, to }, {
    contracts,
    traces,
    isCreditedAtOnce: network.minConfirmations === 1,
    owned: async (addresses) => {
      const rows = await ownedAddresses(deps.db, { network: network.code, addresses });
      for (const row of rows) owned.set(row.address, row);
      return new Set(rows.map((row) => row.address));
    },
    watched: (outpoints) => watchedAmong(deps.db, { network: network.code, outpoints }),
  });
  return { blocks: blocks.map((block) => withoutOthers(block, owned)), owned };
}

/** What addresses of a merchant's own key hold and spend is in the merchant's wallet. */
function withoutOthers(block: ReadBlock, owned: ReadonlyMap<string, AddressRow>): ReadBlock {
  const { outputs } = block;
  if (!outputs) return block;
  const isOurs = (address: string) => {
    const row = owned.get(address);
    return row === undefined || sourceOf(row) === "seed";
  };
  return {
    ...block,
    outputs: outputs.filter(({ address }) => isOurs(address)),
    spends: block.spends.filter(({ from }) => isOurs(from)),
  };
}

/** Undefined: waiting may bring the traces back. */
function whyUntraceable(range: BlockRange, error: unknown): string | undefined {
  if (isOutOfReach(range, error)) {
    return `from block ${range.from} on some blocks were too old for the node's traces`;
  }
  return isTooMuch(range, error)
    ? `the traces of block ${range.from} are too large for one answer of a node`
    : undefined;
}

/**
 * After an outage, nodes may have pruned the state needed for tracing, and waiting won't bring it
 * back.
 */
function isOutOfReach(range: BlockRange, error: unknown): boolean {
  return isLeftBehind(range) && isEach(error, ({ isForgotten }) => isForgotten);
}

/** A block is traced alone before giving up, so that one oversized block can't stop all that follow. */
function isTooMuch(range: BlockRange, error: unknown): boolean {
  if (range.from !== range.to) return false;
  return isEach(error, ({ excess }) => excess === "size") ||
    (isLeftBehind(range) && isEach(error, ({ excess }) => excess !== undefined));
}

function isLeftBehind({ network, from, tipHeight }: BlockRange): boolean {
  return network.traces === "auto" && tipHeight !== undefined &&
    from <= tipHeight - TRACED_BELOW_TIP_MAX;
}

/** With a quorum, each node has given its own reason. */
function isEach(error: unknown, isSo: (missing: TracesMissing) => boolean): boolean {
  if (error instanceof TracesMissing) return isSo(error);
  const { cause } = error instanceof Error ? error : { cause: undefined };
  return Array.isArray(cause) && cause.length > 0 && cause.every((one) => isEach(one, isSo));
}

async function alertUntraced(
  deps: Deps,
  { network, from, to }: BlockRange,
  why: string,
): Promise<void> {
  const { code } = network;
  deps.log.warn("blocks read without traces", { network: code, from, to });
  await raiseAlert(deps, {
    kind: "blocks_untraced",
    subject: `network:${code}`,
    message: `${code}: ${why}`,
    advice: { code: "reconcile_untraced" },
  });
}
