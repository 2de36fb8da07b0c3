import { withdrawalStatusShape } from "../domain/shapes.ts";
import { isoUtc } from "../domain/time.ts";
import type { FailingRecipient } from "./manage_recipients.ts";
import type { WithdrawalRow } from "./table.ts";

export function withdrawalShape(row: WithdrawalRow) {
  return {
    ...withdrawalStatusShape(row),
    account_id: row.accountId,
    client_reference: row.clientReference,
  };
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
