import { present } from "../../base/assert.ts";
import { zip } from "../../base/lists.ts";
import { readAddress } from "./addresses.ts";
import type { BlockAt, Chain, ChainPayer, ChainReader } from "../chain.ts";
import { NodeError } from "../faults.ts";
import type { OutputBook } from "../outputs.ts";
import { answersOfEach } from "../pool/asking/answers.ts";
import { readAgreedBlocks } from "../pool/agreed_blocks.ts";
import { readIdentity } from "../pool/identity.ts";
import { openPool, type PoolSettings, SYSTEM_WAITING } from "../pool/open_pool.ts";
import { countWitnesses, readRef, readTip } from "../pool/tip.ts";
import { readBlocks } from "./blocks/read_blocks.ts";
import { INPUTS_MAX } from "./coins/choose.ts";
import { feeAt, sumOf } from "./coins/size.ts";
import { aboutNode, checkNode, headOn, identityOn, refOn } from "./heads.ts";
import { type BitcoinNode, openNode } from "./node/node.ts";
import { FEE_TARGET_BLOCKS, networkOf } from "./params.ts";
import { createPending } from "./mempool/pending.ts";
import { fatesOf } from "./mempool/fates.ts";
import { broadcast } from "./transfers/broadcast.ts";
import { gather, gatherAgain } from "./transfers/gather.ts";
import { createFeeMarket } from "./transfers/market.ts";
import {
  allot,
  coinsOf,
  prepareAgain,
  prepareTransfer,
  type Wallets,
} from "./transfers/prepare.ts";
import type { TransferRefused } from "../transfer.ts";
import { readSentBytes } from "./transfers/sent_bytes.ts";
import { signTransfer } from "./transfers/sign.ts";

export { bitcoinFamily } from "./family.ts";

/** A node looks through all unspent outputs once for them. */
const SCRIPTS_PER_SCAN = 10_000;
const SCAN_MS = 30 * 60_000;

const TOGETHER: TransferRefused = {
  kind: "refused",
  cause: "reverts",
  reason: "Addresses of this chain are emptied together",
};

/** For nodes that are only asked which chain they are on. */
const NO_BOOK: OutputBook = {
  unspentOf: () => Promise.reject(new Error("Its books aren't known")),
  heldAt: () => Promise.reject(new Error("Its books aren't known")),
  unminedAround: () => Promise.reject(new Error("Its books aren't known")),
  at: () => Promise.reject(new Error("Its books aren't known")),
};

export function connectBitcoin(
  settings: PoolSettings & {
    readonly outputs?: OutputBook | undefined;
    readonly finalBlocks?: number | null;
    readonly feeTarget?: number | null;
  },
): Chain {
  const { expected, outputs: book = NO_BOOK, waiting = SYSTEM_WAITING } = settings;
  const network = networkOf(expected?.chainId ?? "BTC");
  const finalBlocks = settings.finalBlocks ?? network.finalBlocks;
  const targetBlocks = settings.feeTarget ?? FEE_TARGET_BLOCKS;
  const pool = openPool<BitcoinNode>({
    open: openNode(network),
    identityOn,
    checkNode: (node) => checkNode(node, network),
    headOn: (node, asked) => headOn(node, asked, finalBlocks),
    refOn,
  }, settings);
  const market = createFeeMarket(pool, { clock: waiting.clock, targetBlocks });
  const wallets = { pool, network, code: expected?.code ?? "", book, market };
  return { ...readerOf(wallets), ...payerOf(wallets) };
}

function readerOf(wallets: Wallets): ChainReader {
  const { pool, network, code, book } = wallets;
  const heightOf = () => pool.followed?.height ?? 0;
  return {
    health: () => pool.health(() => null),
    identity: () => readIdentity(pool),
    tip: (options) => readTip(pool, options),
    quietForMs: () => null,
    refAt: (height) => readRef(pool, height),
    witnesses: (block) => countWitnesses(pool, block),
    // A block is read from the bytes that its hash commits to.
    finalView: (seen) => Promise.resolve(new Set(seen.map(({ txHash }) => txHash))),
    readBlocks: (range, watch) => {
      const reading = { range, watch, network, code, book };
      return readAgreedBlocks(pool, { range, readOn: (node) => readBlocks(node, reading) });
    },
    pending: createPending(wallets),
    fates: (block, outpoints) => fatesOf(pool, block, outpoints),
    canTrace: () => Promise.resolve(false),
    tokenDecimals: () => Promise.resolve(undefined),
    tokenTexts: () => Promise.resolve(undefined),
    walletState: async (address) => {
      const coins = await coinsOf(wallets, [address]);
      return { height: heightOf(), nonce: 0, nativeRaw: sumOf(coins), tokensRaw: new Map() };
    },
    held: async (asked) => {
      const coins = await coinsOf(wallets, asked.map(({ address }) => address));
      const byAddress = Map.groupBy(coins, ({ output }) => output.address);
      return asked.map(({ address }) => ({
        height: heightOf(),
        nativeRaw: sumOf(byAddress.get(address) ?? []),
        tokensRaw: new Map<string, bigint>(),
      }));
    },
    pendingNonce: (address) => countPending(wallets, address),
    balancesAt: (block, asked) => balancesAt(wallets, block, asked.map(({ address }) => address)),
    about: () => pool.read(aboutNode),
    scan: (addresses) => scan(wallets, addresses),
    areUsedAt: () => Promise.reject(new NodeError("Nodes of this chain know no addresses")),
  };
}

/** What a node confirms of the outputs in the books. */
async function balancesAt(
  { pool, book, code }: Wallets,
  { height, hash }: BlockAt,
  addresses: readonly string[],
): Promise<bigint[]> {
  const asked = { network: code, addresses: [...new Set(addresses)], height };
  const known = await book.heldAt(asked);
  // Those that a later block spends are known from that block.
  const outputs = known.filter(({ isSpentLater }) => !isSpentLater);
  const outpoints = outputs.map(({ txHash: txid, position: vout }) => ({ txid, vout }));
  const found = await pool.read(async (node) => {
    const found = await node.unspent(outpoints, { withMempool: false });
    if (found.every((one) => one !== undefined)) return found;
    // What isn't there may have been spent by a block that isn't read yet.
    const newest = await node.chainInfo();
    if (newest.hash === hash) return found;
    throw new NodeError(
      `${node.host} is at block ${newest.height}, and the books at ${height}: it can't say what ` +
        "was there",
    );
  }, { height });
  const there = outputs.filter(({ amountRaw }, i) => found[i]?.valueRaw === amountRaw);
  const held = new Map<string, bigint>();
  for (const { address, amountRaw } of [...known.filter((one) => one.isSpentLater), ...there]) {
    held.set(address, (held.get(address) ?? 0n) + amountRaw);
  }
  return addresses.map((address) => held.get(address) ?? 0n);
}

async function scan({ pool, network }: Wallets, addresses: readonly string[]): Promise<bigint[]> {
  const scripts = addresses.map((text) => present(readAddress(text, network), "It's ours").script);
  const held = new Map<string, bigint>();
  for (let from = 0; from < scripts.length; from += SCRIPTS_PER_SCAN) {
    const some = [...new Set(scripts.slice(from, from + SCRIPTS_PER_SCAN))];
    const scanned = await pool.read(async (node) => {
      const found = await node.scan(some, { timeoutMs: SCAN_MS });
      if (!found) {
        throw new NodeError(`${node.host} is looking for something else: try again later`);
      }
      return found;
    }, { lane: "bulk" });
    for (const { script, valueRaw } of scanned.outputs) {
      held.set(script, (held.get(script) ?? 0n) + valueRaw);
    }
  }
  return scripts.map((script) => held.get(script) ?? 0n);
}

/**
 * How many of its outputs only a transaction in no block spends, which the books didn't sign: what
 * any of the nodes has can still be mined.
 */
async function countPending({ pool, book, code }: Wallets, address: string): Promise<number> {
  const outputs = await book.unspentOf({ network: code, addresses: [address] });
  const outpoints = outputs.map(({ txHash: txid, position: vout }) => ({ txid, vout }));
  const made = outputs.filter(({ height }) => height === null);
  const answers = await pool.each(async (node) => {
    const inBlocks = await node.unspent(outpoints, { withMempool: false });
    const now = await node.unspent(outpoints, { withMempool: true });
    const waits = await node.mempoolEntries(made.map(({ txHash }) => txHash));
    const known = new Set(made.flatMap(({ txHash }, i) => waits[i] ? [txHash] : []));
    return zip(zip(outputs, inBlocks), now).filter(([[{ txHash }, before], after]) =>
      !after && (before || known.has(txHash))
    ).length;
  });
  return Math.max(...answersOfEach(answers));
}

function payerOf(wallets: Wallets): ChainPayer {
  const { pool, network: { hasMweb }, market } = wallets;
  return {
    paidLately: () => Promise.resolve(null),
    costNow: async (vsize) => feeAt((await market()).rateRaw, Number(vsize)),
    prepareTransfer: (request, price = {}) => prepareTransfer(wallets, { request, price }),
    prepareAgain: ({ isGathered, ...signed }, price = {}) =>
      (isGathered ? gatherAgain : prepareAgain)(wallets, signed, price),
    gathering: {
      outputsMax: INPUTS_MAX,
      prepare: (orders, options) => gather(wallets, orders, options),
    },
    allot: (prepared) => allot(wallets, prepared),
    prepareDrain: () => Promise.resolve(TOGETHER),
    collect: (orders) => Promise.resolve(orders.map(() => TOGETHER)),
    signTransfer,
    broadcast: (raw) => broadcast(pool, { raw, hasMweb }),
    // What happens to it is in blocks, which are read by us.
    outcome: () => Promise.resolve({ kind: "unseen" }),
    sentBytes: (txHash, block) => readSentBytes(wallets, txHash, block),
  };
}
