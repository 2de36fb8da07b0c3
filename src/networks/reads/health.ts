import { type Db, queryOne } from "../../store/engine/db.ts";
import { NetworkCursors, NetworkEndpoints } from "../../following/table.ts";
import type { NetworkCursorRow, NetworkEndpointRow } from "../../following/table.ts";
import { OPEN_WITHDRAWALS } from "../../withdrawals/table.ts";

/** How far each active network was read. */
export function networkHealth(db: Db): Promise<NetworkCursorRow[]> {
  return db.rows(
    NetworkCursors,
    "WHERE network IN (SELECT code FROM networks WHERE is_active = 1) ORDER BY network",
  );
}

export function endpointsOf(db: Db, network: string): Promise<NetworkEndpointRow[]> {
  return db.rows(NetworkEndpoints, "WHERE network = ? ORDER BY place", [network]);
}

/** Heights missing between the remembered blocks, or whose block doesn't link to the one before. */
export async function scanGaps(db: Db): Promise<Map<string, { from: number; to: number }[]>> {
  const rows = await db.query(
    `SELECT network, min(before + 1, height) AS "from", max(before + 1, height - 1) AS "to"
FROM (
  SELECT network, height, parent_hash, lag(height) OVER upwards AS before, lag(hash) OVER upwards AS parent
  FROM network_blocks
  WINDOW upwards AS (PARTITION BY network ORDER BY height)
)
WHERE before IS NOT NULL AND (height <> before + 1 OR parent_hash <> parent)`,
  );
  const gaps = Map.groupBy(rows, ({ network }) => String(network));
  return new Map(
    [...gaps].map(([network, found]) => [
      network,
      found.map(({ from, to }) => ({ from: Number(from), to: Number(to) })),
    ]),
  );
}

/** What is in progress or waits for somebody. */
export async function openCounts(
  db: Db,
): Promise<{ withdrawals: number; deposits: number; alerts: number }> {
  const row = await queryOne(
    db,
    `SELECT
  (SELECT count(*) FROM withdrawals WHERE status IN ${OPEN_WITHDRAWALS}) AS withdrawals,
  (SELECT count(*) FROM transactions WHERE status = 'detected' AND direction = 'deposit') AS deposits,
  (SELECT count(*) FROM alerts WHERE open = 1) AS alerts`,
  );
  return {
    withdrawals: Number(row.withdrawals),
    deposits: Number(row.deposits),
    alerts: Number(row.alerts),
  };
}
