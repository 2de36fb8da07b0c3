import { Amount } from "../../domain/money/amount.ts";

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
  /** What its account's payouts take in a day. */
  readonly usual: Amount;
  /** It will have to pay something, sooner or later. */
  readonly isWanted: boolean;
}

/** A wallet is topped up below half of its target, so it counts as low from there. */
export function levelOf({ held, needed, target, usual, isWanted }: Stock): WalletLevel {
  if (!held) return "unknown";
  if (held.isZero()) return isWanted || !needed.isZero() ? "empty" : "ok";
  const twice = held.plus(held);
  const isShort = held.isLessThan(needed) || twice.isLessThan(target) || twice.isLessThan(usual);
  return isShort ? "low" : "ok";
}

/** Well above where it counts as low, so that each payment doesn't make it low again. */
export function isRefilled(stock: Stock): boolean {
  const { held, target, usual } = stock;
  if (!held || levelOf(stock) !== "ok") return false;
  const wanted = largest(target, usual);
  const twice = held.plus(held);
  return !twice.plus(twice).isLessThan(wanted.plus(wanted).plus(wanted));
}

export function worstLevel(levels: readonly WalletLevel[]): WalletLevel {
  return WALLET_LEVELS.find((level) => levels.includes(level)) ?? "ok";
}

/** What it lacks to cover its needs, its target and a day's payouts; zero if nothing. */
export function missingOf({ held, needed, target, usual }: Stock): Amount {
  const wanted = largest(needed, largest(target, usual));
  const missing = wanted.minus(held ?? Amount.zero(wanted.asset));
  return missing.isNegative() ? Amount.zero(wanted.asset) : missing;
}

function largest(one: Amount, other: Amount): Amount {
  return one.isLessThan(other) ? other : one;
}
