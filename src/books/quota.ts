import { quotaBytesOf, quotaText } from "../accounts/rules/quota.ts";
import { type AccountRow, Accounts } from "../accounts/tables/accounts.ts";
import { type StorageUseRow, StorageUses } from "../accounts/tables/storage.ts";
import type { Deps } from "../deps/deps.ts";
import { Refused } from "../domain/refusal.ts";
import { dayEndOf, dayOf } from "../domain/time.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";

/** What must not stop when a key has filled the account's share has as much again, beside payouts. */
const URGENT_TIMES = 2;

/** For `whyFull`, which also looks at the account. */
export function storedRead(accountId: number): Read<StorageUseRow> {
  return read(StorageUses, [accountId]);
}

/**
 * Whether the account has stored its share of today. What payers and visitors do is never asked.
 * Urgent: it ends, decides or completes something that is there.
 */
export function whyFull(
  view: View,
  { accountId, isUrgent = false }: { accountId: number; isUrgent?: boolean },
): Refused | undefined {
  return whyNoRoom(view, {
    accountId,
    stored: view.storedToday(accountId),
    times: isUrgent ? URGENT_TIMES : 1,
  });
}

/** Payouts have a share of the same size, which nothing else uses up. */
export function whyNoPayout(view: View, accountId: number): Refused | undefined {
  return whyNoRoom(view, { accountId, stored: view.storedToday(accountId, "payouts"), times: 1 });
}

function whyNoRoom(
  view: View,
  { accountId, stored, times }: { accountId: number; stored: number; times: number },
): Refused | undefined {
  const account = view.get(Accounts, [accountId]);
  const bytesMax = quotaBytesOf(account);
  if (stored < bytesMax * times) return undefined;
  return fullOf({ bytesMax, endsAtMs: dayEndOf(view.nowMs) }, view.nowMs);
}

function fullOf(
  { bytesMax, endsAtMs }: Pick<Stored, "bytesMax" | "endsAtMs">,
  nowMs: number,
): Refused {
  return new Refused("quota_exceeded", {
    text: quotaText({ bytesMax, endsAtMs }),
    retryAfterS: Math.ceil((endsAtMs - nowMs) / 1_000),
  });
}

export interface Stored {
  readonly bytes: number;
  /** Has as much room as `bytes`. */
  readonly payoutBytes: number;
  readonly bytesMax: number;
  readonly endsAtMs: number;
}

/** Of today, for people. */
export async function storedOf(
  { db, clock }: Pick<Deps, "db" | "clock">,
  account: Pick<AccountRow, "id" | "quotaMb">,
): Promise<Stored> {
  return storedIn(await db.find(StorageUses, [account.id]), { account, nowMs: clock.nowMs() });
}

export function storedIn(
  row: StorageUseRow | undefined,
  { account, nowMs }: { account: Pick<AccountRow, "quotaMb">; nowMs: number },
): Stored {
  const { bytes, payoutBytes } = row?.dayMs === dayOf(nowMs) ? row : { bytes: 0, payoutBytes: 0 };
  return { bytes, payoutBytes, bytesMax: quotaBytesOf(account), endsAtMs: dayEndOf(nowMs) };
}

/** For a person's form, of which many at once are few. */
export function throwIfFull(stored: Stored, nowMs: number): void {
  if (stored.bytes >= stored.bytesMax) throw fullOf(stored, nowMs);
}
