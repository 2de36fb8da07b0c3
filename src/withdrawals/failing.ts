import type { AddressRow } from "../wallets/tables/addresses.ts";
import type { WithdrawalRow } from "./table.ts";
import type { Read, View } from "../store/engine/workspace.ts";
import { alertRead, closeAlert, insertAlert, type NewAlert } from "../books/alerts.ts";
import { type CannotPay, TooExpensive, WalletHalted } from "../domain/cannot_pay.ts";

/** Why withdrawals fail until the operator fixes it. */
export type FixableCause = typeof CAUSES[number];

const CAUSES = [
  "hot_wallet_empty",
  "hot_wallet_halted",
  "gas_price_limit",
  "node_silent",
] as const;

const CAUSE_OF_LACK = {
  coins: "hot_wallet_empty",
  tokens: "hot_wallet_empty",
  price: "gas_price_limit",
  // It has its own alert.
  fee: undefined,
} as const;

export function causeOf(error: CannotPay): FixableCause | undefined {
  if (error instanceof WalletHalted) return "hot_wallet_halted";
  return error.lack && CAUSE_OF_LACK[error.lack];
}

/** All alerts that may be open about withdrawals like this one. */
export function failingReads(withdrawal: WithdrawalRow): Read[] {
  return CAUSES.map((cause) => alertRead("withdrawals_failing", subjectOf(withdrawal, cause)));
}

/** One alert, however many fail. Undefined: it is open already. */
export function insertFailing(
  view: View,
  { withdrawal, cause, reason, nowMs }: {
    withdrawal: WithdrawalRow;
    cause: FixableCause;
    reason: string;
    nowMs: number;
  },
): NewAlert | undefined {
  const { id, accountId, network } = withdrawal;
  const alert: NewAlert = {
    kind: "withdrawals_failing",
    subject: subjectOf(withdrawal, cause),
    accountId,
    message:
      `Withdrawals on ${network} fail, the first was ${id} of account ${accountId}: ${reason}`,
  };
  return insertAlert(view, { ...alert, nowMs }) ? alert : undefined;
}

/**
 * Nobody is waiting for the answer, so the withdrawal waits until prices fall. A fee limit has its
 * own alert.
 */
export function waitingAlert(withdrawal: WithdrawalRow, error: CannotPay): NewAlert | undefined {
  const cause = error instanceof TooExpensive ? causeOf(error) : undefined;
  if (!cause) return undefined;
  const { id, accountId, network } = withdrawal;
  return {
    kind: "withdrawals_failing",
    subject: subjectOf(withdrawal, cause),
    message:
      `Withdrawals on ${network} wait, the first was ${id} of account ${accountId}: ${error.message}`,
  };
}

/** One was signed, so price, node and funds were all right. */
export function noLongerFailing(
  view: View,
  { withdrawal, nowMs }: { withdrawal: WithdrawalRow; nowMs: number },
): void {
  for (const cause of CAUSES) {
    const subject = subjectOf(withdrawal, cause);
    closeAlert(view, { kind: "withdrawals_failing", subject, nowMs });
  }
}

/** Alerts raised while a wallet was halted: resuming it fixes their cause. */
export function haltedFailing(
  wallet: Pick<AddressRow, "network" | "accountId">,
): Pick<NewAlert, "kind" | "subject"> {
  return { kind: "withdrawals_failing", subject: subjectOf(wallet, "hot_wallet_halted") };
}

/** The alert while a hot wallet holds too little. */
export function emptyFailing(
  owner: Pick<AddressRow, "network" | "accountId">,
): Pick<NewAlert, "kind" | "subject"> {
  return { kind: "withdrawals_failing", subject: subjectOf(owner, "hot_wallet_empty") };
}

/** The alert while a network's price is above the operator's limit. */
export function priceAlert(network: string): Pick<NewAlert, "kind" | "subject"> {
  return {
    kind: "withdrawals_failing",
    subject: subjectOf({ network, accountId: null }, "gas_price_limit"),
  };
}

/** Each account has its own hot wallet, but all share node and price. */
function subjectOf(
  { network, accountId }: Pick<AddressRow, "network" | "accountId">,
  cause: FixableCause,
): string {
  const whose = cause.startsWith("hot_wallet") ? ` account:${accountId}` : "";
  return `network:${network}${whose} ${cause}`;
}
