import { Amount } from "./amount.ts";

/** Worst first. */
export const WALLET_LEVELS = ["halted", "empty", "low", "unknown", "ok"] as const;
export type WalletLevel = typeof WALLET_LEVELS[number];

/** A wallet's holding of one currency. */
export interface Stock {
  /** Undefined if no node has answered. */
  readonly held: Amount | undefined;
  /** What its next payments take. */
  readonly needed: Amount;
  /** The operator's target; zero if not set. */
  readonly target: Amount;
  /** It will have to pay something, sooner or later. */
  readonly isWanted: boolean;
}

/** A wallet is topped up below half of its target, so it counts as low from there. */
export function levelOf({ held, needed, target, isWanted }: Stock): WalletLevel {
  if (!held) return "unknown";
  if (held.isZero()) return isWanted || !needed.isZero() ? "empty" : "ok";
  return held.isLessThan(needed) || held.plus(held).isLessThan(target) ? "low" : "ok";
}

export function worstLevel(levels: readonly WalletLevel[]): WalletLevel {
  return WALLET_LEVELS.find((level) => levels.includes(level)) ?? "ok";
}

/** What it lacks to cover its needs and its target; zero if nothing. */
export function missingOf({ held, needed, target }: Stock): Amount {
  const wanted = needed.isLessThan(target) ? target : needed;
  const missing = wanted.minus(held ?? Amount.zero(wanted.asset));
  return missing.isNegative() ? Amount.zero(wanted.asset) : missing;
}
