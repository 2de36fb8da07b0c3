import { Amount } from "./amount.ts";

/** How a wallet stands, the worst first. */
export const WALLET_LEVELS = ["halted", "empty", "low", "unknown", "ok"] as const;
export type WalletLevel = typeof WALLET_LEVELS[number];

/** What a wallet holds of one currency, and what for. */
export interface Stock {
  /** Undefined: no node has told. */
  readonly held: Amount | undefined;
  /** What its next payments take. */
  readonly needed: Amount;
  /** What the operator wants in it; zero where nobody said. */
  readonly target: Amount;
  /** Something will be paid out of it, sooner or later. */
  readonly isWanted: boolean;
}

/** Below half of its target a wallet is filled up, so that it is low from there on. */
export function levelOf({ held, needed, target, isWanted }: Stock): WalletLevel {
  if (!held) return "unknown";
  if (held.isZero()) return isWanted || !needed.isZero() ? "empty" : "ok";
  return held.isLessThan(needed) || held.plus(held).isLessThan(target) ? "low" : "ok";
}

export function worstLevel(levels: readonly WalletLevel[]): WalletLevel {
  return WALLET_LEVELS.find((level) => levels.includes(level)) ?? "ok";
}

/** How much more brings it to what it needs and to its target; zero when nothing is missing. */
export function missingOf({ held, needed, target }: Stock): Amount {
  const wanted = needed.isLessThan(target) ? target : needed;
  const missing = wanted.minus(held ?? Amount.zero(wanted.asset));
  return missing.isNegative() ? Amount.zero(wanted.asset) : missing;
}
