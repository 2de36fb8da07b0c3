export const RATES = {
  rate_source_unknown: ({ id }: { id: number }) => `There is no rate source ${id}`,
  rate_sources_too_many: ({ max }: { max: number }) => `There can be at most ${max} rate sources`,
  invoice_currency_unknown: ({ symbol }: { symbol: string }) =>
    `${symbol} has no rates, and is no coin that the account can receive`,
  payment_link_unknown: ({ id }: { id: number }) => `There is no payment link ${id}`,
  payment_link_suspended: ({ id }: { id: number }) => `Account ${id} is suspended`,
  payment_link_fixed: () => "A link with a fixed amount can't have a minimum or a maximum",
  payment_link_bounds: () => "The maximum is below the minimum",
  payment_link_zero: () => "Nobody can pay nothing: the amounts must be above 0",
  rate_pair_same: () => "A rate needs two different currencies",
  rate_value_wrong: ({ value }: { value: string }) =>
    `"${value}" is not a rate: it must be above 0 and have at most 60 digits`,
  rate_pointer_wrong: ({ pointer }: { pointer: string }) =>
    `"${pointer}" is not a JSON pointer such as /result/price`,
  rate_url_refused: ({ url, why }: { url: string; why: string }) =>
    `No prices can be read from ${url}: ${why}`,
  rate_unread: ({ why }: { why: string }) => `There is no price: ${why}`,
  rate_feed_refused: ({ network }: { network: string }) => `${network} has no Chainlink feeds`,
};
