import type { RefusalWords } from "../../domain/refusals/refuse.ts";

interface Wallet {
  readonly network: string;
  readonly address: string;
}

function anyway({ network, address }: Wallet): string {
  return `"wallet resume --network ${network} --address ${address} --anyway"`;
}

function orAnyway(way: string, wallet: Wallet): string {
  return `${way}; or ${anyway(wallet)} if you know that none of it paid a withdrawal`;
}

function readAgain({ network }: Wallet): string {
  return `"rescan --network ${network} --from-block N", with an N from before the backup, finds ` +
    'what it paid since; book that with "wallet adopt"';
}

/** What to do about refusals after a restore. */
export const AFTER_RESTORE: RefusalWords = {
  spend_unknown: () => '"network list" shows how far that is',
  payout_unexplained: ({ txHash, network }) =>
    `"wallet adopt ${txHash} --network ${network}" books it as a withdrawal`,
  payouts_unexplained: ({ txHash, network, outputs }) =>
    `name each: "wallet adopt ${txHash} --network ${network} ${
      outputs.map((output) => `--payout ${output}=ID`).join(" ")
    }"`,
  payout_unnamed: ({ output }) =>
    `name it with "--payout ${output}=ID" or "--payout ${output}=new"`,
  spend_of_one_payout: () => "say what it paid with --withdrawal, or --key and --reference",
  sweep_of_unknown: recoverFirst,
  sweep_unexplained: ({ txHash, network, address }) =>
    `first book what paid ${address}, or name it: "wallet adopt ${txHash} --network ${network}"`,
  sweep_to_other_wallet: ({ to }) =>
    `if it was ${to} at that time, set it with "account receiving-wallet --now" and try again`,
  batch_of_unknown_contract: ({ network }) =>
    `first book what deployed it: "wallet adopt --network ${network}"`,
  batch_of_unknown_addresses: recoverFirst,
  payout_waited_for: ({ id, txHash, output }) =>
    output === null
      ? `use "--withdrawal ${id}" if ${txHash} paid it, "--withdrawal new" if not`
      : `use "--payout ${output}=${id}" if ${txHash} paid it, "--payout ${output}=new" or ` +
        `"--payout ${output}=new/KEY/REFERENCE" if not`,
  payout_not_waited_for: () =>
    'if it has failed or was cancelled, it holds nothing now, so book this with "--withdrawal new"; ' +
    "otherwise find the one that this paid, because nothing is paid twice then",
  withdrawal_not_lost: ({ network }) =>
    `if it was signed again, first book what was sent before it: "wallet adopt --network ${network}" ` +
    "lists that; then try again",
  key_of_other_account: ({ accountId }) => `"key list --account ${accountId}" lists them`,
  payout_not_covered: () =>
    "wait until the deposits since the backup have confirmed, book what was booked by hand since " +
    'with "account adjust", or set another fee with --fee; then try again',
  wallet_not_read: (wallet) =>
    orAnyway(
      'let the server catch up, book what it finds with "wallet adopt", then try again',
      wallet,
    ),
  wallet_unexplained: ({ txHash, ...wallet }) =>
    orAnyway(
      `"wallet adopt ${txHash} --network ${wallet.network}" books what was yours, so that ` +
        "nothing is paid twice",
      wallet,
    ),
  wallet_read_without: (wallet) => orAnyway(`${readAgain(wallet)}, then try again`, wallet),
  wallet_far_ahead: (wallet) =>
    "compare with a block explorer: if it shows none, the node is wrong, so replace it and try " +
    `again; otherwise find out who has the key, then ${anyway(wallet)}`,
  wallet_not_counted: (wallet) => `${readAgain(wallet)}, then ${anyway(wallet)}`,
  wallet_was_another: ({ isGasWallet, ...wallet }) =>
    isGasWallet
      ? `${anyway(wallet)} lets this one sign`
      : 'take it off the balance ("account adjust") and let nobody repeat the request, then ' +
        `${anyway(wallet)} lets this one sign`,
  payments_in_pool: (wallet) =>
    orAnyway(
      'when all are in blocks, book what was yours with "wallet adopt", then try again',
      wallet,
    ),
  payments_may_come: (wallet) => orAnyway("try again then", wallet),
  lost_account_unassigned: () => "name it with --account",
  account_after_restore: () => "--lost-account is for the id that an account had before",
  address_not_derived: () => "a higher --count searches further",
  address_used_elsewhere: bookHere,
  address_maybe_used_elsewhere: bookHere,
  moved_already: () => "restore a backup there",
  moved_books_wrong: () => '"reconcile", "integrity check" and "audit verify" show what is wrong',
  database_moved: () => "set CPG_DATABASE_URL to it, and keep the file",
  backup_unbalanced: ({ file }) => `"drill ${file}" shows where`,
  backup_tampered: ({ file }) => `"drill ${file}" lists them`,
};

function bookHere({ network, address }: Wallet): string {
  return `"deposit recover ${address} --network ${network} --apply" books it on this one`;
}

function recoverFirst({ network }: { network: string }): string {
  return `first book addresses issued since the backup with "deposit recover --network ${network} --apply" ` +
    `and what was paid to them with "rescan --network ${network} --from-block N", with an N from ` +
    "before the backup; then try again";
}
