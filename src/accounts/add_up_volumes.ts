import { last } from "../base/lists.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import {
  ALL_ACCOUNTS,
  entriesAfter,
  type NewEntry,
  volumeCursor,
  type VolumesAsked,
  volumesSince,
} from "./reads/volumes.ts";
import { VolumeCursor, type VolumeRow, Volumes } from "./tables/volumes.ts";
import { read, type View } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const ENTRIES_AT_ONCE = 1_000;
const STEPS_MAX = 50;
const SPANS = [["hour", HOUR_MS], ["day", DAY_MS]] as const;

type Key = Omit<VolumeRow, "amount" | "movements">;
type Sum = { readonly key: Key; amount: Amount; movements: number };

/** Sums deposits and withdrawals by hour and day, from the entries since the last run. */
export async function addUpVolumes(deps: Deps): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step++) {
    if (await addUpSome(deps) < ENTRIES_AT_ONCE) return;
  }
}

async function addUpSome({ db }: Deps): Promise<number> {
  const from = await volumeCursor(db);
  const entries = await entriesAfter(db, { entryId: from, limit: ENTRIES_AT_ONCE });
  if (entries.length === 0) return 0;
  const sums = [...sumsOf(entries).values()];
  const keys = sums.map(({ key }) => keyOf(key));
  await db.write({
    reads: [read(VolumeCursor, [1]), ...keys.map((key) => read(Volumes, key))],
    decide: (view) => {
      const cursor = view.find(VolumeCursor, [1]);
      // Another instance has already added these up.
      if ((cursor?.entryId ?? 0) !== from) return;
      for (const sum of sums) addTo(view, sum);
      const entryId = last(entries).id;
      if (cursor) view.update(VolumeCursor, cursor, { entryId });
      else view.insertKeyed(VolumeCursor, { id: 1, entryId });
    },
  });
  return entries.length;
}

/** Up to this moment: with what the last run hasn't seen, of which the oldest if it is very much. */
export async function volumesNow({ db }: Deps, asked: VolumesAsked): Promise<VolumeRow[]> {
  const { rows, entries } = await volumesSince(db, { ...asked, newMax: ENTRIES_AT_ONCE });
  const { accountId, span, sinceMs } = asked;
  const found = new Map(rows.map((row) => [keyOf(row).join(" "), row]));
  for (const [name, { key, amount, movements }] of sumsOf(entries)) {
    if (key.accountId !== accountId || key.span !== span || key.startsAtMs < sinceMs) continue;
    found.set(name, { ...key, ...added(found.get(name), { amount, movements }) });
  }
  return [...found.values()].toSorted((a, b) => a.startsAtMs - b.startsAtMs);
}

function sumsOf(entries: readonly NewEntry[]): Map<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const entry of entries) {
    const direction = directionOf(entry);
    if (!direction) continue;
    const amount = Amount.parse(entry.amount, assetOf(entry));
    const moved = entry.kind === "reversal" ? amount.negated() : amount;
    for (const accountId of [ALL_ACCOUNTS, entry.accountId]) {
      for (const [span, lengthMs] of SPANS) {
        const startsAtMs = entry.createdAtMs - entry.createdAtMs % lengthMs;
        const { network, currency } = entry;
        const key = { accountId, span, startsAtMs, network, currency, direction };
        const name = keyOf(key).join(" ");
        const sum = sums.get(name) ?? { key, amount: Amount.zero(amount.asset), movements: 0 };
        sum.amount = sum.amount.plus(moved);
        sum.movements++;
        sums.set(name, sum);
      }
    }
  }
  return sums;
}

/** Manual entries are neither. */
function directionOf({ kind }: NewEntry): VolumeRow["direction"] | undefined {
  if (kind === "credit" || kind === "reversal") return "deposit";
  return kind === "debit" ? "withdrawal" : undefined;
}

function addTo(view: View, { key, ...sum }: Sum): void {
  const before = view.find(Volumes, keyOf(key));
  if (before) view.update(Volumes, before, added(before, sum));
  else view.insertKeyed(Volumes, { ...key, ...added(undefined, sum) });
}

function added(
  before: VolumeRow | undefined,
  { amount, movements }: Omit<Sum, "key">,
): Pick<VolumeRow, "amount" | "movements"> {
  if (!before) return { amount: amount.toString(), movements };
  return {
    amount: Amount.parse(before.amount, amount.asset).plus(amount).toString(),
    movements: before.movements + movements,
  };
}

function keyOf({ accountId, span, startsAtMs, network, currency, direction }: Key) {
  return [accountId, span, startsAtMs, network, currency, direction];
}
