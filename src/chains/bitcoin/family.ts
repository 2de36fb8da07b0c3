import type { Family } from "../family.ts";
import type { ChainRules } from "../rules.ts";
import { type BitcoinPreset, FEE_TARGET_BLOCKS, networkOf, PRESETS } from "./params.ts";
import { BITCOIN_RULES } from "./rules.ts";

const NAMES = Object.keys(PRESETS) as readonly BitcoinPreset[];
const RULES: ReadonlyMap<string, ChainRules> = new Map(Object.entries(BITCOIN_RULES));
const TEST_CHAINS: ReadonlySet<string> = new Set(NAMES.filter((name) => PRESETS[name].isTest));
const LOCAL_CHAINS: ReadonlySet<string> = new Set(["BTC-REGTEST", "LTC-REGTEST"]);

/** Chain ids are the names of presets, told by first blocks. */
export const bitcoinFamily: Family = {
  name: "bitcoin",
  label: "Bitcoin and Litecoin",
  rules: [...RULES.values()],
  rulesOn: (chainId) => RULES.get(chainId) ?? BITCOIN_RULES.BTC,
  testChains: TEST_CHAINS,
  localChains: LOCAL_CHAINS,
  gasPriceUnit: { name: "sat/vB", decimals: 0 },
  undoubtedPriceRaw: 50n,
  isCheapFor: () => false,
  // Virtual bytes of a payment with one input and change.
  usualGas: { coins: 141n, tokens: 0n },
  usualSweeps: {
    alternative: "batch",
    unit: "gas",
    gasSent: 0,
    shared: 42,
    tokens: {},
    coins: { single: { first: 110, again: 110 }, batch: { first: 68, again: 68 } },
    besides: "nothing",
  },
  gasMax: { coins: null, tokens: 0 },
  finality: "none",
  transferLifetimeMs: null,
  hasNonces: false,
  canReplace: true,
  claimOf: ({ sender, nonce }) => ({ claim: `${sender}/${nonce}`, isOnce: true }),
  openHeadSocket: null,
  hasCollectors: false,
  offerIn: () => Promise.resolve(null),
  holdings: "outputs",
  blocksPerStepMax: 4,
  knowsBalancesAtAnyBlock: false,
  knowsChain: (chainId) => RULES.has(chainId),
  finalBlocksOn: (chainId) => RULES.has(chainId) ? networkOf(chainId).finalBlocks : null,
  feeTargetBlocks: FEE_TARGET_BLOCKS,
};
