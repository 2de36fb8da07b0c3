export const TRANSFERS = {
  bids_used_up: ({ bids }: { bids: number }) => `${bids} bids were not enough`,
  bid_too_soon: ({ seconds }: { seconds: number }) =>
    `Give the last bid a chance first: try again in ${seconds} s`,
};
