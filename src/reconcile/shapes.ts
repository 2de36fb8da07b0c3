import type { FreezeRow } from "../books/table.ts";
import { isoUtc } from "../domain/time.ts";
import type { Difference, Surplus, WrongSums } from "./rules/difference.ts";

export function differenceShape(
  { accountId, network, currency, kind, expected, found, detail }: Difference,
) {
  return { account_id: accountId, network, currency, kind, expected, found, detail };
}

export function surplusShape({ accountId, network, currency, address, amount }: Surplus) {
  return { account_id: accountId, network, currency, address, amount };
}

export function wrongSumsShape({ invoiceId, accountId, currency, expected, found }: WrongSums) {
  return { invoice_id: invoiceId, account_id: accountId, currency, expected, found };
}

export function freezeShape(row: FreezeRow) {
  return {
    account_id: row.accountId,
    network: row.network,
    currency: row.currency,
    reason: row.reason,
    created_at: isoUtc(row.createdAtMs),
  };
}
