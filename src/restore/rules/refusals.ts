import type { WithdrawalStatus } from "../../withdrawals/rules/moves.ts";

interface Wallet {
  readonly network: string;
  readonly address: string;
}

interface Spend {
  readonly network: string;
  readonly txHash: string;
}

interface Payment {
  readonly amount: string;
  readonly currency: string;
  readonly to: string;
}

interface Paying extends Payment {
  readonly id: number;
}

interface NotCovered {
  readonly txHash: string;
  readonly amount: string;
  readonly fee: string;
  readonly cost: string;
  readonly currency: string;
  readonly accountId: number;
  readonly available: string;
  readonly asset: string;
  readonly missing: string;
}

interface Elsewhere extends Wallet {
  readonly others: readonly string[];
}

interface OtherKey extends Wallet {
  readonly other: string;
  readonly sent: number;
  readonly isGasWallet: boolean;
}

/** Of what a node saw, and these books don't know. */
export const ADOPTING = {
  spend_unknown: ({ txHash, network }: Spend) =>
    `No address of this gateway sent ${txHash} in the blocks of ${network} read so far`,
  spend_of_other_kind: ({ txHash }: Spend) =>
    `This gateway never signs transactions like ${txHash}: find out who has the key`,
  spend_without_payment: ({ txHash }: Spend) =>
    `${txHash} is not a payment, and this gateway signs nothing else: find out who has the key`,
  spend_of_no_currency: ({ txHash, contract, network }: Spend & { contract: string }) =>
    `${txHash} moved ${contract}, which is not a currency of ${network}`,
  payout_unexplained: ({ txHash, to, accountId }: Spend & { to: string; accountId: number }) =>
    `${txHash} paid ${to} from the hot wallet of account ${accountId}`,
  payouts_unexplained: (
    { txHash, accountId, outputs }: Spend & { outputs: readonly number[]; accountId: number },
  ) =>
    `${txHash} paid several from the hot wallet of account ${accountId}: outputs ` +
    `${outputs.join(", ")} aren't booked`,
  payout_unnamed: ({ txHash, output, to }: { txHash: string; output: number; to: string }) =>
    `Output ${output} of ${txHash} paid ${to}, and nothing says which withdrawal that was`,
  spend_without_output: ({ txHash, output }: { txHash: string; output: number }) =>
    `Output ${output} of ${txHash} is no payout that has to be named`,
  spend_of_one_payout: ({ txHash }: { txHash: string }) => `${txHash} doesn't pay several`,
  sweep_of_unknown: ({ txHash }: Spend) =>
    `${txHash} gathered outputs of which the books lack some`,
  sweep_unexplained: (
    { txHash, amount, currency, known }: Spend & {
      address: string;
      amount: string;
      currency: string;
      known: string;
    },
  ) => `${txHash} moved ${amount} ${currency}, but the books only have deposits of ${known} for it`,
  sweep_to_other_wallet: (
    { txHash, to, accountId, network, receiving }: Spend & {
      to: string;
      accountId: number;
      receiving: string | null;
    },
  ) =>
    `${txHash} went to ${to}, but the receiving wallet of account ${accountId} on ${network} is ${
      receiving ?? "not set"
    }`,
  batch_of_unknown_contract: ({ txHash, contract }: Spend & { contract: string }) =>
    `${txHash} collected through ${contract}, and these books don't know that the gas wallet ` +
    "deployed it",
  batch_of_unknown_addresses: (
    { txHash, address, count }: Spend & { address: string; count: number },
  ) =>
    `${txHash} swept ${address}${count === 1 ? "" : ` and ${count - 1} more`}, ` +
    `which ${count === 1 ? "is no deposit address" : "are no deposit addresses"} of these books`,
  sweep_changed: () => "The sweep has changed; try again",
  sweep_under_way: ({ id }: { id: number }) =>
    `Sweep ${id} is under way from there: try again when it is settled`,
  payout_to_ourselves: ({ txHash, to }: { txHash: string; to: string }) =>
    `${txHash} only moved our own money, to ${to}, so it is not a withdrawal`,
  payout_waited_for: (
    { id, amount, currency, to }: Paying & { txHash: string; output: number | null },
  ) => `Withdrawal ${id} is waiting to pay ${amount} ${currency} to ${to}`,
  payout_not_waited_for: ({ id, amount, currency, to }: Paying) =>
    `Withdrawal ${id} is not waiting to pay ${amount} ${currency} to ${to}`,
  withdrawal_has_transaction: (
    { id, status, txHash }: { id: number; status: WithdrawalStatus; txHash: string },
  ) => `Withdrawal ${id} is ${status}, with a transaction of its own: ${txHash} is another payment`,
  withdrawal_not_lost: (
    { id, txHash, standing }: Spend & { id: number; standing: string },
  ) => `${standing} may still pay withdrawal ${id}, so that ${txHash} is another payment`,
  reference_of_other_withdrawal: (
    { id, status, reference }: { id: number; status: WithdrawalStatus; reference: string },
  ) => `Withdrawal ${id} (${status}) already has the reference "${reference}"`,
  key_of_other_account: ({ keyId, accountId }: { keyId: string; accountId: number }) =>
    `"${keyId}" is not a key of account ${accountId}`,
  payout_not_covered: (
    { txHash, amount, fee, cost, currency, accountId, available, asset, missing }: NotCovered,
  ) =>
    `${txHash} takes ${cost} ${currency} (${amount} and a fee of ${fee}), but account ` +
    `${accountId} has only ${available} of ${asset} available, ${missing} too little`,
};

export const RESUMING = {
  wallet_not_halted: ({ address }: Wallet) => `${address} is not halted`,
  wallet_sent_more: ({ address }: Wallet) =>
    `More transactions sent by ${address} have been read: try again`,
  wallet_not_read: (
    { network, address, readTo, sentTo }: Wallet & { readTo: number; sentTo: number },
  ) =>
    `${network} has been read up to block ${readTo}, but what ${address} sent up to block ` +
    `${sentTo} must be known first`,
  wallet_unexplained: ({ address, count, txHash }: Wallet & { count: number; txHash: string }) =>
    `${address} sent ${count === 1 ? "one payment" : `${count} payments`} that the books do not ` +
    `explain, ${txHash} first`,
  wallet_read_without: ({ address, sent, known }: Wallet & { sent: number; known: number }) =>
    `${address} sent ${sent} transactions, but these books only know of ${known}`,
  wallet_far_ahead: ({ address, sent, known }: Wallet & { sent: number; known: number }) =>
    `A node counts ${sent} transactions of ${address}, and these books only know of ${known}: what ` +
    "is signed at such a nonce is never mined if that is wrong",
  wallet_not_counted: ({ network, address }: Wallet) =>
    `${network} was read before these books had ${address}, and its chain keeps no count of what ` +
    "that sent",
  wallet_was_another: ({ network, other, sent, isGasWallet }: OtherKey) =>
    `${other}, another key of the same owner, has sent transactions on ${network} (${sent}): ` +
    `before the restore, wallets were created in another order, and that one was ${network}'s. ${
      isGasWallet
        ? "What it sent is not in the books, and what it holds stays there"
        : "What it paid is not in the books"
    }`,
  payments_in_pool: ({ address, count }: Wallet & { count: number }) =>
    `${count === 1 ? "One payment" : `${count} payments`} sent by ${address} ` +
    `${count === 1 ? "is" : "are"} waiting in a node's pool`,
  payments_may_come: (
    { network, address, until, newest }: Wallet & Record<"until" | "newest", string>,
  ) =>
    `Blocks of ${network} up to ${until} may contain what ${address} signed before the restore, ` +
    `but the newest is from ${newest}`,
};

export const RECOVERING = {
  books_not_restored: () => "These books were not restored from a backup: they know all addresses",
  lost_account_unassigned: ({ lostAccountId }: { lostAccountId: number }) =>
    `The account that replaces lost account ${lostAccountId} is missing`,
  keys_without_owners: ({ network }: { network: string }) =>
    `Keys of ${network} don't show whose addresses they were: name the account and its addresses`,
  account_after_restore: ({ accountId }: { accountId: number }) =>
    `Account ${accountId} was created after the restore, and these books know all its addresses`,
  account_in_books: ({ accountId, name }: { accountId: number; name: string }) =>
    `Account ${accountId} is in these books: ${name}`,
  account_never_lost: ({ accountId, below }: { accountId: number; below: number }) =>
    `No account had the id ${accountId} before the restore: all ids were below ${below}`,
  address_in_books: ({ address, accountId, network }: Wallet & { accountId: number | null }) =>
    `${address} is in these books: account ${accountId}'s on ${network}`,
  address_not_derived: (
    { address, accountId, unused }: {
      address: string;
      accountId: number | undefined;
      unused: number;
    },
  ) =>
    `${address} is not a lost deposit address of ${
      accountId === undefined ? "any account" : `account ${accountId}`
    }: the search stopped after ${unused} unused keys in a row`,
  address_used_elsewhere: ({ address, others }: Elsewhere) =>
    `${address} was used on ${others.join(", ")} too, and can only be booked on one network`,
  address_maybe_used_elsewhere: ({ address, others }: Elsewhere) =>
    `${others.join(", ")} could not be asked whether ${address} was used there too, and it can ` +
    "only be booked on one network",
};

interface File {
  readonly file: string;
}

export const BACKUPS = {
  backup_damaged: ({ file, damage }: File & { damage: string }) =>
    `${file} is not an intact backup: ${damage}`,
  backup_unbalanced: ({ file }: File) => `The books of ${file} do not add up`,
  backup_tampered: ({ file }: File) => `${file} contains rows that its gateway did not write`,
  backup_of_later: ({ now, newest }: { now: string; newest: string }) =>
    `This machine's clock says ${now}, but the backup has records up to ${newest}: set the ` +
    "clock right first, because it numbers new records",
  moved_already: ({ url }: { url: string }) =>
    `The database is at ${url}, and only one in a file can be moved`,
  moved_books_wrong: ({ url }: { url: string }) =>
    `The books at ${url} do not add up, or somebody else has written there: nothing was moved`,
  database_moved: ({ url }: { url: string }) =>
    `This database was moved to ${url}, and is there now: serve that one`,
  copy_not_opened: ({ why }: { why: string }) => `${why}: the copy cannot be used with it`,
};
