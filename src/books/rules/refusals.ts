interface Currency {
  readonly network: string;
  readonly symbol: string;
}

export const BOOKS = {
  state_changed: () => "The state has changed; try again",
  network_unknown: ({ code }: { code: string }) => `There is no network ${code}`,
  currency_unknown: ({ network, symbol }: Currency) => `${network} has no currency ${symbol}`,
  account_unknown: ({ id }: { id: number }) => `There is no account ${id}`,
  address_wrong: ({ text, network }: { text: string; network: string }) =>
    `"${text}" is not an address of ${network}, or its checksum is wrong`,
  address_unknown: ({ address, network }: { address: string; network: string }) =>
    `${address} is not an address of this gateway on ${network}`,
  native_coin_without_contract: ({ network, symbol }: Currency) =>
    `${symbol} is the native coin of ${network} and has no contract`,
  contract_taken: ({ network, symbol, contract }: Currency & { contract: string }) =>
    `${network} already has ${symbol} at ${contract}`,
  currency_moved: ({ network, symbol }: Currency) =>
    `${symbol} on ${network} has transactions, so its contract and decimals cannot change`,
  currency_held: ({ network, symbol, accountId }: Currency & { accountId: number }) =>
    `${symbol} on ${network} has a balance (account ${accountId}), so its contract and decimals ` +
    "cannot change",
  bookings_too_many: () => "Too many bookings are in progress to change this safely: try again",
};
