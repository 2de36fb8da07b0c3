export const TRANSFERS = {
  bids_used_up: ({ bids }: { bids: number }) => `${bids} bids were not enough`,
  bid_too_soon: ({ seconds }: { seconds: number }) =>
    `The last bid has to get its chance first: try again in ${seconds} s`,
};
