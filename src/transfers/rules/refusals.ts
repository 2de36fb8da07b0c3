export const TRANSFERS = {
  wallet_signs_nothing: (
    { network, address, why }: { network: string; address: string; why: string },
  ) => `The wallet ${address} on ${network} signs nothing new until it is resumed: ${why}`,
  bids_used_up: ({ bids }: { bids: number }) => `${bids} bids were not enough`,
  bid_too_soon: ({ seconds }: { seconds: number }) =>
    `Give the last bid a chance first: try again in ${seconds} s`,
};
