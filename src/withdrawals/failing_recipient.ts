import { present } from "../base/assert.ts";
import { type NewAlert, raiseAlert } from "../books/alerts.ts";
import { genuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import type { CurrencyRow } from "../networks/table.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";
import { failuresOf } from "./reads/recipients.ts";
import { isFailing } from "./rules/failing_recipient.ts";
import { AllowedRecipients } from "./table.ts";

interface Payment {
  /** The account's own hot wallet: failures of other accounts don't count. */
  readonly wallet: AddressRow;
  readonly currency: CurrencyRow;
  readonly address: string;
}

/** Two payments to it have failed lately, and no operator has allowed more since. */
export async function isRefused(deps: Deps, payment: Payment): Promise<boolean> {
  const { wallet, currency: { contractAddress: contract }, address } = payment;
  const { network, address: sender } = wallet;
  const failedAtMs = await failuresOf(deps.db, { network, sender, address, contract });
  if (!isFailing(failedAtMs)) return false;
  const allowed = await deps.db.find(AllowedRecipients, [accountOf(wallet), network, address]);
  if (!allowed) return true;
  await genuine(deps, AllowedRecipients, [allowed]);
  return isFailing(failedAtMs.filter((atMs) => atMs > allowed.allowedAtMs));
}

function accountOf({ accountId }: AddressRow): number {
  return present(accountId, "A hot wallet has an account");
}

/**
 * Payments that fail on the chain cost their requester nothing and us gas. Checked before anything
 * is signed.
 */
export async function refuseFailing(deps: Deps, payment: Payment): Promise<void> {
  if (!await isRefused(deps, payment)) return;
  const { wallet, currency: { symbol }, address } = payment;
  const { network } = wallet;
  const accountId = accountOf(wallet);
  await raiseAlert(deps, {
    ...recipientFailing({ accountId, network, address }),
    accountId,
    message:
      `Two payments of ${symbol} by account ${accountId} to ${address} on ${network} failed ` +
      "within 24 hours, and each cost gas: further ones are refused until you allow them",
    advice: { code: "allow_recipient", network, address },
  });
  throw new CannotPay(
    "Two payments to this recipient failed within 24 hours: the operator must allow it first",
  );
}

export function recipientFailing(
  { accountId, network, address }: { accountId: number; network: string; address: string },
): Pick<NewAlert, "kind" | "subject"> {
  return {
    kind: "recipient_failing",
    subject: `account:${accountId} recipient:${network}/${address}`,
  };
}
