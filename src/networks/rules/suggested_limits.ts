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
}

const NONE: Limits = { minDeposit: "0", minPayout: "0", fee: "0" };
const DOLLARS: Limits = { minDeposit: "1", minPayout: "5", fee: "1" };

/** About a dollar, some ten, what a network usually takes for a payment, and some dollars. */
const SUGGESTED: Readonly<Record<string, Limits>> = {
  USDT: DOLLARS,
  USDC: DOLLARS,
  ETH: { minDeposit: "0.001", minPayout: "0.01", fee: "0.002" },
  BNB: { minDeposit: "0.002", minPayout: "0.02", fee: "0.001" },
  POL: { minDeposit: "2", minPayout: "20", fee: "0.5" },
  AVAX: { minDeposit: "0.05", minPayout: "0.5", fee: "0.05" },
  TRX: { minDeposit: "5", minPayout: "50", fee: "5" },
  BTC: { minDeposit: "0.0001", minPayout: "0.0005", fee: "0.0001" },
  LTC: { minDeposit: "0.01", minPayout: "0.1", fee: "0.005" },
};

/** It is worth a dollar. */
export function isDollar(symbol: string): boolean {
  return SUGGESTED[symbol] === DOLLARS;
}

/** For a first invoice in a coin of which nobody knows what it is worth. */
const LITTLE = "0.01";

/** As little as a first invoice can be over in this coin: its smallest deposit. */
export function trialAmount({ symbol, decimals, minDepositAmount }: Coin): string {
  const { minDeposit } = suggestedLimits(symbol);
  const little = decimals < 2 ? "1" : minDeposit === "0" ? LITTLE : minDeposit;
  const [trial, least] = [Amount.parse(little, symbol), Amount.parse(minDepositAmount, symbol)];
  return String(trial.isLessThan(least) ? least : trial);
}

/** What a first merchant may begin with; the owner sees and changes them. */
export function suggestedLimits(symbol: string): Limits {
  return SUGGESTED[symbol] ?? NONE;
}
