import type { Chain, ChainPayer, ChainReader } from "../chain.ts";
import { FirstOnes } from "../collect.ts";
import { readAgreedBlocks } from "../pool/agreed_blocks.ts";
import type { Pool } from "../pool/endpoints.ts";
import { readIdentity } from "../pool/identity.ts";
import type { Protocol } from "../pool/protocol.ts";
import { openPool, type PoolSettings, SYSTEM_WAITING } from "../pool/open_pool.ts";
import { countWitnesses, readRef, readTip } from "../pool/tip.ts";
import { agreedPrices } from "./account.ts";
import { readBalancesAt } from "./balances_at.ts";
import { broadcast } from "./transfers/broadcast.ts";
import { collect } from "./transfers/collect.ts";
import { costNow } from "./transfers/costs.ts";
import { readFinalView } from "./blocks/final_view.ts";
import { checkNode, headOn } from "./heads.ts";
import { createHistory } from "./blocks/history.ts";
import { createInnerProof } from "./blocks/inner_proof.ts";
import { openNode, type TronNode } from "./node.ts";
import { readOutcome } from "./blocks/outcome.ts";
import { prepareDrain } from "./transfers/prepare_drain.ts";
import { prepareTransfer } from "./transfers/prepare_transfer.ts";
import { readBlocks } from "./blocks/read_blocks.ts";
import { identityOn, refOn } from "./refs.ts";
import { readSentBytes } from "./transfers/sent_bytes.ts";
import { connectEnergy } from "./energy.ts";
import { createRhythm, type Rhythm } from "./rhythm.ts";
import { signTransfer } from "./transfers/sign_transfer.ts";
import { readUsedAt } from "./used_at.ts";
import { readHeld, readTokenDecimals, readTokenTexts, readWalletState } from "./wallet_state.ts";

export { tronFamily } from "./family.ts";
export { tronRules } from "./rules.ts";

const protocol: Protocol<TronNode> = { open: openNode, identityOn, checkNode, headOn, refOn };

export function connectTron(settings: PoolSettings): Chain {
  const pool = openPool(protocol, settings);
  const { clock } = settings.waiting ?? SYSTEM_WAITING;
  return { ...readerOf(pool, createRhythm(clock)), ...payerOf(pool, new FirstOnes(clock)) };
}

function readerOf(pool: Pool<TronNode>, rhythm: Rhythm): ChainReader {
  const proof = createInnerProof();
  const history = createHistory();
  return {
    health: () => pool.health(proof.isTracing),
    identity: () => readIdentity(pool),
    tip: async (options) => rhythm.note(await readTip(pool, options)),
    quietForMs: rhythm.quietForMs,
    refAt: (height) => readRef(pool, height),
    witnesses: (block) => countWitnesses(pool, block),
    finalView: (seen) => readFinalView(pool, seen),
    readBlocks: (range, watch) => {
      const wanted = { range, watch, proof, history };
      return readAgreedBlocks(pool, { range, readOn: (node) => readBlocks(node, wanted) });
    },
    canTrace: () => proof.canTrace(pool, pool.quorum),
    tokenDecimals: (contract) => readTokenDecimals(pool, contract),
    tokenTexts: (contract) => readTokenTexts(pool, contract),
    walletState: (address, contracts, need) =>
      readWalletState(pool, { address, contracts, history, need }),
    held: (asked) => readHeld(pool, { asked, history }),
    pendingNonce: () => Promise.resolve(null),
    balancesAt: (block, asked) => readBalancesAt(pool, { block, asked, history }),
    areUsedAt: (block, addresses) => readUsedAt(pool, { block, addresses }),
  };
}

function payerOf(pool: Pool<TronNode>, firsts: FirstOnes): ChainPayer {
  const collector = { pool, firsts, usual: new Map<string, bigint>() };
  return {
    paidLately: () => Promise.resolve(null),
    costNow: async (energy) => costNow(await agreedPrices(pool), energy),
    newAddressFee: async () => (await agreedPrices(pool)).activationRaw,
    prepareTransfer: (request, price = {}) => prepareTransfer(pool, { request, price }),
    prepareDrain: (request, price = {}) => prepareDrain(pool, { request, price }),
    collect: (orders, options) => collect(collector, orders, options),
    signTransfer,
    broadcast: (raw) => broadcast(pool, raw),
    outcome: (sent, { finalHeight }) => readOutcome(pool, { sent, finalHeight }),
    sentBytes: (txHash) => readSentBytes(pool, txHash),
    energy: connectEnergy(pool),
  };
}
