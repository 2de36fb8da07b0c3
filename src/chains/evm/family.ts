import type { Family } from "../family.ts";
import { EvmHeadSocket } from "./head_socket.ts";
import { evmRules } from "./rules.ts";
import { LOCAL_CHAINS, TEST_CHAINS } from "./test_chains.ts";

export const evmFamily: Family = {
  name: "evm",
  label: "EVM (like Ethereum)",
  rules: [evmRules],
  rulesOn: () => evmRules,
  testChains: TEST_CHAINS,
  localChains: LOCAL_CHAINS,
  gasPriceUnit: { name: "gwei", decimals: 9 },
  undoubtedPriceRaw: 1_000_000_000n,
  isCheapFor: (feeModel) => feeModel !== "l1",
  usualGas: { coins: 21_000n, tokens: 65_000n },
  // docs/operate.md, "Collecting".
  usualSweeps: {
    alternative: "batch",
    unit: "gas",
    gasSent: 21_000,
    shared: 28_200,
    tokens: {
      single: { first: 32_400, again: 32_400 },
      batch: { first: 30_300, again: 12_300 },
    },
    coins: {
      single: { first: 21_000, again: 21_000 },
      batch: { first: 28_700, again: 11_500 },
    },
    besides: "deploying the contract and releasing addresses",
  },
  gasMax: { coins: 100_000, tokens: 300_000 },
  finality: "none",
  transferLifetimeMs: null,
  hasNonces: true,
  canReplace: true,
  claimOf: ({ sender, nonce }) => ({ claim: `${sender}/${nonce}`, isOnce: true }),
  openHeadSocket: (options) => new EvmHeadSocket(options),
  hasCollectors: true,
  offerIn: async (raw) => {
    const { offerIn } = await import("./transfers/fees.ts");
    return offerIn(raw);
  },
  holdings: "balances",
  blocksPerStepMax: 100,
  knowsBalancesAtAnyBlock: true,
  knowsChain: () => true,
  finalBlocksOn: () => null,
  feeTargetBlocks: null,
};
