export const BOOKS = {
  state_changed: () => "The state has changed; try again",
  network_unknown: ({ code }: { code: string }) => `There is no network ${code}`,
  currency_unknown: ({ network, symbol }: { network: string; symbol: string }) =>
    `${network} has no currency ${symbol}`,
  account_unknown: ({ id }: { id: number }) => `There is no account ${id}`,
  address_wrong: ({ text, network }: { text: string; network: string }) =>
    `"${text}" is not an address of ${network}`,
};
