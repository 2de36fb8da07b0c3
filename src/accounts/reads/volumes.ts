import type { Db } from "../../store/engine/db.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../books/table.ts";
import { VolumeCursor, type VolumeRow } from "../tables/volumes.ts";

/** The sums over all accounts are kept under this id. */
export const ALL_ACCOUNTS = 0;

/** Only the job that adds up moves this cursor. */
export async function volumeCursor(db: Db): Promise<number> {
  const row = await db.find(VolumeCursor, [1]);
  return row?.entryId ?? 0;
}

export function entriesAfter(
  db: Db,
  { entryId, limit }: { entryId: number; limit: number },
): Promise<LedgerEntryRow[]> {
  return db.rows(LedgerEntries, "WHERE id > ? ORDER BY id LIMIT ?", [entryId, limit]);
}

export interface VolumesAsked {
  readonly accountId: number;
  readonly span: VolumeRow["span"];
  readonly sinceMs: number;
}

/** Of an entry that isn't added up yet. */
export type NewEntry = Pick<
  LedgerEntryRow,
  "accountId" | "network" | "currency" | "kind" | "amount" | "createdAtMs"
>;

/** Sums and what isn't in them yet, by one statement: nothing is missing or counted twice. */
export async function volumesSince(
  db: Db,
  { accountId, span, sinceMs, newMax }: VolumesAsked & { newMax: number },
): Promise<{ rows: VolumeRow[]; entries: NewEntry[] }> {
  const found = await db.query(
    `SELECT starts_at_ms AS at_ms, network, currency, direction, amount, movements, 0 AS account_id
FROM volumes
WHERE account_id = ?1 AND span = ?2 AND starts_at_ms >= ?3
UNION ALL
SELECT created_at_ms, network, currency, kind, amount, NULL, account_id
FROM (
  SELECT *
  FROM ledger_entries
  WHERE id > coalesce((SELECT entry_id FROM volume_cursor WHERE id = 1), 0)
  ORDER BY id
  LIMIT ?4
)
WHERE ?1 IN (${ALL_ACCOUNTS}, account_id)`,
    [accountId, span, sinceMs, newMax],
  );
  const shared = (row: typeof found[number]) => ({
    network: String(row.network),
    currency: String(row.currency),
    amount: String(row.amount),
  });
  return {
    rows: found.filter(({ movements }) => movements !== null).map((row) => ({
      ...{ ...shared(row), accountId, span },
      startsAtMs: Number(row.at_ms),
      direction: row.direction as VolumeRow["direction"],
      movements: Number(row.movements),
    })),
    entries: found.filter(({ movements }) => movements === null).map((row) => ({
      ...shared(row),
      accountId: Number(row.account_id),
      kind: row.direction as NewEntry["kind"],
      createdAtMs: Number(row.at_ms),
    })),
  };
}

/** By "network/currency": how many deposits since then, of an account. One row for each day and coin. */
export async function depositCounts(
  db: Db,
  { accountId, sinceMs }: { accountId: number; sinceMs: number },
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query(
    `SELECT network, currency, sum(movements) AS n
FROM volumes
WHERE account_id = ? AND span = 'day' AND starts_at_ms >= ? AND direction = 'deposit'
GROUP BY network, currency`,
    [accountId, sinceMs],
  );
  return new Map(rows.map(({ network, currency, n }) => [`${network}/${currency}`, Number(n)]));
}
