export interface PriceOptions {
  /** Signed bytes with the same nonce that this must replace: both prices an eighth higher. */
  readonly outbids?: string;
  /** The most a unit of gas may cost, in base units of the native coin; null: no limit. */
  readonly gasPriceMaxRaw?: bigint | null;
  /**
   * How much gas what is called may use on top of a payment to an account without code; null: no limit.
   */
  readonly gasMax?: bigint | null;
  /** The most that all its fees may come to, for the gas that it may use. */
  readonly feeMaxFor?: (gas: bigint) => bigint;
  /** What a node suggests as a tip counts up to here. */
  readonly tipMaxRaw?: bigint;
}

export interface Charge {
  /** Units of gas, or of energy, that it may use. */
  readonly gas: bigint;
  /** The most that the chain may ever take for it, whatever else changes until it is mined. */
  readonly maxRaw: bigint;
}

/** How a chain charges for what it writes to the chain below it. */
export type FeeModel = "l1" | "op_stack" | "arbitrum";

interface AboveFeeMax {
  readonly kind: "refused";
  readonly cause: "above_fee_max";
  readonly reason: string;
  readonly above: Charge;
}

export function aboveFeeMax(
  above: Charge,
  { feeMaxFor }: Pick<PriceOptions, "feeMaxFor">,
): AboveFeeMax | undefined {
  const limitRaw = feeMaxFor?.(above.gas);
  if (limitRaw === undefined || above.maxRaw <= limitRaw) return undefined;
  const reason = `its fees may come to ${above.maxRaw}, at most ${limitRaw} are allowed`;
  return { kind: "refused", cause: "above_fee_max", reason, above };
}
