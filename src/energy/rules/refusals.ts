interface OfNetwork {
  readonly network: string;
}

interface Staked {
  readonly amount: string;
  readonly symbol: string;
}

export const ENERGY = {
  no_energy: ({ network }: OfNetwork) =>
    `${network} has no energy: what contracts do there is paid with gas, and nothing is staked for it`,
  stake_too_small: ({ amount, symbol }: { amount: string; symbol: string }) =>
    `${amount} ${symbol} is too little: the least that the chain takes is 1 ${symbol}`,
  stake_uncovered: (
    { amount, symbol, address, held, fee }: Staked & {
      address: string;
      held: string;
      fee: string;
    },
  ) =>
    `${address} holds ${held} ${symbol}, too little to stake ${amount} and pay a fee of up to ${fee}`,
  unstake_uncovered: (
    { amount, symbol, staked, lent }: Staked & { staked: string; lent: string },
  ) =>
    `${amount} ${symbol} can't be unstaked: ${staked} are staked for energy, and ${lent} of them ` +
    "are lent now",
  unstaking_too_often: ({ most, next }: { most: number; next: string }) =>
    `${most} amounts are on their way back already, as many as the chain allows; the next arrives ${next}`,
  stake_unconfirmed: ({ network }: OfNetwork) =>
    `Nobody was there to confirm it: nothing was sent on ${network}`,
  stake_refused: ({ network, why }: OfNetwork & { why: string }) =>
    `The stake on ${network} was left as it is: ${why}`,
  stake_changed: ({ amount }: { amount: string }) =>
    `The stake was changed from elsewhere before ${amount} was confirmed: nothing was sent, look ` +
    "at it and ask again",
  stake_on_its_way: ({ txHash }: { txHash: string }) =>
    `${txHash} changes the stake already and isn't final yet: look again in some minutes`,
};
