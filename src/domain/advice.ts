import type { HaltCode } from "./reason_codes.ts";
import type { LaterChange } from "../integrity/rules/refusals.ts";

/** What helps against an alert, and what it takes. Each adapter words it for its readers. */
interface AdviceFields {
  readonly resume_wallet: {
    readonly network: string;
    readonly address: string;
    readonly halted: HaltCode;
  };
  readonly adopt_spend: { readonly network: string; readonly txHash: string };
  readonly settle_withdrawal: { readonly withdrawalId: number };
  readonly switch_traces_off: { readonly network: string };
  readonly reconcile_untraced: Nothing;
  readonly resend_dead_events: { readonly webhookId: number };
  readonly enable_webhook: { readonly webhookId: number };
  readonly bid_anyway: { readonly network: string };
  readonly raise_fee_max: { readonly network: string };
  readonly credit_surplus: {
    readonly network: string;
    readonly address: string;
    readonly currency: string;
    readonly amount: string;
    readonly accountId: number;
  };
  readonly allow_recipient: { readonly network: string; readonly address: string };
  readonly fund_gas_wallet: { readonly network: string };
  readonly accept_balances: Nothing;
  readonly resume_signing: Nothing;
  readonly check_rows: Nothing;
  readonly vouch_for_deposit: { readonly transactionId: number };
  readonly accept_payment: { readonly transferId: number };
  readonly change_again: { readonly change: LaterChange };
}

type Nothing = Readonly<Record<never, never>>;

export type Advice = {
  [C in keyof AdviceFields]: { readonly code: C } & AdviceFields[C];
}[keyof AdviceFields];

/** One wording for each code: the compiler names the one that is missing. */
export type AdviceWords = {
  readonly [C in keyof AdviceFields]: (fields: AdviceFields[C]) => string;
};

export function wordAdvice(words: AdviceWords, advice: Advice): string {
  return (words[advice.code] as (fields: Advice) => string)(advice);
}
