/** What would help, if known: more of the native coin, more tokens, or a higher limit. */
type Lack = "coins" | "tokens" | "price" | "fee";

/** The wallet can't pay this now, and nothing was signed. */
export class CannotPay extends Error {
  override name = "CannotPay";

  constructor(
    message: string,
    readonly lack?: Lack,
    /** What has to be sent where, for people: what callers of the API read stays as it is. */
    readonly remedy?: string,
  ) {
    super(message);
  }

  get lacksCoins(): boolean {
    return this.lack === "coins";
  }

  /** What whoever asked for the payment sees. The operator sees the message. */
  get messageForCaller(): string {
    return this.message;
  }

  get messageForOperator(): string {
    return this.#advised(this.message);
  }

  /** Of an account, who may fund its hot wallet. */
  get messageForPayer(): string {
    return this.#advised(this.messageForCaller);
  }

  #advised(text: string): string {
    return this.remedy === undefined ? text : `${text}: ${this.remedy}`;
  }
}

/** Time or an operator may solve it, so payments that nobody is waiting for wait too. */
export class CannotPayYet extends CannotPay {
  override name = "CannotPayYet";
}

/** Until there is another block. */
export class WaitsForBlock extends CannotPayYet {
  override name = "WaitsForBlock";
}

/** Until prices fall or the operator allows more. */
export class TooExpensive extends CannotPayYet {
  override name = "TooExpensive";
}

export class WalletHalted extends CannotPayYet {
  override name = "WalletHalted";

  override get messageForCaller(): string {
    return "The hot wallet signs nothing until its operator has looked";
  }
}

/** What the books hold doesn't prove that it may be paid. */
export class Unproven extends CannotPayYet {
  override name = "Unproven";

  override get messageForCaller(): string {
    return "Nothing is paid until the operator has checked an alert";
  }
}

export function refusedBy(
  { cause, reason }: { readonly cause: string; readonly reason: string },
): CannotPay {
  if (cause === "above_fee_max") return new TooExpensive(reason, "fee");
  if (cause === "too_expensive") return new TooExpensive(reason, "price");
  if (cause === "waiting") return new WaitsForBlock(reason);
  return new CannotPay(reason, cause === "unaffordable" ? "coins" : undefined);
}
