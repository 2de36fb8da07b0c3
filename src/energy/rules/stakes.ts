import { energyOf, type Stake, STAKE_MIN_RAW } from "../../domain/energy.ts";
import { Amount } from "../../domain/money/amount.ts";
import { refuse } from "../../domain/refusals/refuse.ts";

/** As many as the chain lets wait at a time. */
const UNSTAKING_MAX = 32;

interface Coin {
  readonly symbol: string;
  readonly decimals: number;
}

/** What a stake pays for in a day, without what is lent to others than our deposit addresses. */
export function sweepsPerDay(
  { stakedRaw, lentRaw, rate }: Pick<Stake, "stakedRaw" | "lentRaw" | "rate">,
  { lentToOursRaw, energyPerSweep }: {
    readonly lentToOursRaw: bigint;
    readonly energyPerSweep: bigint;
  },
): number {
  const lentElsewhereRaw = lentRaw - lentToOursRaw;
  return Number(energyOf(stakedRaw - lentElsewhereRaw, rate) / energyPerSweep);
}

/** In base units. Throws where the chain would refuse it, or the wallet couldn't pay for it. */
export function stakeRaw(
  amount: string,
  { coin, address, balanceRaw, feeRaw }: {
    readonly coin: Coin;
    readonly address: string;
    readonly balanceRaw: bigint;
    readonly feeRaw: bigint;
  },
): bigint {
  const { symbol } = coin;
  const raw = rawOf(amount, coin);
  if (raw + feeRaw > balanceRaw) {
    const [held, fee] = [textOf(balanceRaw, coin), textOf(feeRaw, coin)];
    throw refuse("stake_uncovered", { amount, symbol, address, held, fee });
  }
  return raw;
}

/** In base units. Throws where the chain would refuse it. */
export function unstakeRaw(
  amount: string,
  { coin, stake: { stakedRaw, lentRaw, unstaking }, nowMs }: {
    readonly coin: Coin;
    readonly stake: Pick<Stake, "stakedRaw" | "lentRaw" | "unstaking">;
    readonly nowMs: number;
  },
): bigint {
  const raw = rawOf(amount, coin);
  if (raw > stakedRaw - lentRaw) {
    const [staked, lent] = [textOf(stakedRaw, coin), textOf(lentRaw, coin)];
    throw refuse("unstake_uncovered", { amount, symbol: coin.symbol, staked, lent });
  }
  const waiting = unstaking.map(({ collectableAtMs }) => collectableAtMs)
    .filter((atMs) => atMs > nowMs);
  if (waiting.length >= UNSTAKING_MAX) {
    const next = timeOf(Math.min(...waiting));
    throw refuse("unstaking_too_often", { most: UNSTAKING_MAX, next });
  }
  return raw;
}

/** When an amount that is unstaked now can be used again. */
export function whenBack(days: number, nowMs: number): string {
  return `in ${days} days, on ${timeOf(nowMs + days * DAY_MS)}`;
}

interface Question {
  readonly word: string;
  readonly warning: string;
}

/** What somebody at a terminal has to confirm. */
export function stakeQuestion(
  { amount, symbol, address, days, sweeps }: {
    readonly amount: string;
    readonly symbol: string;
    readonly address: string;
    readonly days: number;
    readonly sweeps: { readonly before: number; readonly after: number };
  },
): Question {
  const warning = `${amount} ${symbol} of the gas wallet ${address} are staked for energy, which ` +
    `pays for ${perDay(sweeps)}. They can't be spent until they are unstaked, and come back ` +
    `${days} days after that.`;
  return { word: "stake", warning };
}

export function unstakeQuestion(
  { amount, symbol, address, days, nowMs, sweeps }: {
    readonly amount: string;
    readonly symbol: string;
    readonly address: string;
    readonly days: number;
    readonly nowMs: number;
    readonly sweeps: { readonly before: number; readonly after: number };
  },
): Question {
  const warning =
    `${amount} ${symbol} of the gas wallet ${address} give no energy any more, which ` +
    `then pays for ${perDay(sweeps)}. They come back ${whenBack(days, nowMs)}, and can't be ` +
    "spent until then.";
  return { word: "unstake", warning };
}

function perDay({ before, after }: { readonly before: number; readonly after: number }): string {
  return `${after} ${after === 1 ? "sweep" : "sweeps"} a day instead of ${before}`;
}

function rawOf(amount: string, { symbol, decimals }: Coin): bigint {
  const [, fraction = ""] = amount.split(".");
  if (fraction.length > decimals) {
    throw refuse("amount_too_precise", { name: "stake", amount, symbol, decimals });
  }
  const raw = Amount.parse(amount, symbol).toRaw(decimals);
  if (raw < STAKE_MIN_RAW) throw refuse("stake_too_small", { amount, symbol });
  return raw;
}

function textOf(raw: bigint, { symbol, decimals }: Coin): string {
  return Amount.fromRaw(raw, { asset: symbol, decimals }).toString();
}

const DAY_MS = 86_400_000;

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
