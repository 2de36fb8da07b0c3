import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import type { InvoiceRow } from "../tables/invoices.ts";
import type { CsvColumn } from "../../dashboard/parts/csv.tsx";

/** Without the payer's link, because whoever gets the file doesn't need it. */
export const CSV_COLUMNS: readonly CsvColumn<InvoiceRow>[] = [
  ["id", ({ id }) => id],
  ["account_id", ({ accountId }) => accountId],
  ["reference", ({ reference }) => reference],
  ["created_at", ({ createdAtMs }) => isoUtc(createdAtMs)],
  ["expires_at", ({ expiresAtMs }) => isoUtc(expiresAtMs)],
  ["paid_at", ({ paidAtMs }) => isoUtcOrNull(paidAtMs)],
  ["cancelled_at", ({ cancelledAtMs }) => isoUtcOrNull(cancelledAtMs)],
  ["amount", ({ amount }) => amount],
  ["currency", ({ currency }) => currency],
  ["status", ({ status }) => status],
  ["customer", ({ customer }) => customer],
  ["description", ({ description }) => description],
];
