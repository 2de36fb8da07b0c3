import { sleep, systemClock } from "../../base/clock.ts";
import type { Chain } from "../chain.ts";
import { readAgreedBlocks } from "../pool/agreed_blocks.ts";
import type { EndpointOptions } from "../pool/endpoint.ts";
import { Pool } from "../pool/endpoints.ts";
import { readIdentity } from "../pool/identity.ts";
import type { Protocol } from "../pool/protocol.ts";
import type { ExpectedIdentity } from "../pool/shown_identity.ts";
import { countWitnesses, readRef, readTip } from "../pool/tip.ts";
import { agreedPrices } from "./account.ts";
import { readBalancesAt } from "./balances_at.ts";
import { broadcast } from "./transfers/broadcast.ts";
import { costNow } from "./transfers/costs.ts";
import { readFinalView } from "./blocks/final_view.ts";
import { fitOn, headOn } from "./heads.ts";
import { createHistory } from "./blocks/history.ts";
import { createInnerProof } from "./blocks/inner_proof.ts";
import { openNode, type TronNode } from "./node.ts";
import { readOutcome } from "./blocks/outcome.ts";
import { prepareDrain } from "./transfers/prepare_drain.ts";
import { prepareTransfer } from "./transfers/prepare_transfer.ts";
import { readBlocks } from "./blocks/read_blocks.ts";
import { identityOn, refOn } from "./refs.ts";
import { readSentBytes } from "./transfers/sent_bytes.ts";
import { createRhythm } from "./rhythm.ts";
import { signTransfer } from "./transfers/sign_transfer.ts";
import { readUsedAt } from "./used_at.ts";
import { readTokenDecimals, readTokenTexts, readWalletState } from "./wallet_state.ts";

export { tronFamily } from "./family.ts";

interface TronOptions {
  readonly rpcUrls: readonly string[];
  readonly fetch?: typeof fetch;
  readonly timeoutMs?: number;
  /** The system's own by default. */
  readonly waiting?: Pick<EndpointOptions, "clock" | "sleep">;
  readonly log?: EndpointOptions["log"];
  /** How many endpoints must read a block alike; 1 by default. */
  readonly quorum?: number;
  /** An endpoint on another chain is not used. */
  readonly expected?: ExpectedIdentity;
}

const TIMEOUT_MS = 15_000;

const protocol: Protocol<TronNode> = { open: openNode, identityOn, fitOn, headOn, refOn };

export function connectTron(options: TronOptions): Chain {
  // A single endpoint has no others whose answers could expose its mistakes.
  const isAlone = options.rpcUrls.length === 1;
  const waiting = options.waiting ?? { clock: systemClock, sleep };
  const rhythm = createRhythm(waiting.clock);
  const endpoints = new Pool({
    protocol,
    rpcUrls: options.rpcUrls,
    fetch: options.fetch ?? fetch,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    ...waiting,
    log: isAlone || !options.log ? { info: () => {}, warn: () => {} } : options.log,
    quorum: options.quorum ?? 1,
    expected: options.expected,
  });
  const proof = createInnerProof();
  const history = createHistory();
  return {
    health: () => endpoints.health(proof.isTracing),
    identity: () => readIdentity(endpoints),
    tip: async (tipOptions) => rhythm.note(await readTip(endpoints, tipOptions)),
    quietForMs: rhythm.quietForMs,
    refAt: (height) => readRef(endpoints, height),
    witnesses: (block) => countWitnesses(endpoints, block),
    finalView: (seen) => readFinalView(endpoints, seen),
    readBlocks: (range, watch) =>
      readAgreedBlocks(endpoints, {
        range,
        readOn: (node) => readBlocks(node, { range, watch, proof, history }),
      }),
    canTrace: () => proof.canTrace(endpoints, endpoints.quorum),
    tokenDecimals: (contract) => readTokenDecimals(endpoints, contract),
    tokenTexts: (contract) => readTokenTexts(endpoints, contract),
    walletState: (address, contracts, need) =>
      readWalletState(endpoints, { address, contracts, history, need }),
    pendingNonce: () => Promise.resolve(null),
    balancesAt: (block, asked) => readBalancesAt(endpoints, { block, asked, history }),
    areUsedAt: (block, addresses) => readUsedAt(endpoints, { block, addresses }),
    prepareTransfer: (request, price = {}) => prepareTransfer(endpoints, { request, price }),
    paidLately: () => Promise.resolve(null),
    costNow: async (energy) => costNow(await agreedPrices(endpoints), energy),
    newAddressFee: async () => (await agreedPrices(endpoints)).activationRaw,
    prepareDrain: (request, price = {}) => prepareDrain(endpoints, { request, price }),
    signTransfer,
    broadcast: (raw) => broadcast(endpoints, raw),
    outcome: (sent, { finalHeight }) => readOutcome(endpoints, { sent, finalHeight }),
    sentBytes: (txHash) => readSentBytes(endpoints, txHash),
  };
}
