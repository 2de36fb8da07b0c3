import { type Db, queryOne } from "../../engine/db.ts";
import { OPEN_WITHDRAWALS } from "../../tables/withdrawals.ts";

/** Higher counts are shown as "more than". */
export const COUNTED_MAX = 1_000;

export interface UnderWay {
  readonly deposits: number;
  readonly withdrawals: number;
  /** Of the whole installation. */
  readonly alerts: number;
}

/** What isn't settled yet, counted up to `COUNTED_MAX`. */
export async function underWay(db: Db, accountId: number | null): Promise<UnderWay> {
  const row = await queryOne(
    db,
    accountId === null
      ? `SELECT
  (SELECT count(*) FROM (SELECT 1 FROM transactions
    WHERE status = 'detected' AND direction = 'deposit' LIMIT ${COUNTED_MAX})) AS deposits,
  (SELECT count(*) FROM (SELECT 1 FROM withdrawals
    WHERE status IN ${OPEN_WITHDRAWALS} LIMIT ${COUNTED_MAX})) AS withdrawals,
  (SELECT count(*) FROM (SELECT 1 FROM alerts WHERE open = 1 LIMIT ${COUNTED_MAX})) AS alerts`
      : `SELECT
  (SELECT count(*) FROM (SELECT 1 FROM transactions
    WHERE account_id = ? AND status = 'detected' AND direction = 'deposit' LIMIT ${COUNTED_MAX})
  ) AS deposits,
  (SELECT count(*) FROM (SELECT 1 FROM withdrawals
    WHERE account_id = ? AND status IN ${OPEN_WITHDRAWALS} LIMIT ${COUNTED_MAX})
  ) AS withdrawals,
  0 AS alerts`,
    accountId === null ? [] : [accountId, accountId],
  );
  return {
    deposits: Number(row.deposits),
    withdrawals: Number(row.withdrawals),
    alerts: Number(row.alerts),
  };
}
