import type { RefusalCode } from "../../domain/refusal.ts";

/** Whether an account may be paid in a currency now. What arrives is booked in any case. */
export const PAY_IN = useOf({
  flag: "isDepositEnabled",
  column: "is_deposit_enabled",
  off: "deposits_disabled",
});

/** Whether it may pay the currency out now. */
export const PAY_OUT = useOf({
  flag: "isWithdrawalEnabled",
  column: "is_withdrawal_enabled",
  off: "withdrawals_disabled",
});

/** What decides: whatever is false is a reason. */
export interface Usable {
  readonly isNetworkActive: boolean;
  readonly isCurrencyActive: boolean;
  /** Switched on for the account. */
  readonly isEnabled: boolean;
}

export interface Found {
  readonly network: { readonly isActive: boolean } | undefined;
  readonly currency: { readonly isActive: boolean } | undefined;
  /** The account's row. Undefined: never switched on. */
  readonly enabled: Switches | undefined;
}

interface Switches {
  readonly isDepositEnabled: boolean;
  readonly isWithdrawalEnabled: boolean;
}

const ACTIVE = { isActive: true };

function useOf<const Off extends RefusalCode>(
  { flag, column, off }: { flag: keyof Switches; column: string; off: Off },
) {
  /** The first that is false is told. */
  const whys = [
    ["isNetworkActive", "network_not_found"],
    ["isCurrencyActive", "currency_not_found"],
    ["isEnabled", off],
  ] as const;
  const of = ({ network, currency, enabled }: Found): Usable => ({
    isNetworkActive: network?.isActive ?? false,
    isCurrencyActive: currency?.isActive ?? false,
    isEnabled: enabled?.[flag] ?? false,
  });
  const whyNot = (usable: Usable) => whys.find(([fact]) => !usable[fact])?.[1];
  return {
    of,
    /** Undefined: it may. */
    whyNot,
    /** As far as the account's row says it. */
    isOn: (enabled: Switches | undefined): boolean =>
      whyNot(of({ network: ACTIVE, currency: ACTIVE, enabled })) === undefined,
    /** The same of a row of `account_currencies`. */
    isOnSql: `${column} = 1`,
    /** All that it may be refused for. */
    refusals: whys.map(([, refusal]) => refusal),
  };
}
