import { type Chain, type ReadBlock, TracesMissing } from "../chains/chain.ts";
import { ownedAddresses } from "../store/address_reads.ts";
import type { AddressRow, NetworkRow } from "../store/rows.ts";
import { raiseAlert } from "./_alerts.ts";
import { tellMissingTraces, usesTraces } from "./_use_traces.ts";
import type { Deps } from "./deps.ts";

export interface BlockRange {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly from: number;
  readonly to: number;
  /** How high the chain is, where it is known. */
  readonly tipHeight?: number;
}

export interface OwnedBlocks {
  readonly blocks: ReadBlock[];
  /** Every address of ours that they touch: one look-up for all. */
  readonly owned: Map<string, AddressRow>;
}

/** A full node has the state of so many blocks, and traces of no older ones. */
export const TRACED_BELOW_TIP_MAX = 64;

export async function readBlocks(deps: Deps, range: BlockRange): Promise<OwnedBlocks> {
  const traces = await usesTraces(deps, range);
  try {
    return await readWith(deps, { ...range, traces });
  } catch (error) {
    if (isOutOfReach(range, error)) {
      await tellUntraced(deps, range);
      return await readWith(deps, { ...range, traces: false });
    }
    await tellMissingTraces(deps, { ...range, error });
    throw error;
  }
}

/** With traces or without, and nobody is told of any that are missing. */
export async function readWith(
  deps: Deps,
  { network, chain, from, to, traces }: BlockRange & { traces: boolean },
): Promise<OwnedBlocks> {
  const catalog = await deps.catalog.current();
  const contracts = catalog.currencies
    .filter((row) => row.network === network.code && row.contractAddress !== null)
    .map((row) => row.contractAddress!);
  const owned = new Map<string, AddressRow>();
  const blocks = await chain.readBlocks({ from, to }, {
    contracts,
    traces,
    owned: async (addresses) => {
      const rows = await ownedAddresses(deps.db, { network: network.code, addresses });
      for (const row of rows) owned.set(row.address, row);
      return new Set(rows.map((row) => row.address));
    },
  });
  return { blocks, owned };
}

/** After an outage the node may have forgotten what it would trace by: waiting would not bring it back. */
function isOutOfReach({ network, from, tipHeight }: BlockRange, error: unknown): boolean {
  return network.traces === "auto" && tipHeight !== undefined &&
    from <= tipHeight - TRACED_BELOW_TIP_MAX && isForgotten(error);
}

/** With a quorum each node has said why it did not answer. */
function isForgotten(error: unknown): boolean {
  if (error instanceof TracesMissing) return error.isForgotten;
  const { cause } = error instanceof Error ? error : { cause: undefined };
  return Array.isArray(cause) && cause.length > 0 && cause.every(isForgotten);
}

async function tellUntraced(deps: Deps, { network, from, to }: BlockRange): Promise<void> {
  const { code } = network;
  deps.log.warn("blocks read without traces", { network: code, from, to });
  await raiseAlert(deps, {
    kind: "blocks_untraced",
    subject: `network:${code}`,
    message:
      `${code}: from block ${from} on some blocks were too old for the node's traces. Coins ` +
      'that contracts sent in them are found by "reconcile", or by a rescan with an archive node',
  });
}
