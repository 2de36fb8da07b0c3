interface Asset {
  readonly network: string;
  readonly currency: string;
}

interface Booked extends Asset {
  readonly reference: string;
  readonly amount: string;
  readonly at: string;
}

interface Uncovered extends Asset {
  readonly accountId: number;
  readonly amount: string;
  readonly available: string;
  readonly left: string;
}

export const ACCOUNTS = {
  notes_full: ({ max }: { max: number }) => `There are already ${max} notes, which is the most`,
  currency_barred: ({ what, currency }: { what: "Deposits" | "Withdrawals"; currency: string }) =>
    `${what} of ${currency} were switched off by an operator: only an operator can switch them on`,
  address_unspendable: ({ address, why }: { address: string; why: string }) => `${address} ${why}`,
  receiver_unchanged: ({ accountId, network }: { accountId: number; network: string }) =>
    `No change of account ${accountId}'s receiving wallet on ${network} is waiting`,
  receiver_tampered: ({ accountId, network }: { accountId: number; network: string }) =>
    `Someone changed the stored receiving wallet of account ${accountId} on ${network} in the database`,
  address_our_own: ({ address, purpose }: { address: string; purpose: string }) =>
    `${address} is one of this gateway's own ${purpose} addresses`,
  reference_taken: ({ reference, amount, currency, network, at }: Booked) =>
    `The reference "${reference}" was already used for ${amount} ${currency} on ${network} at ` +
    `${at}: use another reference for another entry`,
  reference_lost: ({ reference }: { reference: string }) =>
    `According to the audit log, the reference "${reference}" was used before, but its row is ` +
    "gone: nothing was booked",
  adjustment_uncovered: ({ accountId, available, currency, network, amount, left }: Uncovered) =>
    `Account ${accountId} has ${available} ${currency} available on ${network}, and ` +
    `${amount} would leave ${left}`,
};
