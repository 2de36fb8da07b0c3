import { type BalanceAsked, type BlockAt, NodeError } from "../chain.ts";
import type { Endpoints } from "../pool/endpoints.ts";
import { mapBounded } from "../pool/map_bounded.ts";
import { coinsOn } from "./account.ts";
import { hexOfAddress } from "./address.ts";
import type { TronBlock } from "./decode_block.ts";
import type { TronNode } from "./node.ts";
import { headerOn, newestOn } from "./refs.ts";
import { scanBlocks } from "./scan_blocks.ts";
import { balanceOn, readTransferLog } from "./trc20.ts";

const CALLS_AT_ONCE = 8;
/** Further than that the node is asked another time. */
const BLOCKS_BETWEEN_MAX = 100;

/**
 * Nodes tell the balances of now only. They are those of the block that was asked about where no block
 * since then touched them.
 */
export async function readBalancesAt(
  endpoints: Endpoints<TronNode>,
  { block, asked }: { block: BlockAt; asked: readonly BalanceAsked[] },
): Promise<bigint[]> {
  const slots = asked.map(({ address, contract }) => ({
    owner: hexOfAddress(address),
    contract: contract === null ? null : hexOfAddress(contract),
  }));
  return await endpoints.read(async (node) => {
    const there = await headerOn(node, block.height);
    if (there?.hash !== block.hash) {
      throw new NodeError(`${node.host} does not have block ${block.hash}`);
    }
    const balances = await mapBounded(slots, {
      concurrencyMax: CALLS_AT_ONCE,
      work: ({ owner, contract }) =>
        contract === null ? coinsOn(node, owner) : balanceOn(node, { owner, contract }),
    });
    const touched = await touchedSince(node, block);
    const changed = slots.find(({ owner, contract }) => touched.has(keyOf(owner, contract)));
    if (changed) {
      throw new NodeError(`A balance was used since block ${block.height}, and is not known there`);
    }
    return balances;
  }, { height: block.height });
}

async function touchedSince(
  node: TronNode,
  { height, hash }: BlockAt,
): Promise<ReadonlySet<string>> {
  const newest = await newestOn(node);
  if (newest.height <= height) {
    if (newest.hash === hash) return new Set();
    throw new NodeError(`${node.host} is at block ${newest.hash}, not at ${hash}`);
  }
  if (newest.height - height > BLOCKS_BETWEEN_MAX) {
    throw new NodeError(`Block ${height} is too far below ${newest.height} to tell its balances`);
  }
  const blocks = await scanBlocks(node, { from: height + 1, to: newest.height });
  if (blocks[0]!.header.parentHash !== hash) {
    throw new NodeError(`${node.host} no longer has block ${hash}`);
  }
  return new Set(blocks.flatMap(touchedBy));
}

/** Fees are part of it: whoever sends anything may hold less afterwards. */
function touchedBy({ txs }: TronBlock): string[] {
  return txs.flatMap(({ raw, info }) => [
    ...raw.owner === null ? [] : [keyOf(raw.owner, null)],
    ...raw.transfer ? [keyOf(raw.transfer.to, null)] : [],
    ...(info.inner ?? []).flatMap(({ from, to }) => [keyOf(from, null), keyOf(to, null)]),
    ...info.logs.flatMap((log) => {
      const move = readTransferLog(log);
      return move ? [keyOf(move.from, move.contract), keyOf(move.to, move.contract)] : [];
    }),
  ]);
}

function keyOf(owner: string, contract: string | null): string {
  return `${owner}/${contract ?? ""}`;
}
