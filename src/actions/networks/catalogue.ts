import type { CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";

export interface Preset {
  readonly code: string;
  readonly name: string;
  readonly chainId: string;
  /** evm if absent. */
  readonly family?: NetworkRow["family"];
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
  readonly tokens: readonly PresetToken[];
}

export type PresetToken = Pick<CurrencyRow, "symbol" | "name" | "decimals"> & {
  readonly contract: string;
};

const ETHER = { symbol: "ETH", name: "Ether" };

/**
 * Confirmations are for custody: deep enough that a credit is not taken back. If `finality` is
 * none, the chain has no such tag or has violated it, and the count alone must be enough.
 */
export const CATALOGUE: readonly Preset[] = [
  {
    code: "ETH",
    name: "Ethereum",
    chainId: "1",
    native: ETHER,
    minConfirmations: 64,
    finality: "finalized",
    pollIntervalMs: 4000,
    feeMax: "0.05",
    tokens: [
      usdt("0xdAC17F958D2ee523a2206206994597C13D831ec7"),
      usdc("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
    ],
  },
  {
    code: "BSC",
    name: "BNB Smart Chain",
    chainId: "56",
    native: { symbol: "BNB", name: "BNB" },
    minConfirmations: 15,
    finality: "finalized",
    pollIntervalMs: 1000,
    feeMax: "0.005",
    // Both have 18 decimals here, unlike everywhere else.
    tokens: [
      usdt("0x55d398326f99059fF775485246999027B3197955", 18),
      usdc("0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18),
    ],
  },
  {
    code: "POLYGON",
    name: "Polygon PoS",
    chainId: "137",
    native: { symbol: "POL", name: "POL" },
    minConfirmations: 300,
    finality: "none",
    pollIntervalMs: 1000,
    feeMax: "2",
    tokens: [
      usdt("0xc2132D05D31c914a87C6611C10748AEb04B58e8F"),
      usdc("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"),
    ],
  },
  {
    code: "ARBITRUM",
    name: "Arbitrum One",
    chainId: "42161",
    native: ETHER,
    minConfirmations: 240,
    finality: "finalized",
    feeModel: "arbitrum",
    pollIntervalMs: 1000,
    feeMax: "0.005",
    tokens: [
      usdt("0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9"),
      usdc("0xaf88d065e77c8cC2239327C5EDb3A432268e5831"),
    ],
  },
  {
    code: "BASE",
    name: "Base",
    chainId: "8453",
    native: ETHER,
    minConfirmations: 30,
    finality: "finalized",
    feeModel: "op_stack",
    pollIntervalMs: 2000,
    feeMax: "0.005",
    tokens: [
      usdt("0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2"),
      usdc("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
    ],
  },
  {
    code: "OPTIMISM",
    name: "OP Mainnet",
    chainId: "10",
    native: ETHER,
    minConfirmations: 30,
    finality: "finalized",
    feeModel: "op_stack",
    pollIntervalMs: 2000,
    feeMax: "0.005",
    tokens: [
      usdt("0x94b008aA00579c1307B0EF2c499aD98a8ce58e58"),
      usdc("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"),
    ],
  },
  {
    code: "AVALANCHE",
    name: "Avalanche C-Chain",
    chainId: "43114",
    native: { symbol: "AVAX", name: "Avalanche" },
    minConfirmations: 3,
    finality: "none",
    pollIntervalMs: 1000,
    feeMax: "0.2",
    tokens: [
      usdt("0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7"),
      usdc("0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E"),
    ],
  },
  {
    code: "TRX",
    name: "Tron",
    chainId: "728126428",
    family: "tron",
    native: { symbol: "TRX", name: "TRON" },
    minConfirmations: 20,
    finality: "finalized",
    pollIntervalMs: 1500,
    feeMax: "100",
    tokens: [usdt("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")],
  },
];

/** Null: it depends on what was paid lately. */
export function feeMaxOf(network: NetworkRow): string | null {
  return network.feeMax ?? presetFeeMax(network);
}

/** All TRON networks vote on similar prices, so one limit fits them. Null: unknown. */
export function presetFeeMax(
  { family, chainId }: Pick<NetworkRow, "family" | "chainId">,
): string | null {
  const preset = CATALOGUE.find((it) =>
    (it.family ?? "evm") === family && (family === "tron" || it.chainId === chainId)
  );
  return preset?.feeMax ?? null;
}

function usdt(contract: string, decimals = 6): PresetToken {
  return { symbol: "USDT", name: "Tether USD", contract, decimals };
}

function usdc(contract: string, decimals = 6): PresetToken {
  return { symbol: "USDC", name: "USD Coin", contract, decimals };
}
