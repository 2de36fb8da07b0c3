import { zip } from "../../../base/lists.ts";
import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import { NodeError } from "../../faults.ts";
import { bloomKey, bloomOf, isEmptyBloom, mayContain } from "./bloom.ts";
import { hexOf, list } from "../decode.ts";
import { decodeBlock, type EvmBlock } from "./decode_block.ts";
import { decodeLog, type EvmLog } from "./decode_receipt.ts";
import { TRANSFER_TOPIC } from "../erc20.ts";
import type { Rpc } from "../rpc.ts";
import { readAllReceipts } from "./_all_receipts.ts";

export interface ScannedBlock {
  readonly block: EvmBlock;
  readonly logs: readonly EvmLog[];
}

interface Scan {
  readonly heights: readonly number[];
  readonly contracts: readonly string[];
  /** False on chains whose headers' blooms may lack logs. */
  readonly isBloomWhole: boolean;
}

export async function scanBlocks(
  rpc: Rpc,
  { heights, contracts, isBloomWhole }: Scan,
): Promise<ScannedBlock[]> {
  const seen = new Map(heights.map((height) => [height, rpc.memory.take(height)]));
  const unseen = heights.filter((height) => seen.get(height) === undefined);
  const answers = await rpc.results(
    unseen.map((n) => ({ method: "eth_getBlockByNumber", params: [hexOf(n), true] })),
  );
  for (const [height, answer] of zip(unseen, answers)) seen.set(height, answer);
  const answered = heights.map((height) => [seen.get(height), height] as const);
  const blocks = await mapInPortions(answered, ([answer, at]) => decodeBlock(answer, at));
  const asked = contracts.length === 0
    ? []
    : isBloomWhole
    ? blocks.filter(doubtAbout(contracts))
    : blocks;
  const logsOf = await readLogs(rpc, { blocks: asked, contracts });
  return blocks.map((block) => ({ block, logs: logsOf.get(block) ?? [] }));
}

/** Whether only the block's receipts could prove that it has no matching logs. */
function doubtAbout(contracts: readonly string[]): (block: EvmBlock) => boolean {
  const topicKey = bloomKey(TRANSFER_TOPIC);
  const contractKeys = contracts.map(bloomKey);
  return ({ bloom, txs }) => {
    if (isEmptyBloom(bloom)) return txs.length > 0;
    return mayContain(bloom, topicKey) && contractKeys.some((key) => mayContain(bloom, key));
  };
}

async function readLogs(
  rpc: Rpc,
  { blocks, contracts }: { blocks: readonly EvmBlock[]; contracts: readonly string[] },
): Promise<Map<EvmBlock, readonly EvmLog[]>> {
  const answers = await rpc.results(blocks.map(({ ref }) => ({
    method: "eth_getLogs",
    params: [{ blockHash: ref.hash, address: contracts, topics: [TRANSFER_TOPIC] }],
  })));
  const found = new Map<EvmBlock, readonly EvmLog[]>();
  for (const [block, answer] of zip(blocks, answers)) {
    const logs = await mapInPortions(list(answer, "logs"), decodeLog);
    checkLogs(logs, { block, contracts });
    found.set(block, logs);
  }
  // A lagging backend may answer [] for a block it doesn't have, so emptiness needs a proof.
  const isInDoubt = doubtAbout(contracts);
  const silent = blocks.filter((block) => found.get(block)?.length === 0 && isInDoubt(block));
  for (const [block, receipts] of await readAllReceipts(rpc, silent)) {
    const logs = receipts.flatMap((receipt) => receipt.logs);
    await checkExplained(block, { logs, contracts });
    found.set(block, logs.filter((log) => isWatchedTransfer(log, contracts)));
  }
  return found;
}

/** If the logs are complete, they explain every bit that the bloom sets for a contract. */
async function checkExplained(
  { bloom, ref }: EvmBlock,
  { logs, contracts }: { logs: readonly EvmLog[]; contracts: readonly string[] },
): Promise<void> {
  const values = logs.flatMap(({ contract, topics }) => [contract, ...topics]);
  const logged = await bloomOf(new Set(values));
  for (const key of [TRANSFER_TOPIC, ...contracts].map(bloomKey)) {
    if (!mayContain(bloom, key) || mayContain(logged, key)) continue;
    throw new NodeError(`Block ${ref.height} promises logs that its receipts do not have`);
  }
}

export function isWatchedTransfer(log: EvmLog, contracts: readonly string[]): boolean {
  return log.topics[0] === TRANSFER_TOPIC && contracts.includes(log.contract);
}

function checkLogs(
  logs: readonly EvmLog[],
  { block, contracts }: { block: EvmBlock; contracts: readonly string[] },
): void {
  const { hash, height } = block.ref;
  const hashes = new Set(block.txs.map((tx) => tx.hash));
  const areOurs = logs.every((log) =>
    log.blockHash === hash && log.height === height && hashes.has(log.txHash) &&
    isWatchedTransfer(log, contracts)
  );
  const areDistinct = new Set(logs.map((log) => log.index)).size === logs.length;
  if (!areOurs || !areDistinct) {
    throw new NodeError(`The logs of block ${height} are foreign or double`);
  }
}

export function checkLinks(scanned: readonly ScannedBlock[]): void {
  for (const [{ block: before }, { block }] of zip(scanned.slice(0, -1), scanned.slice(1))) {
    if (block.ref.parentHash === before.ref.hash) continue;
    throw new NodeError(`Block ${block.ref.height} does not follow the one before it`);
  }
}
