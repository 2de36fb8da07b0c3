import type { CurrencyRow, NetworkRow } from "./table.ts";

export interface Preset {
  readonly code: string;
  readonly name: string;
  /** What payers and exchanges call it; the name if absent. */
  readonly commonName?: string;
  /** By which they tell its tokens from those of other networks. */
  readonly tokenStandard?: string;
  readonly chainId: string;
  readonly family: NetworkRow["family"];
  readonly native: { readonly symbol: string; readonly name: string };
  readonly minConfirmations: number;
  readonly finality: NetworkRow["finality"];
  /** l1 if absent. */
  readonly feeModel?: NetworkRow["feeModel"];
  readonly pollIntervalMs: number;
  /**
   * In native coins per transaction: leaves room for rare days of high prices, but not for mistakes
   * and lies.
   */
  readonly feeMax: string;
  /** Absent: nobody shows it. */
  readonly explorer?: Explorer;
  readonly tokens: readonly PresetToken[];
  /** Chainlink's, in USD. */
  readonly feeds?: readonly PresetFeed[];
}

/** A public site that shows the chain. */
interface Explorer {
  readonly url: string;
  /** The path before a transaction's id; tx if absent. */
  readonly transactions?: string;
}

interface PresetFeed {
  readonly base: string;
  /** The proxy, which stays the same when Chainlink replaces the aggregator behind it. */
  readonly address: string;
  readonly maxAgeMs: number;
}

export type PresetToken = Pick<CurrencyRow, "symbol" | "name" | "decimals"> & {
  readonly contract: string;
};

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const ETHER = { symbol: "ETH", name: "Ether" };

/**
 * Confirmations are for custody: deep enough that a credit is not taken back. If `finality` is
 * none, the chain has no such tag or has violated it, and the count alone must be enough.
 */
export const CATALOGUE: readonly Preset[] = [
  {
    code: "ETH",
    family: "evm",
    name: "Ethereum",
    tokenStandard: "ERC20",
    chainId: "1",
    native: ETHER,
    minConfirmations: 64,
    finality: "finalized",
    pollIntervalMs: 4000,
    feeMax: "0.05",
    explorer: { url: "https://etherscan.io" },
    tokens: [
      usdt("0xdAC17F958D2ee523a2206206994597C13D831ec7"),
      usdc("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
    ],
    feeds: [
      every(HOUR_S, "ETH", "0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419"),
      every(DAY_S, "USDT", "0x3E7d1eAB13ad0104d2750B8863b489D65364e32D"),
      every(DAY_S, "USDC", "0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6"),
      every(DAY_S, "EUR", "0xb49f677943BC038e9857d61E7d053CaA2C1734C1"),
      every(DAY_S, "TRX", "0xacD0D1A29759CC01E8D925371B72cb2b5610EA25"),
      every(HOUR_S, "BTC", "0xF4030086522a5bEEa4988F8cA5B36dbC97BeE88c"),
      every(DAY_S, "LTC", "0x6AF09DF7563C363B5763b9102712EbeD3b9e859B"),
    ],
  },
  {
    code: "BSC",
    family: "evm",
    name: "BNB Smart Chain",
    tokenStandard: "BEP20",
    chainId: "56",
    native: { symbol: "BNB", name: "BNB" },
    minConfirmations: 15,
    finality: "finalized",
    pollIntervalMs: 1000,
    feeMax: "0.005",
    explorer: { url: "https://bscscan.com" },
    // Both have 18 decimals here, unlike everywhere else.
    tokens: [
      usdt("0x55d398326f99059fF775485246999027B3197955", 18),
      usdc("0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18),
    ],
    feeds: [
      every(60, "BNB", "0x0567F2323251f0Aab15c8dFb1967E4e8A7D42aeE"),
      every(900, "USDT", "0xB97Ad0E74fa7d920791E90258A6E2085088b4320"),
      every(900, "USDC", "0x51597f405303C4377E36123cBc172b13269EA163"),
      every(DAY_S, "EUR", "0x0bf79F617988C472DcA68ff41eFe1338955b9A80"),
    ],
  },
  {
    code: "POLYGON",
    family: "evm",
    name: "Polygon PoS",
    commonName: "Polygon",
    chainId: "137",
    native: { symbol: "POL", name: "POL" },
    minConfirmations: 300,
    finality: "none",
    pollIntervalMs: 1000,
    feeMax: "2",
    explorer: { url: "https://polygonscan.com" },
    tokens: [
      usdt("0xc2132D05D31c914a87C6611C10748AEb04B58e8F"),
      usdc("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"),
    ],
    feeds: [
      every(60, "POL", "0xAB594600376Ec9fD91F8e885dADF0CE036862dE0"),
      every(60, "USDT", "0x0A6513e40db6EB1b165753AD52E80663aeA50545"),
      every(60, "USDC", "0xfE4A8cc5b5B2366C1B58Bea3858e81843581b2F7"),
      every(DAY_S, "EUR", "0x73366Fe0AA0Ded304479862808e02506FE556a98"),
    ],
  },
  {
    code: "ARBITRUM",
    family: "evm",
    name: "Arbitrum One",
    commonName: "Arbitrum",
    chainId: "42161",
    native: ETHER,
    minConfirmations: 240,
    finality: "finalized",
    feeModel: "arbitrum",
    pollIntervalMs: 1000,
    feeMax: "0.005",
    explorer: { url: "https://arbiscan.io" },
    tokens: [
      usdt("0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9"),
      usdc("0xaf88d065e77c8cC2239327C5EDb3A432268e5831"),
    ],
    feeds: [
      every(1_755, "ETH", "0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612"),
      every(DAY_S, "USDT", "0x3f3f5dF88dC9F13eac63DF89EC16ef6e7E25DdE7"),
      every(DAY_S, "USDC", "0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3"),
      every(DAY_S, "EUR", "0xA14d53bC1F1c0F31B4aA3BD109344E5009051a84"),
    ],
  },
  {
    code: "BASE",
    family: "evm",
    name: "Base",
    chainId: "8453",
    native: ETHER,
    minConfirmations: 30,
    finality: "finalized",
    feeModel: "op_stack",
    pollIntervalMs: 2000,
    feeMax: "0.005",
    explorer: { url: "https://basescan.org" },
    tokens: [
      usdt("0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2"),
      usdc("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
    ],
    feeds: [
      every(1_200, "ETH", "0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70"),
      every(DAY_S, "USDT", "0xf19d560eB8d2ADf07BD6D13ed03e1D11215721F9"),
      every(DAY_S, "USDC", "0x7e860098F58bBFC8648a4311b374B1D669a2bc6B"),
      every(DAY_S, "EUR", "0xc91D87E81faB8f93699ECf7Ee9B44D11e1D53F0F"),
    ],
  },
  {
    code: "OPTIMISM",
    family: "evm",
    name: "OP Mainnet",
    commonName: "Optimism",
    chainId: "10",
    native: ETHER,
    minConfirmations: 30,
    finality: "finalized",
    feeModel: "op_stack",
    pollIntervalMs: 2000,
    feeMax: "0.005",
    explorer: { url: "https://optimistic.etherscan.io" },
    tokens: [
      usdt("0x94b008aA00579c1307B0EF2c499aD98a8ce58e58"),
      usdc("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"),
    ],
    feeds: [
      every(1_200, "ETH", "0x13e3Ee699D1909E989722E753853AE30b17e08c5"),
      every(DAY_S, "USDT", "0xECef79E109e997bCA29c1c0897ec9d7b03647F5E"),
      every(DAY_S, "USDC", "0x16a9FA2FDa030272Ce99B29CF780dFA30361E0f3"),
      every(DAY_S, "EUR", "0x3626369857A10CcC6cc3A6e4f5C2f5984a519F20"),
    ],
  },
  {
    code: "AVALANCHE",
    family: "evm",
    name: "Avalanche C-Chain",
    chainId: "43114",
    native: { symbol: "AVAX", name: "Avalanche" },
    minConfirmations: 3,
    finality: "none",
    pollIntervalMs: 1000,
    feeMax: "0.2",
    explorer: { url: "https://snowtrace.io" },
    tokens: [
      usdt("0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7"),
      usdc("0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E"),
    ],
    feeds: [
      every(120, "AVAX", "0x0A77230d17318075983913bC2145DB16C7366156"),
      every(DAY_S, "USDT", "0xEBE676ee90Fe1112671f19b6B7459bC678B67e8a"),
      every(DAY_S, "USDC", "0xF096872672F44d6EBA71458D74fe67F9a77a23B9"),
      every(DAY_S, "EUR", "0x192f2DBA961Bb0277520C082d6bfa87D5961333E"),
    ],
  },
  {
    code: "TRX",
    family: "tron",
    name: "Tron",
    tokenStandard: "TRC20",
    chainId: "728126428",
    native: { symbol: "TRX", name: "TRON" },
    minConfirmations: 20,
    finality: "finalized",
    pollIntervalMs: 1500,
    feeMax: "100",
    explorer: { url: "https://tronscan.org/#", transactions: "transaction" },
    tokens: [usdt("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")],
  },
  bitcoin("BTC", { name: "Bitcoin", explorer: "https://mempool.space" }),
  litecoin("LTC", { name: "Litecoin", explorer: "https://litecoinspace.org" }),
  bitcoin("BTC-TEST", {
    name: "Bitcoin testnet4",
    explorer: "https://mempool.space/testnet4",
  }),
  litecoin("LTC-TEST", {
    name: "Litecoin testnet",
    explorer: "https://litecoinspace.org/testnet",
  }),
  bitcoin("BTC-REGTEST", { name: "Bitcoin regtest" }),
  litecoin("LTC-REGTEST", { name: "Litecoin regtest" }),
];

/** Of chains that are no presets. */
const OTHER_EXPLORERS: ReadonlyMap<string, Explorer> = new Map([
  ["11155111", { url: "https://sepolia.etherscan.io" }],
]);

export function presetOn(
  { family, chainId }: Pick<NetworkRow, "family" | "chainId">,
): Preset | undefined {
  return CATALOGUE.find((it) => it.family === family && it.chainId === chainId);
}

type Named = Pick<NetworkRow, "family" | "chainId" | "name">;

/**
 * What people call it: "Tron", and for one of its tokens "Tron (TRC20)". A name that an operator has
 * given it stays.
 */
export function networkName(
  network: Named,
  currency?: Pick<CurrencyRow, "contractAddress">,
): string {
  const preset = presetOn(network);
  const isRenamed = preset?.name !== network.name;
  const name = isRenamed ? network.name : preset?.commonName ?? network.name;
  const isToken = currency !== undefined && currency.contractAddress !== null;
  return isToken && preset?.tokenStandard ? `${name} (${preset.tokenStandard})` : name;
}

export interface Coin {
  /** The network's code. */
  readonly network: string;
  readonly currency: string;
}

/** "USDT (Ethereum)" among these networks, and a chain's own coin by its symbol alone. */
export function coinName(
  { network, currency }: Coin,
  networks: readonly (Named & Pick<NetworkRow, "code">)[],
): string {
  const row = networks.find(({ code }) => code === network);
  return network === currency ? currency : `${currency} (${row ? networkName(row) : network})`;
}

/** By chain id, because a test network may use the same code for different blocks. */
export function explorerOf({ chainId }: Pick<NetworkRow, "chainId">): Explorer | undefined {
  const preset = CATALOGUE.find((it) => it.chainId === chainId);
  return preset?.explorer ?? OTHER_EXPLORERS.get(chainId);
}

/** Null: it depends on what was paid lately. */
export function feeMaxOf(network: NetworkRow): string | null {
  return network.feeMax ?? presetFeeMax(network);
}

/** All TRON networks vote on similar prices, so one limit fits them. Null: unknown. */
export function presetFeeMax(
  { family, chainId }: Pick<NetworkRow, "family" | "chainId">,
): string | null {
  const preset = CATALOGUE.find((it) =>
    it.family === family && (family === "tron" || it.chainId === chainId)
  );
  return preset?.feeMax ?? null;
}

interface OfBitcoin {
  readonly name: string;
  readonly explorer?: string;
}

function bitcoin(code: string, its: OfBitcoin): Preset {
  const native = { symbol: "BTC", name: "Bitcoin" };
  return ofBitcoin({ ...its, code, native, minConfirmations: 2, feeMax: "0.003" });
}

function litecoin(code: string, its: OfBitcoin): Preset {
  const native = { symbol: "LTC", name: "Litecoin" };
  return ofBitcoin({ ...its, code, native, minConfirmations: 6, feeMax: "0.1" });
}

/** Their chains are told apart by their first blocks, and named as here. */
function ofBitcoin(
  { explorer, ...its }:
    & OfBitcoin
    & Pick<Preset, "code" | "native" | "minConfirmations" | "feeMax">,
): Preset {
  return {
    ...its,
    family: "bitcoin",
    chainId: its.code,
    finality: "none",
    pollIntervalMs: 5_000,
    ...explorer ? { explorer: { url: explorer } } : {},
    tokens: [],
  };
}

function usdt(contract: string, decimals = 6): PresetToken {
  return { symbol: "USDT", name: "Tether USD", contract, decimals };
}

function usdc(contract: string, decimals = 6): PresetToken {
  return { symbol: "USDC", name: "USD Coin", contract, decimals };
}

/**
 * Updated at least so often, or as soon as the price moves. An update may be late while its chain is
 * busy: a twelfth of the time, but ten minutes at least, up to an hour.
 */
function every(heartbeatS: number, base: string, address: string): PresetFeed {
  const lateS = Math.min(Math.max(heartbeatS / 12, 600), HOUR_S);
  return { base, address, maxAgeMs: (heartbeatS + lateS) * 1_000 };
}
