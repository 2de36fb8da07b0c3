import type { TokenMove } from "./token_moves.ts";

/** As our own reading found it, before it was final. */
export interface SeenTransaction {
  readonly txHash: string;
  readonly height: number;
  readonly succeeded: boolean;
  /** What it paid to us. */
  readonly payment?: SeenPayment;
  /** What its logs came to of the token that it was signed for: 0 where they told of nothing. */
  readonly arrival?: TokenMove;
}

export interface SeenPayment {
  readonly contract: string | null;
  readonly to: string;
  readonly position: number;
  readonly amountRaw: bigint;
}
