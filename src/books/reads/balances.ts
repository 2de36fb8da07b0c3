import { type ChainHead, headIn } from "../../store/engine/chain_rows.ts";
import { type Db, queryOne } from "../../store/engine/db.ts";
import { LedgerEntries, type LedgerEntryRow } from "../table.ts";
import { columnList, rowsFromJson } from "../../store/tables/table.ts";

interface NewEntries {
  /** Of all accounts, in order. */
  readonly entries: readonly LedgerEntryRow[];
  /** The head kept beside the log at the same moment. */
  readonly head: ChainHead | undefined;
}

export async function entriesSince(
  db: Db,
  { id, limit }: { id: number; limit: number },
): Promise<NewEntries> {
  const row = await queryOne(
    db,
    `SELECT audit_id, audit_hash, audit_seal, balances_sum,
  (
    SELECT json_group_array(json_array(${columnList(LedgerEntries, "r")}))
    FROM (SELECT * FROM ledger_entries WHERE id > ? ORDER BY id LIMIT ?) AS r
  ) AS entries
FROM write_clock
WHERE id = 1`,
    [id, limit],
  );
  const entries = rowsFromJson(LedgerEntries, row.entries)
    .sort((a, b) => a.id - b.id);
  return { entries, head: headIn(row) };
}

/** 0 if there are none. */
export async function lastEntryId(db: Db): Promise<number> {
  const [row] = await db.query("SELECT max(id) AS id FROM ledger_entries");
  return Number(row?.id ?? 0);
}
