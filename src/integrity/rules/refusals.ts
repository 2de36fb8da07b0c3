interface Account {
  readonly accountId: number;
}

interface Row {
  readonly table: string;
  readonly key: string;
}

/** What the log says was done after an old row. */
export type LaterChange = keyof typeof LATER;

const LATER = {
  account_suspended: "the account was suspended",
  key_changed: "the key was changed",
  key_revoked: "the key was revoked",
  payouts_switched_off: "payouts of the currency were switched off",
  receiver_set: "another wallet was set after this one",
  user_changed: "the user was changed after this",
} as const;

interface OldRow extends Row {
  readonly change: LaterChange;
}

export function outOfDate({ table, key, change }: OldRow): string {
  return `Row ${key} of ${table} is out of date: the audit log says that ${LATER[change]}`;
}

interface Sums {
  readonly balance: string;
  readonly held: string;
}

interface BalanceRow extends Sums {
  readonly key: string;
  readonly ledger: Sums | null;
}

export const INTEGRITY = {
  row_unknown: ({ table, key }: Row) => `There is no row ${key} in ${table}`,
  row_genuine: ({ table, key }: Row) => `Row ${key} of ${table} is as this gateway wrote it`,
  row_tampered: ({ table, key }: Row) => `Row ${key} of ${table} is not as this gateway wrote it`,
  row_out_of_date: (row: OldRow) =>
    `${outOfDate(row)}. It is not used until the change is made again`,
  row_accepted_early: (row: OldRow) =>
    `${outOfDate(row)}. Accepting it has no effect until the change is made again`,
  balance_not_as_ledger: ({ key, balance, held, ledger }: BalanceRow) =>
    `Balance ${key} is ${balance} with ${held} held, and ` +
    (ledger
      ? `by its ledger it is ${ledger.balance} with ${ledger.held} held`
      : "no ledger entry explains it"),
  payment_not_noted: ({ txHash }: { id: number; txHash: string }) =>
    `Nothing proves that ${txHash} is the newest payment of its wallet: the audit log is not ` +
    "whole since it was signed",
  deposit_not_proven: ({ id }: { id: number }) =>
    `Nothing proves that deposit ${id} was not credited before: the audit log is not whole ` +
    "since it was paid",
  withdrawal_not_proven: ({ id }: { id: number }) =>
    `Nothing proves that withdrawal ${id} was not paid already: the audit log is not whole ` +
    "since it was requested",
  withdrawal_not_allowed: ({ id }: { id: number }) =>
    `Withdrawal ${id} was accepted although, by the audit log, its account was suspended or its ` +
    "currency was switched off",
  account_not_tampered: ({ accountId }: Account) =>
    `Account ${accountId} is not paused because of a tampered row`,
  nothing_tampered: () => "There is no open alert about a tampered row that belongs to no account",
};
