export interface PriceOptions {
  /** Signed bytes with the same nonce to replace: both prices rise by an eighth. */
  readonly outbids?: string;
  /** The maximum price per unit of gas, in base units of the native coin; null: no limit. */
  readonly gasPriceMaxRaw?: bigint | null;
  /** Gas that called code may use, on top of a payment to an account without code; null: no limit. */
  readonly gasMax?: bigint | null;
  /** The maximum of all fees together, for this gas limit. */
  readonly feeMaxFor?: (gas: bigint) => bigint;
  /** The cap on tips that nodes suggest. */
  readonly tipMaxRaw?: bigint;
}

export interface Charge {
  /** The limit of gas (or energy). */
  readonly gas: bigint;
  /** The most that it may cost; on an OP Stack, if its data costs at most twice as much by then. */
  readonly maxRaw: bigint;
}

/** How a chain charges for the data it writes to its base chain. */
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
