import { isoUtc } from "../domain/time.ts";
import type { FailingRecipient } from "./manage_recipients.ts";
import { STATUS, WITHDRAWAL } from "./rules/fields.ts";
import type { WithdrawalRow } from "./table.ts";

export function withdrawalShape(row: WithdrawalRow) {
  // The account comes before what isn't in the status.
  return { ...STATUS.of(row), account_id: row.accountId, ...WITHDRAWAL.of(row) };
}

export function recipientShape(row: FailingRecipient) {
  return {
    account_id: row.accountId,
    network: row.network,
    currency: row.currency,
    address: row.address,
    failed_payments: row.signedAtMs.length,
    last_failed_at: isoUtc(Math.max(...row.signedAtMs)),
  };
}
