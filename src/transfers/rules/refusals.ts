export const TRANSFERS = {
  wallet_signs_nothing: (
    { network, address, why }: { network: string; address: string; why: string },
  ) => `The wallet ${address} on ${network} signs nothing new until it is resumed: ${why}`,
  gas_on_its_way: ({ txHash }: { txHash: string }) =>
    `${txHash} takes coins out of the gas wallet already and isn't final yet`,
  gas_not_withdrawn: ({ code, why }: { code: string; why: string }) =>
    `Nothing was taken out of the gas wallet of ${code}: ${why}`,
  gas_unconfirmed: ({ code }: { code: string }) =>
    `Nobody was there to confirm it: nothing was taken out of the gas wallet of ${code}`,
  nothing_to_revoke: ({ network }: { network: string }) =>
    `The gas wallet of ${network} has no transaction that waits for a block`,
  not_replaceable: ({ network, minutes }: { network: string; minutes: number }) =>
    `Transactions on ${network} cannot be replaced: one that is not mined expires by itself ` +
    `${minutes} minutes after it was signed`,
  not_revoked: ({ txHash, why }: { txHash: string; why: string }) =>
    `${txHash} cannot be replaced: ${why}`,
  bids_used_up: ({ bids }: { bids: number }) => `${bids} bids were not enough`,
  bid_too_soon: ({ seconds }: { seconds: number }) =>
    `Give the last bid a chance first: try again in ${seconds} s`,
};
