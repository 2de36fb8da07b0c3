import type { Refused } from "../../chains/chain.ts";

/** What would help, where that is known: more of the native coin, more tokens, another limit of either kind. */
type Lack = "coins" | "tokens" | "price" | "fee";

/** The wallet cannot pay this now: nothing was signed. */
export class CannotPay extends Error {
  override name = "CannotPay";

  constructor(message: string, readonly lack?: Lack) {
    super(message);
  }

  get lacksCoins(): boolean {
    return this.lack === "coins";
  }
}

/** What time or an operator may explain: what nobody waits for an answer of waits as well. */
export class CannotPayYet extends CannotPay {
  override name = "CannotPayYet";
}

/** Until prices fall or its operator allows more. */
export class TooExpensive extends CannotPayYet {
  override name = "TooExpensive";
}

/** What its operator is told of it is nothing for whoever asked for a payment. */
export class WalletHalted extends CannotPayYet {
  override name = "WalletHalted";
  readonly toldCaller = "The hot wallet signs nothing until its operator has looked";
}

export function refusedBy({ cause, reason }: Refused): CannotPay {
  if (cause === "above_fee_max") return new TooExpensive(reason, "fee");
  if (cause === "too_expensive") return new TooExpensive(reason, "price");
  return new CannotPay(reason, cause === "unaffordable" ? "coins" : undefined);
}
