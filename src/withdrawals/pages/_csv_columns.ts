import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import type { WithdrawalRow } from "../table.ts";
import type { CsvColumn } from "../../dashboard/parts/csv.tsx";

export const CSV_COLUMNS: readonly CsvColumn<WithdrawalRow>[] = [
  ["id", ({ id }) => id],
  ["account_id", ({ accountId }) => accountId],
  ["client_reference", ({ clientReference }) => clientReference],
  ["requested_at", ({ requestedAtMs }) => isoUtc(requestedAtMs)],
  ["broadcast_at", ({ broadcastAtMs }) => isoUtcOrNull(broadcastAtMs)],
  ["confirmed_at", ({ confirmedAtMs }) => isoUtcOrNull(confirmedAtMs)],
  ["network", ({ network }) => network],
  ["currency", ({ currency }) => currency],
  ["amount", ({ amount }) => amount],
  ["fee", ({ fee }) => fee],
  ["status", ({ status }) => status],
  ["failure_reason", ({ failureReason }) => failureReason],
  ["to_address", ({ toAddress }) => toAddress],
  ["tx_hash", ({ txHash }) => txHash],
];
