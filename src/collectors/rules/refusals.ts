interface OfNetwork {
  readonly code: string;
}

interface OfAddress {
  readonly address: string;
}

export const COLLECTORS = {
  sweeps_always_shared: ({ code }: OfNetwork) =>
    `Sweeps of ${code} share transactions anyway: only how long they wait for others can be set`,
  no_collectors: ({ code }: OfNetwork) =>
    `Sweeps of ${code} can't share a transaction: only those of EVM chains can`,
  no_delegations: ({ code }: OfNetwork) =>
    `Addresses of ${code} can't delegate yet: its chain doesn't know EIP-7702 (transactions of ` +
    "type 4). Nothing was sent, and sweeps go on one by one",
  collector_missing: ({ code }: OfNetwork) =>
    `Sweeps of ${code} can only share a transaction through a contract, and none is deployed`,
  collector_unconfirmed: ({ code, cost }: OfNetwork & { cost: string }) =>
    `Nobody was there to confirm the cost of about ${cost}: nothing was sent on ${code}`,
  collector_not_deployed: ({ code, why }: OfNetwork & { why: string }) =>
    `No contract was deployed on ${code}: ${why}`,
  gas_wallet_missing: ({ code }: OfNetwork) => `${code} has no gas wallet`,
  no_gas_wallets: ({ code }: OfNetwork) =>
    `${code} has no gas wallet: what is swept there pays its own fee, and nothing needs gas`,
  address_not_delegated: ({ address }: OfAddress) => `${address} delegates to no contract`,
  address_delegates_again: ({ address, code }: OfAddress & OfNetwork) =>
    `${address} would delegate again: sweeps of ${code} share transactions`,
  address_being_swept: ({ address }: OfAddress) =>
    `${address} can't be released while a sweep of it is under way`,
  address_not_released: ({ address, why }: OfAddress & { why: string }) =>
    `${address} was not released: ${why}`,
};
