export const RATES = {
  rate_source_unknown: ({ id }: { id: number }) => `There is no rate source ${id}`,
  rate_sources_too_many: ({ max }: { max: number }) => `There can be at most ${max} rate sources`,
  rate_pair_same: () => "A rate needs two different currencies",
  rate_value_wrong: ({ value }: { value: string }) =>
    `"${value}" is not a rate: it must be above 0 and have at most 60 digits`,
  rate_pointer_wrong: ({ pointer }: { pointer: string }) =>
    `"${pointer}" is not a JSON pointer such as /result/price`,
  rate_url_refused: ({ url, why }: { url: string; why: string }) =>
    `No prices can be read from ${url}: ${why}`,
  rate_feed_refused: ({ network }: { network: string }) => `${network} has no Chainlink feeds`,
};
