import type { RefusalWords } from "../../domain/refusals/refuse.ts";

const ANYWAY = "tick the box to resume anyway";
const OR_ANYWAY = `If you know that none of it was a payout, ${ANYWAY}`;
const READ_AGAIN = "On the command line, rescan from before the backup and book what it paid since";

/** What to do about refusals after a restore. */
export const AFTER_RESTORE: RefusalWords = {
  wallet_not_read: () =>
    "Let the server catch up, book what it finds on the command line, then try again. " + OR_ANYWAY,
  wallet_unexplained: () =>
    `On the command line, book what was yours, so that nothing is paid twice. ${OR_ANYWAY}`,
  wallet_read_without: () => `${READ_AGAIN}, then try again. ${OR_ANYWAY}`,
  wallet_not_counted: () => `${READ_AGAIN}, then ${ANYWAY}`,
  wallet_was_another: ({ isGasWallet }) =>
    isGasWallet
      ? "If you accept that, tick the box to resume anyway"
      : `Take that off the balance and let nobody repeat the request, then ${ANYWAY}`,
  payments_in_pool: () =>
    "When all are in blocks, book what was yours on the command line, then try again. " + OR_ANYWAY,
  payments_may_come: () => `Try again then. ${OR_ANYWAY}`,
};
