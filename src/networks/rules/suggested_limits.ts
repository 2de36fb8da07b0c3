import { Amount } from "../../domain/money/amount.ts";

interface Coin {
  readonly symbol: string;
  readonly decimals: number;
  readonly minDepositAmount: string;
}

interface Limits {
  readonly minDeposit: string;
  readonly minPayout: string;
  readonly fee: string;
  /** For a first invoice, if nobody knows its price: little, but no dust. */
  readonly trial: string;
}

const NONE: Limits = { minDeposit: "0", minPayout: "0", fee: "0", trial: "0.01" };
const DOLLARS: Limits = { minDeposit: "1", minPayout: "5", fee: "1", trial: "1" };

/** About a dollar, some ten, what a network usually takes for a payment, and some dollars. */
const SUGGESTED: Readonly<Record<string, Limits>> = {
  USDT: DOLLARS,
  USDC: DOLLARS,
  ETH: { minDeposit: "0.001", minPayout: "0.01", fee: "0.002", trial: "0.01" },
  BNB: { minDeposit: "0.002", minPayout: "0.02", fee: "0.001", trial: "0.01" },
  POL: { minDeposit: "2", minPayout: "20", fee: "0.5", trial: "10" },
  AVAX: { minDeposit: "0.05", minPayout: "0.5", fee: "0.05", trial: "0.2" },
  TRX: { minDeposit: "5", minPayout: "50", fee: "5", trial: "10" },
  BTC: { minDeposit: "0.0001", minPayout: "0.0005", fee: "0.0001", trial: "0.001" },
  LTC: { minDeposit: "0.01", minPayout: "0.1", fee: "0.005", trial: "0.05" },
};

/** It is worth a dollar. */
export function isDollar(symbol: string): boolean {
  return SUGGESTED[symbol] === DOLLARS;
}

/** As little as a first invoice can be over in this coin. */
export function trialAmount({ symbol, decimals, minDepositAmount }: Coin): string {
  const trial = Amount.parse(decimals < 2 ? "1" : suggestedLimits(symbol).trial, symbol);
  const least = Amount.parse(minDepositAmount, symbol);
  return String(trial.isLessThan(least) ? least : trial);
}

/** What a first merchant may begin with; the owner sees and changes them. */
export function suggestedLimits(symbol: string): Limits {
  return SUGGESTED[symbol] ?? NONE;
}
