interface Account {
  readonly accountId: number;
}

export const RECONCILE = {
  rows_tampered: ({ accountId }: Account) => `Rows of account ${accountId} were tampered with`,
  not_frozen: ({ accountId, asset }: Account & { asset: string }) =>
    `Withdrawals of ${asset} are not paused for account ${accountId}`,
};
