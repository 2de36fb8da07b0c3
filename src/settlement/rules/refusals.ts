interface Spend {
  readonly txHash: string;
}

export const SETTLEMENT = {
  spend_on_halted: ({ network }: { network: string }) =>
    `${network} is halted, so nothing on it is certain`,
  spend_not_final: (
    { txHash, height, network, final }: Spend & { height: number; network: string; final: number },
  ) => `${txHash} is in block ${height}, but ${network} is only final up to ${final}: try again`,
  spend_not_gas: ({ txHash, to }: Spend & { to: string }) =>
    `${txHash} from the gas wallet paid ${to}, which is not an account's address, so it is no ` +
    "gas top-up",
};
