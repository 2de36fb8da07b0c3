import type { Deps } from "../../deps/deps.ts";
import type { DemoPayment } from "../../invoices/rules/demo_wallet.ts";

/** A network beside the local chain, on this machine only. */
export interface Beside extends AsyncDisposable {
  readonly code: string;
  readonly flag: string;
  readonly prices: Readonly<Record<string, string>>;
  setUp(deps: Deps, accountId: number): Promise<BesideNetwork>;
  /** From the node's own rich account; the next block has it. */
  pay(payment: DemoPayment): void | Promise<void>;
}

export interface BesideNetwork {
  readonly code: string;
  readonly chainId: string;
  /** As the guide calls it: "a simulated TRON node". */
  readonly what: string;
  /** Without a login. */
  readonly rpcUrl: string;
  readonly payer: string;
  /** The coin first. */
  readonly currencies: readonly {
    readonly currency: string;
    readonly contract_address: string | null;
  }[];
  readonly hotWallet: string;
  /** A payout to show. */
  readonly payout: { readonly amount: string; readonly currency: string; readonly hint: string };
}
