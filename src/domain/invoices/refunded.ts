import { coinsOf, isStillThere } from "./accepted.ts";

interface Coins {
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
}

/** In words. The status stays what the payments made it. */
export type Refunded = "refunded" | "partly refunded";

/** Of what was credited, and of refunds that arrived. Undefined: nothing was given back. */
export function refundedOf(
  credited: readonly Coins[],
  returned: readonly Coins[],
): Refunded | undefined {
  if (returned.length === 0) return undefined;
  return isStillThere(coinsOf(credited), coinsOf(returned)) ? "refunded" : "partly refunded";
}
