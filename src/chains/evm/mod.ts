import { type Clock, sleep, systemClock } from "../../base/clock.ts";
import type { Chain } from "../chain.ts";
import type { FeeModel } from "../price.ts";
import { readAgreedBlocks } from "../pool/agreed_blocks.ts";
import type { EndpointOptions } from "../pool/endpoint.ts";
import { Pool } from "../pool/endpoints.ts";
import { readIdentity } from "../pool/identity.ts";
import type { ExpectedIdentity } from "../pool/shown_identity.ts";
import { countWitnesses, readRef, readTip } from "../pool/tip.ts";
import { readBalancesAt } from "./balances_at.ts";
import { costNow } from "./transfers/cost.ts";
import { createBroadcaster } from "./transfers/broadcast.ts";
import { evmProtocol } from "./endpoints.ts";
import { readFinalView } from "./blocks/final_view.ts";
import { createGasMarket } from "./transfers/gas_market.ts";
import { readOutcome } from "./blocks/outcome.ts";
import { readPaidLately } from "./blocks/paid_lately.ts";
import { prepareDrain } from "./transfers/prepare_drain.ts";
import { prepareTransfer } from "./transfers/prepare_transfer.ts";
import { readBlocks } from "./blocks/read_blocks.ts";
import { readSentBytes } from "./transfers/sent_bytes.ts";
import { signTransfer } from "./transfers/sign_transfer.ts";
import { createTracer } from "./blocks/traces.ts";
import { createTrials } from "./transfers/trials.ts";
import { readUsedAt } from "./used_at.ts";
import {
  readPendingNonce,
  readTokenDecimals,
  readTokenTexts,
  readWalletState,
} from "./wallet_state.ts";

export { evmFamily } from "./family.ts";

interface EvmOptions {
  readonly rpcUrls: readonly string[];
  readonly fetch?: typeof fetch;
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  readonly feeModel?: FeeModel;
  /** The system's own by default. */
  readonly waiting?: Pick<EndpointOptions, "clock" | "sleep">;
  readonly log?: EndpointOptions["log"];
  /** How many endpoints must read a block alike; 1 by default. */
  readonly quorum?: number;
  /** An endpoint on another chain is not used. */
  readonly expected?: ExpectedIdentity;
}

const TIMEOUT_MS = 15_000;

/** Polygon and its testnet leave the logs of bridge transactions out of the header's bloom. */
const BLOOM_LACKS_LOGS: ReadonlySet<string> = new Set(["137", "80002"]);

export function connectEvm(options: EvmOptions): Chain {
  // A single endpoint has no others whose answers could expose its mistakes.
  const isAlone = options.rpcUrls.length === 1;
  const waiting = options.waiting ?? { clock: systemClock, sleep };
  const endpoints = new Pool({
    protocol: evmProtocol,
    rpcUrls: options.rpcUrls,
    fetch: options.fetch ?? fetch,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    ...waiting,
    log: isAlone || !options.log ? { info: () => {}, warn: () => {} } : options.log,
    quorum: options.quorum ?? 1,
    expected: options.expected,
  });
  const market = createGasMarket(endpoints, {
    clock: options.clock ?? systemClock,
    feeModel: options.feeModel ?? "l1",
    expected: options.expected,
  });
  const node = { market, ...createTrials(endpoints, waiting) };
  const tracer = createTracer();
  const isBloomWhole = !BLOOM_LACKS_LOGS.has(options.expected?.chainId ?? "");
  return {
    health: () => endpoints.health(tracer.isTracing),
    identity: () => readIdentity(endpoints),
    tip: (options) => readTip(endpoints, options),
    quietForMs: () => null,
    refAt: (height) => readRef(endpoints, height),
    witnesses: (block) => countWitnesses(endpoints, block),
    finalView: (seen) => readFinalView(endpoints, seen),
    readBlocks: (range, watch) =>
      readAgreedBlocks(endpoints, {
        range,
        readOn: (rpc) => readBlocks(rpc, { range, watch, tracer, isBloomWhole }),
      }),
    canTrace: () => tracer.canTrace(endpoints, endpoints.quorum),
    tokenDecimals: (contract) => readTokenDecimals(endpoints, contract),
    tokenTexts: (contract) => readTokenTexts(endpoints, contract),
    walletState: (address, contracts, need) =>
      readWalletState(endpoints, { address, contracts, need }),
    pendingNonce: (address) => readPendingNonce(endpoints, address),
    balancesAt: (block, asked) => readBalancesAt(endpoints, { block, asked }),
    areUsedAt: (block, addresses) => readUsedAt(endpoints, { block, addresses }),
    paidLately: () => readPaidLately(endpoints),
    costNow: async (gas, price = {}) => costNow(await market(), { gas, price }),
    prepareTransfer: (request, price = {}) => prepareTransfer(node, { request, price }),
    prepareDrain: (request, price = {}) => prepareDrain(node, { request, price }),
    signTransfer,
    broadcast: createBroadcaster(endpoints),
    outcome: (sent, { depth }) => readOutcome(endpoints, { sent, depth }),
    sentBytes: (txHash) =>
      readSentBytes(endpoints, {
        txHash,
        quorum: endpoints.quorum,
        chainId: options.expected?.chainId,
      }),
  };
}
