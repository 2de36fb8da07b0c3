import { chunksOf, last, zip } from "../../../base/lists.ts";
import { invariant, present } from "../../../base/assert.ts";
import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import type { HeightRange, ReadBlock, Watch } from "../../chain.ts";
import { NodeError } from "../../faults.ts";
import { COIN_LOGS, CoinLogs } from "./coin_logs.ts";
import type { EvmBlock, EvmTx } from "./decode_block.ts";
import { decodeReceipt, type EvmReceipt } from "./decode_receipt.ts";
import type { InnerPayment } from "./inner_payments.ts";
import {
  checkLinks,
  fetchBlocks,
  isWatchedTransfer,
  scanBlocks,
  type ScannedBlock,
} from "./scan_blocks.ts";
import type { BalancesAhead } from "./ask_ahead.ts";
import { readTransferLog } from "../erc20.ts";
import { checkReceiptBlock, receiptCalls } from "./_all_receipts.ts";
import { paidIn } from "./paid_lately.ts";
import type { Rpc } from "../rpc.ts";
import { workOff } from "../../pool/map_bounded.ts";
import type { Tracer } from "./traces.ts";
import { candidates, type InnerPayments, spendOf, touchedBy, transfersOf } from "./_payments.ts";

const BLOCKS_PER_BODY = 10;
const BODIES_AT_ONCE = 2;

/** The number of requests depends on what the blocks contain, never on how many addresses we own. */
export async function readBlocks(
  rpc: Rpc,
  { range, watch, tracer, coins = new CoinLogs(), isBloomWhole = true, onPaid }: {
    range: HeightRange;
    watch: Watch;
    tracer: Tracer;
    coins?: CoinLogs;
    isBloomWhole?: boolean;
    /** Before their receipts are asked for. */
    onPaid?: (paid: BalancesAhead) => void;
  },
): Promise<ReadBlock[]> {
  invariant(0 <= range.from && range.from <= range.to, `No range: ${range.from}..${range.to}`);
  // As a token's, they would credit coins twice.
  const contracts = watch.contracts.filter((contract) => contract !== COIN_LOGS);
  const { scanned, inner } = await scanAndTrace(rpc, {
    range,
    contracts,
    isBloomWhole,
    coins,
    tracer: watch.traces ? tracer : null,
  });
  const owned = await watch.owned([...await candidates(scanned, inner)]);
  const touched = await mapInPortions(scanned, (one) => touchedBy(one, { owned, inner }));
  if (watch.isCreditedAtOnce) onPaid?.(paidTokens(scanned, owned));
  const receiptOf = await readReceipts(rpc, { scanned, touched, contracts });
  return zip(scanned, touched).map(([{ block }, txs]) => ({
    ref: block.ref,
    atMs: block.atMs,
    transfers: txs.flatMap((tx) => transfersOf(tx, receiptOf, { owned, contracts, inner })),
    spends: txs.filter((tx) => owned.has(tx.from)).map((tx) => spendOf(tx, receiptOf)),
    paidRaw: paidIn(block),
  }));
}

interface Scanned {
  readonly scanned: readonly ScannedBlock[];
  readonly inner: InnerPayments;
}

/**
 * Traces each block as soon as it is there; waiting for the last one would leave the node idle. The
 * logs of a block and its traces are asked for at once.
 */
async function scanAndTrace(
  rpc: Rpc,
  { range: { from, to }, tracer, coins, ...options }: {
    range: HeightRange;
    contracts: readonly string[];
    isBloomWhole: boolean;
    coins: CoinLogs;
    tracer: Tracer | null;
  },
): Promise<Scanned> {
  const parts: ScannedBlock[][] = [];
  const inner = new Map<string, readonly InnerPayment[]>();
  const hasCoinLogs = (height: number) => coins.isKnownAt(rpc.host, height);
  const scan = { ...options, hasCoinLogs };
  const traceWith = (by: Tracer, block: EvmBlock) => async () => {
    for (const [txHash, payments] of await by.trace(rpc, block)) inner.set(txHash, payments);
  };
  const all = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const jobs = chunksOf(all, BLOCKS_PER_BODY).map((heights, i) => async () => {
    const blocks = await fetchBlocks(rpc, heights);
    jobs.push(async () => {
      parts[i] = await scanBlocks(rpc, { blocks, ...scan });
    });
    const untold = blocks.filter(({ ref }) => !hasCoinLogs(ref.height));
    if (tracer) jobs.push(...untold.map((block) => traceWith(tracer, block)));
  });
  await workOff(jobs, { atOnce: BODIES_AT_ONCE });
  const scanned = parts.flat();
  checkLinks(scanned);
  for (const block of scanned) {
    const logged = await coins.read(rpc, block);
    if (!logged) continue;
    for (const { hash } of block.block.txs) inner.set(hash, logged.get(hash) ?? []);
  }
  return { scanned, inner };
}

/** More are looked at together, when they are credited. */
const BALANCES_AHEAD_MAX = 20;

/** Of the newest block: the tokens that paid us in it. */
function paidTokens(scanned: readonly ScannedBlock[], owned: ReadonlySet<string>): BalancesAhead {
  const { block, logs } = last(scanned);
  const asked = logs.flatMap((log) => {
    const move = readTransferLog(log);
    return move && owned.has(move.to) ? [{ address: move.to, contract: log.contract }] : [];
  });
  return { block: block.ref, asked: asked.length > BALANCES_AHEAD_MAX ? [] : asked };
}

interface Touched {
  readonly scanned: readonly ScannedBlock[];
  readonly touched: readonly (readonly EvmTx[])[];
  readonly contracts: readonly string[];
}

async function readReceipts(
  rpc: Rpc,
  { scanned, touched, contracts }: Touched,
): Promise<Map<string, EvmReceipt>> {
  const known = scanned.flatMap(({ receipts = [] }) => receipts);
  const receipts = new Map(known.map((receipt) => [receipt.txHash, receipt]));
  const hashes = touched.flat().map((tx) => tx.hash).filter((hash) => !receipts.has(hash));
  const answers = await rpc.results(receiptCalls(hashes));
  const decoded = await mapInPortions(hashes, (hash, i) => decodeReceipt(answers[i], hash));
  for (const receipt of decoded) receipts.set(receipt.txHash, receipt);
  for (const [{ block, logs }, txs] of zip(scanned, touched)) {
    for (const tx of txs) {
      const receipt = present(receipts.get(tx.hash), "Each has its receipt");
      checkReceiptBlock(receipt, block);
      checkSameLogs(receipt, { logs, contracts });
    }
  }
  return receipts;
}

/** The node answered twice about the same logs; a difference means that one answer is wrong. */
function checkSameLogs(
  receipt: EvmReceipt,
  { logs, contracts }: { logs: ScannedBlock["logs"]; contracts: readonly string[] },
): void {
  const inBlock = logs.filter((log) => log.txHash === receipt.txHash).map((log) => log.index);
  const inReceipt = receipt.logs.filter((log) => isWatchedTransfer(log, contracts))
    .map((log) => log.index);
  if (new Set(inBlock).symmetricDifference(new Set(inReceipt)).size === 0) return;
  throw new NodeError(`The receipt of ${receipt.txHash} has other transfers than its block`);
}
