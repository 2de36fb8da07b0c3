import { type Clock, systemClock } from "../../base/clock.ts";
import type { Chain, FeeModel } from "../chain.ts";
import { readBalancesAt } from "./balances_at.ts";
import { broadcast } from "./broadcast.ts";
import { connectEndpoints } from "./endpoints.ts";
import { createGasMarket } from "./gas_market.ts";
import { readIdentity } from "./identity.ts";
import { readOutcome } from "./outcome.ts";
import { prepareDrain } from "./prepare_drain.ts";
import { prepareTransfer } from "./prepare_transfer.ts";
import { readBlocks } from "./read_blocks.ts";
import { signTransfer } from "./sign_transfer.ts";
import { countWitnesses, readRef, readTip } from "./tip.ts";
import { createTracer } from "./traces.ts";
import { readTokenDecimals, readWalletState } from "./wallet_state.ts";

export { evmFamily } from "./family.ts";

export interface EvmOptions {
  readonly rpcUrls: readonly string[];
  readonly fetch?: typeof fetch;
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  readonly feeModel?: FeeModel;
}

const TIMEOUT_MS = 15_000;

export function connectEvm(options: EvmOptions): Chain {
  const endpoints = connectEndpoints({
    rpcUrls: options.rpcUrls,
    fetch: options.fetch ?? fetch,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
  });
  const market = createGasMarket(endpoints, {
    clock: options.clock ?? systemClock,
    feeModel: options.feeModel ?? "l1",
  });
  const node = { endpoints, market };
  const tracer = createTracer();
  return {
    identity: () => readIdentity(endpoints),
    tip: () => readTip(endpoints),
    refAt: (height) => readRef(endpoints, height),
    witnesses: (block) => countWitnesses(endpoints, block),
    readBlocks: (range, watch) => readBlocks(endpoints, { range, watch, tracer }),
    canTrace: () => tracer.canTrace(endpoints),
    tokenDecimals: (contract) => readTokenDecimals(endpoints, contract),
    walletState: (address, contracts) => readWalletState(endpoints, { address, contracts }),
    balancesAt: (block, asked) => readBalancesAt(endpoints, { block, asked }),
    prepareTransfer: (request, price = {}) => prepareTransfer(node, { request, price }),
    prepareDrain: (request, price = {}) => prepareDrain(node, { request, price }),
    signTransfer,
    broadcast: (raw) => broadcast(endpoints, raw),
    outcome: (sent, { depth }) => readOutcome(endpoints, { sent, depth }),
  };
}
