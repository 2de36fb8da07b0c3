/** Pays what a payer's page asks for. Only the demo has one, on a chain of its own. */
export interface DemoWallet {
  pay(payment: DemoPayment): Promise<void>;
}

export interface DemoPayment {
  readonly network: string;
  /** Null: the native coin. */
  readonly contract: string | null;
  readonly address: string;
  readonly raw: bigint;
}
