import { systemClock } from "../../base/clock.ts";
import type { Chain, ChainReader } from "../chain.ts";
import { readAgreedBlocks } from "../pool/agreed_blocks.ts";
import { Arrivals } from "../pool/arrivals.ts";
import { createBlockPace } from "../pool/block_pace.ts";
import type { Pool } from "../pool/endpoints.ts";
import { readIdentity } from "../pool/identity.ts";
import { openPool, type PoolSettings, SYSTEM_WAITING } from "../pool/open_pool.ts";
import { countWitnesses, readRef, readTip } from "../pool/tip.ts";
import { evmProtocol } from "./endpoints.ts";
import type { Rpc } from "./rpc.ts";
import { readFinalView } from "./blocks/final_view.ts";
import { askAhead, askBalancesAhead, type BalancesAhead } from "./blocks/ask_ahead.ts";
import { readBlocks } from "./blocks/read_blocks.ts";
import { CoinLogs } from "./blocks/coin_logs.ts";
import { Tracer } from "./blocks/traces.ts";
import { readFeedRounds } from "./price_feeds.ts";
import type { PayerOptions } from "./payer.ts";
import { readNextNonces } from "./next_nonces.ts";
import { payerWhenNeeded } from "./payer_when_needed.ts";
import { readUsedAt } from "./used_at.ts";
import {
  readPendingNonce,
  readTokenDecimals,
  readTokenTexts,
  readWalletState,
  TriedWallets,
} from "./wallet_state.ts";

export { evmFamily } from "./family.ts";
export { evmRules } from "./rules.ts";

/** Polygon and its testnet leave the logs of bridge transactions out of the header's bloom. */
const BLOOM_LACKS_LOGS: ReadonlySet<string> = new Set(["137", "80002"]);

export function connectEvm(options: PoolSettings & Partial<Omit<PayerOptions, "tried">>): Chain {
  const { clock = systemClock, feeModel = "l1", waiting = SYSTEM_WAITING } = options;
  const pool = openPool(evmProtocol, options);
  const tried = new TriedWallets(waiting.clock);
  return {
    ...readerOf(pool, tried),
    ...payerWhenNeeded(pool, { clock, feeModel, waiting, tried }),
  };
}

function readerOf(pool: Pool<Rpc>, tried: TriedWallets): ChainReader {
  const tracer = new Tracer();
  const coins = new CoinLogs();
  const pace = createBlockPace();
  const arrivals = new Arrivals();
  const isBloomWhole = !BLOOM_LACKS_LOGS.has(pool.expected?.chainId ?? "");
  return {
    health: () => pool.health((host) => tracer.isTracing(host)),
    identity: () => readIdentity(pool),
    tip: async (options) => {
      const askedAtMs = pool.nowMs();
      const tip = pace.note(await readTip(pool, options));
      arrivals.note({ ...tip, askedAtMs }, pace.seen().blockMs);
      return tip;
    },
    seenHeads: pace.seen,
    quietForMs: () => null,
    lookInMs: () => arrivals.lookInMs(pool.nowMs(), pace.seen().blockMs),
    expectBlock: (pushed, watch) => askAhead(pool, { pushed, watch, tracer, coins }),
    refAt: (height) => readRef(pool, height),
    witnesses: (block) => countWitnesses(pool, block),
    finalView: (seen) => readFinalView(pool, seen),
    readBlocks: (range, watch) => {
      const onPaid = (paid: BalancesAhead) => askBalancesAhead(pool, paid);
      const wanted = { range, watch, tracer, coins, isBloomWhole, onPaid };
      return readAgreedBlocks(pool, { range, readOn: (rpc) => readBlocks(rpc, wanted) });
    },
    canTrace: () => tracer.canTrace(pool, pool.quorum),
    areCoinsLogged: () => coins.witnesses >= pool.quorum,
    tokenDecimals: (contract) => readTokenDecimals(pool, contract),
    tokenTexts: (contract) => readTokenTexts(pool, contract),
    walletState: (address, contracts, need) =>
      readWalletState(pool, { address, contracts, need, tried }),
    held: async (asked) => {
      const { readHeld } = await import("./held.ts");
      return await readHeld(pool, asked);
    },
    pendingNonce: (address) => readPendingNonce(pool, address),
    nextNonces: (addresses) => readNextNonces(pool, addresses),
    balancesAt: async (block, asked) => {
      const { readBalancesAt } = await import("./balances_at.ts");
      return await readBalancesAt(pool, { block, asked });
    },
    areBorneOut: async (block, moves) => {
      const { readBorneOut } = await import("./collector/borne_out.ts");
      return await readBorneOut(pool, { block, moves });
    },
    areUsedAt: (block, addresses) => readUsedAt(pool, { block, addresses }),
    feedRounds: (feeds) => readFeedRounds(pool, feeds),
  };
}
