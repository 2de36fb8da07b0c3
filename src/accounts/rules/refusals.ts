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

interface KeysOf {
  readonly network: string;
  readonly names: string;
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
  xpub_private: ({ network }: { network: string }) =>
    `This is a private key, and whoever has seen it can spend what it holds on ${network}. Give the ` +
    "extended public key",
  xpub_of_other_network: ({ network, names }: KeysOf) =>
    `This extended key isn't one of ${network}: those begin with ${names}`,
  xpub_malformed: ({ network, names }: KeysOf) =>
    `This isn't a complete extended public key of ${network}, which begins with ${names}, ` +
    "or its checksum is wrong",
  xpub_unknown: ({ network }: { network: string }) =>
    `No addresses of ${network} can be derived from an extended key: give an address`,
  xpub_taken: () => "This extended key is, or was, another account's",
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
