import type { Clock } from "../../base/clock.ts";
import type { ChainPayer } from "../chain.ts";
import { FirstOnes } from "../collect.ts";
import type { EndpointOptions } from "../pool/endpoint.ts";
import type { Pool } from "../pool/endpoints.ts";
import type { FeeModel } from "../price.ts";
import { readOutcome } from "./blocks/outcome.ts";
import { readPaidLately } from "./blocks/paid_lately.ts";
import { createCollector } from "./collector/prepare_batch.ts";
import type { Rpc } from "./rpc.ts";
import { createBroadcaster } from "./transfers/broadcast.ts";
import { collect } from "./transfers/collect.ts";
import { costNow } from "./transfers/cost.ts";
import { createGasMarket } from "./transfers/gas_market.ts";
import { prepareDrain } from "./transfers/prepare_drain.ts";
import { prepareTransfer } from "./transfers/prepare_transfer.ts";
import { readSentBytes } from "./transfers/sent_bytes.ts";
import { signTransfer } from "./transfers/sign_transfer.ts";
import { createTrials } from "./transfers/trials.ts";
import type { TriedWallets } from "./wallet_state.ts";

export interface PayerOptions {
  readonly clock: Clock;
  readonly feeModel: FeeModel;
  readonly waiting: Pick<EndpointOptions, "sleep">;
  readonly tried: TriedWallets;
}

export function createPayer(
  pool: Pool<Rpc>,
  { clock, feeModel, waiting, tried }: PayerOptions,
): ChainPayer {
  const { quorum, expected } = pool;
  const market = createGasMarket(pool, { clock, feeModel, expected });
  const node = {
    ...market,
    lastGas: new Map<string, bigint>(),
    ...createTrials(pool, { ...waiting, tried }),
  };
  const collector = { endpoints: pool, node, firsts: new FirstOnes(clock), usual: new Map() };
  return {
    paidLately: () => readPaidLately(pool),
    costNow: async (gas, price = {}) =>
      costNow(node.knownMarket() ?? await node.market(), { gas, price }),
    prepareTransfer: (request, price = {}) => prepareTransfer(node, { request, price }),
    prepareDrain: (request, price = {}) => prepareDrain(node, { request, price }),
    collect: (orders, options) => collect(collector, orders, options),
    signTransfer,
    collector: createCollector({ endpoints: pool, market: market.market }),
    broadcast: createBroadcaster(pool),
    outcome: (sent, options) => readOutcome(pool, { sent, ...options }),
    sentBytes: (txHash) => readSentBytes(pool, { txHash, quorum, chainId: expected?.chainId }),
  };
}
