import type { TokenMove } from "./token_moves.ts";

/** As we read it before it was final. */
export interface SeenTransaction {
  readonly txHash: string;
  readonly height: number;
  readonly succeeded: boolean;
  /** Its payment to us. */
  readonly payment?: SeenPayment;
  /** The token transfer it was signed for, as its logs show it; 0 if they show none. */
  readonly arrival?: TokenMove;
  /** Of a batch that succeeded: the position of an order that it didn't carry out. */
  readonly failedOrder?: number;
}

export interface SeenPayment {
  readonly contract: string | null;
  readonly to: string;
  readonly position: number;
  readonly amountRaw: bigint;
}
