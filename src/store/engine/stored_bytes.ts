import { Accounts } from "../../accounts/tables/accounts.ts";
import { StorageUses } from "../../accounts/tables/storage.ts";
import { VOLUME_TABLES } from "../../accounts/tables/volumes.ts";
import { Alerts, Notices } from "../../alerts/table.ts";
import { utf8 } from "../../base/bytes.ts";
import { Balances, Freezes, LedgerChecks, LedgerEntries } from "../../books/table.ts";
import { Transactions } from "../../deposits/tables/transactions.ts";
import { dayOf } from "../../domain/time.ts";
import { Policies } from "../../policies/table.ts";
import { RATE_TABLES } from "../../rates/table.ts";
import { REQUEST_TABLES } from "../../request_log/table.ts";
import type { Statement } from "../connection/connection.ts";
import type { AnyRow, RowValue, Table } from "../tables/table.ts";
import { Sweeps } from "../../sweeps/table.ts";
import { INSTANCE_TABLES } from "../../upkeep/table.ts";
import { Events } from "../../webhooks/tables/events.ts";

/** What payments, the chain and the gateway itself cause, or what has limits of its own. */
const UNCOUNTED: ReadonlySet<Table<AnyRow>> = new Set<Table<AnyRow>>([
  Alerts,
  Balances,
  Freezes,
  LedgerChecks,
  Notices,
  Policies,
  StorageUses,
  Sweeps,
  Transactions,
  ...INSTANCE_TABLES,
  ...RATE_TABLES,
  ...REQUEST_TABLES,
  ...VOLUME_TABLES,
]);

const REQUESTED: ReadonlySet<unknown> = new Set(["hold", "release"]);

/** The row's header, its place in the table, and what it adds to the indexes, as measured. */
const ROW_BYTES = 150;
const NUMBER_BYTES = 6;

export function isCounted(table: Table<AnyRow>): boolean {
  return !UNCOUNTED.has(table);
}

/** Whose keys or people caused the row; undefined: the row alone doesn't say, or nobody's. */
export function causedBy(table: Table<AnyRow>, row: AnyRow): number | undefined {
  if (!isCounted(table)) return undefined;
  if (table === Events && row.transactionId !== null) return undefined;
  if (table === LedgerEntries && !REQUESTED.has(row.kind)) return undefined;
  const accountId = table === Accounts ? row.id : row.accountId;
  return typeof accountId === "number" ? accountId : undefined;
}

/** About what a new row takes in the database. */
export function bytesOf(values: readonly RowValue[]): number {
  let bytes = ROW_BYTES;
  for (const value of values) {
    if (typeof value === "string") bytes += textBytes(value);
    else if (value !== null) bytes += NUMBER_BYTES;
  }
  return bytes;
}

// deno-lint-ignore no-control-regex -- exactly what UTF-8 writes as one byte
const SINGLE_BYTES = /^[\u0000-\u007f]*$/;

function textBytes(text: string): number {
  return SINGLE_BYTES.test(text) ? text.length : utf8(text).length;
}

/** Of one account, by what it is counted as. */
export interface StoredBytes {
  orders: number;
  payouts: number;
}

/** Added in the same transaction; a new day begins with nothing. */
export function addStored(stored: ReadonlyMap<number, StoredBytes>, nowMs: number): Statement {
  const rows = Array.from(stored, ([id, { orders, payouts }]) => [id, orders, payouts]);
  return {
    sql: `INSERT INTO storage_uses (account_id, day_ms, bytes, payout_bytes)
SELECT value ->> 0, ?, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
ON CONFLICT (account_id) DO UPDATE SET
  bytes = iif(day_ms = excluded.day_ms, bytes, 0) + excluded.bytes,
  payout_bytes = iif(day_ms = excluded.day_ms, payout_bytes, 0) + excluded.payout_bytes,
  day_ms = excluded.day_ms`,
    args: [BigInt(dayOf(nowMs)), JSON.stringify(rows)],
  };
}
