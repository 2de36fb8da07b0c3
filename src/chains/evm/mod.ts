import { type Clock, systemClock } from "../../base/clock.ts";
import type { Chain, ChainPayer, ChainReader } from "../chain.ts";
import type { FeeModel } from "../price.ts";
import { readAgreedBlocks } from "../pool/agreed_blocks.ts";
import type { Pool } from "../pool/endpoints.ts";
import { readIdentity } from "../pool/identity.ts";
import { openPool, type PoolSettings, SYSTEM_WAITING } from "../pool/open_pool.ts";
import { countWitnesses, readRef, readTip } from "../pool/tip.ts";
import { readBalancesAt } from "./balances_at.ts";
import { costNow } from "./transfers/cost.ts";
import { createBroadcaster } from "./transfers/broadcast.ts";
import { evmProtocol } from "./endpoints.ts";
import type { Rpc } from "./rpc.ts";
import { readFinalView } from "./blocks/final_view.ts";
import { createGasMarket, type PricedNode } from "./transfers/gas_market.ts";
import { readOutcome } from "./blocks/outcome.ts";
import { readPaidLately } from "./blocks/paid_lately.ts";
import { prepareDrain } from "./transfers/prepare_drain.ts";
import { prepareTransfer } from "./transfers/prepare_transfer.ts";
import { readBlocks } from "./blocks/read_blocks.ts";
import { readSentBytes } from "./transfers/sent_bytes.ts";
import { signTransfer } from "./transfers/sign_transfer.ts";
import { Tracer } from "./blocks/traces.ts";
import { createTrials } from "./transfers/trials.ts";
import { readFeedRounds } from "./price_feeds.ts";
import { readUsedAt } from "./used_at.ts";
import {
  readPendingNonce,
  readTokenDecimals,
  readTokenTexts,
  readWalletState,
} from "./wallet_state.ts";

export { evmFamily } from "./family.ts";

interface EvmOptions extends PoolSettings {
  readonly clock?: Clock;
  readonly feeModel?: FeeModel;
}

/** Polygon and its testnet leave the logs of bridge transactions out of the header's bloom. */
const BLOOM_LACKS_LOGS: ReadonlySet<string> = new Set(["137", "80002"]);

export function connectEvm(options: EvmOptions): Chain {
  const { clock = systemClock, feeModel = "l1", expected, waiting = SYSTEM_WAITING } = options;
  const pool = openPool(evmProtocol, options);
  const market = createGasMarket(pool, { clock, feeModel, expected });
  return { ...readerOf(pool), ...payerOf(pool, { market, ...createTrials(pool, waiting) }) };
}

function readerOf(pool: Pool<Rpc>): ChainReader {
  const tracer = new Tracer();
  const isBloomWhole = !BLOOM_LACKS_LOGS.has(pool.expected?.chainId ?? "");
  return {
    health: () => pool.health((host) => tracer.isTracing(host)),
    identity: () => readIdentity(pool),
    tip: (options) => readTip(pool, options),
    quietForMs: () => null,
    refAt: (height) => readRef(pool, height),
    witnesses: (block) => countWitnesses(pool, block),
    finalView: (seen) => readFinalView(pool, seen),
    readBlocks: (range, watch) => {
      const wanted = { range, watch, tracer, isBloomWhole };
      return readAgreedBlocks(pool, { range, readOn: (rpc) => readBlocks(rpc, wanted) });
    },
    canTrace: () => tracer.canTrace(pool, pool.quorum),
    tokenDecimals: (contract) => readTokenDecimals(pool, contract),
    tokenTexts: (contract) => readTokenTexts(pool, contract),
    walletState: (address, contracts, need) => readWalletState(pool, { address, contracts, need }),
    pendingNonce: (address) => readPendingNonce(pool, address),
    balancesAt: (block, asked) => readBalancesAt(pool, { block, asked }),
    areUsedAt: (block, addresses) => readUsedAt(pool, { block, addresses }),
    feedRounds: (feeds) => readFeedRounds(pool, feeds),
  };
}

function payerOf(pool: Pool<Rpc>, node: PricedNode): ChainPayer {
  const { quorum, expected } = pool;
  return {
    paidLately: () => readPaidLately(pool),
    costNow: async (gas, price = {}) => costNow(await node.market(), { gas, price }),
    prepareTransfer: (request, price = {}) => prepareTransfer(node, { request, price }),
    prepareDrain: (request, price = {}) => prepareDrain(node, { request, price }),
    signTransfer,
    broadcast: createBroadcaster(pool),
    outcome: (sent, { depth }) => readOutcome(pool, { sent, depth }),
    sentBytes: (txHash) => readSentBytes(pool, { txHash, quorum, chainId: expected?.chainId }),
  };
}
