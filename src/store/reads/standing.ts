import { invariant } from "../../base/assert.ts";
import {
  type NetworkBlockRow,
  NetworkBlocks,
  type NetworkCursorRow,
  NetworkCursors,
} from "../../following/table.ts";
import type { NetworkRow } from "../../networks/table.ts";
import type { Db } from "../engine/db.ts";
import { columnList, rowFromJson } from "../tables/table.ts";
import { ACCOUNTS_WITH_UNSWEPT, UNSWEPT_IDS } from "../../sweeps/reads/sweeps.ts";

/** How far a network was read. */
export interface Standing {
  readonly cursor: NetworkCursorRow;
  /** The last block read, if it is remembered. */
  readonly last: NetworkBlockRow | undefined;
  /** Some work is due even without a new block. */
  readonly isAnythingDue: boolean;
  /** The lowest block with something unconfirmed. */
  readonly awaitedHeight: number | null;
}

/** For network ?1 with ?2 confirmations at time ?3: would some step of the round find a row? */
const STANDING = `SELECT json_array(${columnList(NetworkCursors, "c")}) AS cursor,
  iif(b.height IS NULL, NULL, json_array(${columnList(NetworkBlocks, "b")})) AS last,
  EXISTS (
    SELECT 1 FROM transactions AS t INDEXED BY transactions_detected
    WHERE t.network = c.network AND t.status = 'detected' AND t.direction = 'deposit'
      AND t.block_number <= c.scan_height - ?2 + 1 AND t.block_hash IS NOT NULL
      AND (t.credit_from IS NULL OR t.credit_from <= c.scan_height))
  OR EXISTS (
    SELECT 1 FROM transactions AS t INDEXED BY transactions_orphaned
    WHERE t.network = c.network AND t.direction = 'deposit' AND t.block_hash IS NULL AND t.live = 1
      AND t.block_number > 0)
  OR EXISTS (
    SELECT 1 FROM signed_transactions AS s INDEXED BY signed_transactions_open
    WHERE s.network = c.network AND s.state = 'open')
  OR c.refused_gas IS NOT NULL
  OR EXISTS (
    SELECT 1 FROM withdrawals AS w
    WHERE w.network = c.network AND w.status = 'pending' AND w.approval IS NOT 'waiting')
  OR EXISTS (
    WITH RECURSIVE ${ACCOUNTS_WITH_UNSWEPT}
    ${UNSWEPT_IDS})
  OR EXISTS (
    SELECT 1 FROM sweeps AS s INDEXED BY sweeps_due
    WHERE s.network = c.network AND s.state = 'waiting' AND s.next_try_at_ms <= ?3) AS is_due,
  (
    SELECT t.block_number FROM transactions AS t INDEXED BY transactions_detected
    WHERE t.network = c.network AND t.status = 'detected' AND t.block_number > 0
    ORDER BY t.block_number
    LIMIT 1) AS awaited
FROM network_cursors AS c
LEFT JOIN network_blocks AS b ON b.network = c.network AND b.height = c.scan_height
WHERE c.network = ?1`;

/** All that a round needs to know, in one statement, because most rounds find nothing new. */
export async function standingOf(
  db: Db,
  { network: { code, minConfirmations }, nowMs }: { network: NetworkRow; nowMs: number },
): Promise<Standing> {
  const [row] = await db.query(STANDING, [code, minConfirmations, nowMs]);
  invariant(row, "A network has a cursor");
  const { cursor, last, is_due: isDue, awaited } = row;
  return {
    cursor: rowFromJson(NetworkCursors, cursor),
    last: last === null ? undefined : rowFromJson(NetworkBlocks, last),
    isAnythingDue: Number(isDue) === 1,
    awaitedHeight: awaited === null ? null : Number(awaited),
  };
}
