import type { Chain } from "../../src/chains/chain.ts";
import type { Ground } from "../support/grounds/ground.ts";
import { makeWatch } from "../support/nodes/evm_wallet.ts";

interface Question {
  readonly name: string;
  ask(): Promise<unknown>;
}

/** Every question to a chain, with sensible parameters. */
export function questionsTo(chain: Chain, ground: Ground): Question[] {
  const { stranger: to, customer: from, receiver } = ground;
  const hash = ground.coin.family === "evm" ? `0x${"ab".repeat(32)}` : "ab".repeat(32);
  const asked = [{ address: to, contract: null }, { address: from, contract: receiver }];
  const block = { height: 2, hash };
  const transfer = { from, to, contract: null, amountRaw: 5n };
  const questions: Record<string, () => Promise<unknown>> = {
    identity: () => chain.identity(),
    tip: () => chain.tip(),
    refAt: () => chain.refAt(3),
    witnesses: () => chain.witnesses(block),
    finalView: () => chain.finalView([{ txHash: hash, height: 2, succeeded: true }]),
    canTrace: () => chain.canTrace(),
    tokenDecimals: () => chain.tokenDecimals(receiver),
    tokenTexts: () => chain.tokenTexts(receiver),
    walletState: () => chain.walletState(from, [receiver]),
    pendingNonce: () => chain.pendingNonce(from),
    balancesAt: async () => chain.balancesAt(await chain.tip(), asked),
    areBorneOut: async () =>
      chain.areBorneOut?.(await chain.tip(), [
        { from, contract: receiver, amountRaw: 5n, loggedRaw: 5n },
      ]),
    areUsedAt: async () => chain.areUsedAt(await chain.tip(), [from, to]),
    prepareTransfer: () => chain.prepareTransfer(transfer),
    prepareTokenTransfer: () => chain.prepareTransfer({ ...transfer, contract: receiver }),
    prepareDrain: () =>
      chain.prepareDrain({ from, to, amountMaxRaw: 10n ** 18n, spendableRaw: 10n ** 18n }),
    outcome: () => chain.outcome({ txHash: hash, sender: from, nonce: 1 }, { depth: 2 }),
    sentBytes: () => chain.sentBytes(hash),
    pending: async () => await chain.pending?.(makeWatch([from], [receiver])),
    readBlocks: async () => {
      const { height: to } = await chain.tip();
      return chain.readBlocks({ from: Math.max(1, to - 5), to }, makeWatch([from], [receiver]));
    },
    readTraced: async () => {
      const { height: to } = await chain.tip();
      const watch = { ...makeWatch([from], [receiver]), traces: true };
      return chain.readBlocks({ from: Math.max(1, to - 2), to }, watch);
    },
  };
  return Object.entries(questions).map(([name, ask]) => ({ name, ask }));
}
