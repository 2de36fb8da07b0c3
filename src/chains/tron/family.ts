import type { Family } from "../family.ts";
import { tronRules } from "./rules.ts";

/** By the chain's time. Long enough to send it repeatedly, short enough to know soon that it failed. */
export const TRANSFER_LIFETIME_MS = 600_000;

/** Shasta and Nile; ids are the ends of first blocks. */
const TEST_CHAINS: ReadonlySet<string> = new Set(["2494104990", "3448148188"]);
/** The simulated node's. */
const LOCAL_CHAINS: ReadonlySet<string> = new Set(["3102885452"]);

export const tronFamily: Family = {
  name: "tron",
  label: "TRON",
  rules: [tronRules],
  rulesOn: () => tronRules,
  testChains: TEST_CHAINS,
  localChains: LOCAL_CHAINS,
  gasPriceUnit: { name: "sun", decimals: 0 },
  // More sun than was ever voted for.
  undoubtedPriceRaw: 1_000n,
  isCheapFor: () => true,
  usualGas: { coins: 0n, tokens: 65_000n },
  // docs/tron.md, "Energy".
  usualSweeps: {
    alternative: "lent",
    unit: "coins",
    // It is part of the figures.
    gasSent: 0,
    shared: 0,
    tokens: {
      single: { first: 6_800_000, again: 6_800_000 },
      lent: { first: 560_000, again: 560_000 },
    },
    coins: null,
    besides: "staking",
  },
  gasMax: { coins: null, tokens: 300_000 },
  finality: "finalized",
  transferLifetimeMs: TRANSFER_LIFETIME_MS,
  hasNonces: false,
  canReplace: false,
  // Two with the same expiry can both be mined; we never sign them.
  claimOf: ({ sender, nonce }) => ({ claim: `${sender}/${nonce}`, isOnce: false }),
  openHeadSocket: null,
  hasCollectors: false,
  offerIn: () => Promise.resolve(null),
  holdings: "balances",
  blocksPerStepMax: 100,
  knowsBalancesAtAnyBlock: false,
  knowsChain: () => true,
  finalBlocksOn: () => null,
  feeTargetBlocks: null,
};
