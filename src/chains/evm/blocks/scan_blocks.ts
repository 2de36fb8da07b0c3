import { zip } from "../../../base/lists.ts";
import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import { NodeError } from "../../faults.ts";
import { bloomKey, bloomOf, isEmptyBloom, mayContain } from "./bloom.ts";
import { hexOf, list } from "../decode.ts";
import { COIN_LOGS } from "./coin_logs.ts";
import { decodeBlock, type EvmBlock } from "./decode_block.ts";
import { decodeLog, type EvmLog, type EvmReceipt } from "./decode_receipt.ts";
import { TRANSFER_TOPIC } from "../erc20.ts";
import type { Rpc, RpcCall } from "../rpc.ts";
import { readAllReceipts } from "./_all_receipts.ts";

export interface ScannedBlock {
  readonly block: EvmBlock;
  /** Of tokens. */
  readonly logs: readonly EvmLog[];
  /** Of coins, where the chain has them. */
  readonly coinLogs: readonly EvmLog[];
  /** All of them, if they had to prove that there are no logs. */
  readonly receipts?: readonly EvmReceipt[] | undefined;
}

interface Scan {
  readonly blocks: readonly EvmBlock[];
  readonly contracts: readonly string[];
  /** Whether this block's coins are in its logs for sure, so that none must be missing. */
  hasCoinLogs(height: number): boolean;
  /** False on chains whose headers' blooms may lack logs. */
  readonly isBloomWhole: boolean;
}

/** Blocks that the node has just shown aren't asked for again. */
export async function fetchBlocks(rpc: Rpc, heights: readonly number[]): Promise<EvmBlock[]> {
  const seen = new Map(heights.map((height) => [height, rpc.memory.take(height)]));
  const unseen = heights.filter((height) => seen.get(height) === undefined);
  const answers = await rpc.results(
    unseen.map((n) => ({ method: "eth_getBlockByNumber", params: [hexOf(n), true] })),
  );
  for (const [height, answer] of zip(unseen, answers)) seen.set(height, answer);
  const answered = heights.map((height) => [seen.get(height), height] as const);
  return await mapInPortions(answered, ([answer, at]) => decodeBlock(answer, at));
}

export async function scanBlocks(
  rpc: Rpc,
  { blocks, contracts, isBloomWhole, hasCoinLogs }: Scan,
): Promise<ScannedBlock[]> {
  const watched = withCoins(contracts);
  const provedOf = ({ ref }: EvmBlock) => hasCoinLogs(ref.height) ? watched : contracts;
  const areAllAsked = !isBloomWhole && contracts.length > 0;
  const asked = blocks.filter((block) =>
    areAllAsked || mayHaveLogs(block.bloom, [COIN_LOGS]) || isInDoubt(block, provedOf(block))
  );
  const logsOf = await readLogs(rpc, { blocks: asked, contracts: watched, provedOf });
  return blocks.map((block) => {
    const { logs = [], receipts } = logsOf.get(block) ?? {};
    const { true: coinLogs = [], false: others = [] } = Object.groupBy(
      logs,
      ({ contract }) => `${contract === COIN_LOGS}` as const,
    );
    return { block, logs: others, coinLogs, receipts };
  });
}

/** Asked for together, because it costs nothing where a chain has none. */
export function withCoins(contracts: readonly string[]): string[] {
  return [...contracts, COIN_LOGS];
}

/** Whether only the block's receipts could prove that it has no logs of these contracts. */
function isInDoubt({ bloom, txs }: EvmBlock, contracts: readonly string[]): boolean {
  if (contracts.length === 0) return false;
  return isEmptyBloom(bloom) ? txs.length > 0 : mayHaveLogs(bloom, contracts);
}

type Logs = Pick<ScannedBlock, "logs" | "receipts">;

/** A block of few transactions takes no longer if its receipts are asked for before they are needed. */
const FEW_TXS = 50;

async function readLogs(
  rpc: Rpc,
  { blocks, contracts, provedOf }: {
    blocks: readonly EvmBlock[];
    contracts: readonly string[];
    /** Those of which it must be proved that a block has no logs. */
    provedOf(block: EvmBlock): readonly string[];
  },
): Promise<Map<EvmBlock, Logs>> {
  // Nearly always such a block has no logs, which only its receipts prove.
  const likely = blocks.filter(({ bloom, txs }) => isEmptyBloom(bloom) && txs.length <= FEW_TXS);
  const [answers, early] = await Promise.all([
    askLogs(rpc, { blocks, contracts }),
    readAllReceipts(rpc, likely),
  ]);
  const found = new Map<EvmBlock, Logs>();
  for (const [block, answer] of zip(blocks, answers)) {
    const logs = await mapInPortions(list(answer, "logs"), decodeLog);
    checkLogs(logs, { block, contracts });
    found.set(block, { logs, receipts: early.get(block) });
  }
  // A lagging backend may answer [] for a block it doesn't have, so emptiness needs a proof.
  const silent = blocks.filter((block) =>
    found.get(block)?.logs.length === 0 && isInDoubt(block, provedOf(block))
  );
  const late = await readAllReceipts(rpc, silent.filter((block) => !early.has(block)));
  for (const block of silent) {
    const receipts = early.get(block) ?? late.get(block) ?? [];
    const logs = receipts.flatMap((receipt) => receipt.logs);
    await checkExplained(block, { logs, contracts: provedOf(block) });
    found.set(block, { logs: logs.filter((log) => isWatchedTransfer(log, contracts)), receipts });
  }
  return found;
}

/** What was asked ahead is asked again if it failed. */
async function askLogs(
  rpc: Rpc,
  { blocks, contracts }: { blocks: readonly EvmBlock[]; contracts: readonly string[] },
): Promise<unknown[]> {
  const { ahead } = rpc.memory;
  const isAhead = ahead?.logs !== undefined && blocks.length === 1 &&
    blocks[0]?.ref.hash === ahead.hash && ahead.contracts.join() === contracts.join();
  if (isAhead) {
    const answer = await ahead.logs.catch(() => undefined);
    if (answer !== undefined) return [answer];
  }
  return await rpc.results(blocks.map(({ ref }) => logsCall(ref.hash, contracts)));
}

export function logsCall(blockHash: string, contracts: readonly string[]): RpcCall {
  return {
    method: "eth_getLogs",
    params: [{ blockHash, address: contracts, topics: [TRANSFER_TOPIC] }],
  };
}

/** Whether there is something to ask about, as far as a header says. */
export function mayHaveLogs(bloom: string, contracts: readonly string[]): boolean {
  return mayContain(bloom, bloomKey(TRANSFER_TOPIC)) &&
    contracts.some((contract) => mayContain(bloom, bloomKey(contract)));
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
