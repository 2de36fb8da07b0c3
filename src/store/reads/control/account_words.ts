import { zip } from "../../../base/lists.ts";
import type { Db } from "../../engine/db.ts";
import { RARE_ACTION, SINGLE_WORD } from "../../tables/audit.ts";

/** What the log and the account's row say about a withdrawal's account. */
interface AccountWords {
  /** By the row, which may be an old one. */
  readonly isSuspended: boolean;
  /** By the log. */
  readonly isSaidSuspended: boolean;
  /** By the log, when the withdrawal was requested. */
  readonly wasSuspended: boolean;
  readonly wasBarred: boolean;
}

/** An account has few. With more than this it pays nothing, so they can't hide a change. */
const SWITCHES_LOOKED_AT = 10_000;

/** Of the withdrawal that is asked about. */
const ACCOUNT = `'account:' || (q.value ->> 'accountId')`;

function lastId(action: string, before: string): string {
  return `coalesce((
    SELECT id
    FROM audit_log INDEXED BY audit_log_action
    WHERE action = '${action}' AND ${RARE_ACTION} AND subject = ${ACCOUNT} AND id < ${before}
    ORDER BY id DESC
    LIMIT 1), 0)`;
}

const REQUESTED_ID = `(
    SELECT id
    FROM audit_log INDEXED BY audit_log_subject
    WHERE subject = 'withdrawal:' || (q.value ->> 'id') AND action = 'withdrawal.requested'
    ORDER BY id
    LIMIT 1)`;
const ANY_ID = String(Number.MAX_SAFE_INTEGER);

const SWITCHES = `
    SELECT id, detail
    FROM audit_log INDEXED BY audit_log_single_words
    WHERE subject = ${ACCOUNT} AND id < ${REQUESTED_ID}
      AND ${SINGLE_WORD} AND action = 'account.currency_enabled'
    ORDER BY id DESC
    LIMIT ${SWITCHES_LOOKED_AT}`;

const WORDS = `SELECT
  (SELECT suspended_at_ms FROM accounts WHERE id = q.value ->> 'accountId') IS NOT NULL
    AS is_suspended,
  ${lastId("account.suspended", ANY_ID)}
    > ${lastId("account.unsuspended", ANY_ID)} AS is_said_suspended,
  ${lastId("account.suspended", REQUESTED_ID)}
    > ${lastId("account.unsuspended", REQUESTED_ID)} AS was_suspended,
  coalesce(
    (SELECT json_extract(detail, '$.isWithdrawalBarred')
    FROM (${SWITCHES})
    WHERE json_extract(detail, '$.network') = q.value ->> 'network'
      AND json_extract(detail, '$.currency') = q.value ->> 'currency'
    ORDER BY id DESC
    LIMIT 1),
    (SELECT count(*) FROM (${SWITCHES})) = ${SWITCHES_LOOKED_AT}) AS was_barred
FROM json_each(?) AS q
ORDER BY q.key`;

interface AskedWithdrawal {
  readonly id: number;
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
}

/** As of one moment. Concurrent look-ups share one statement. */
export function accountWords(db: Db, asked: AskedWithdrawal): Promise<AccountWords> {
  const work = (all: readonly AskedWithdrawal[]) => allAccountWords(db, all);
  return db.lookUps.run("account words", { job: asked, work });
}

async function allAccountWords(
  db: Db,
  asked: readonly AskedWithdrawal[],
): Promise<PromiseSettledResult<AccountWords>[]> {
  const keys = asked.map(({ id, accountId, network, currency }) => ({
    id,
    accountId,
    network,
    currency,
  }));
  const rows = await db.query(WORDS, [JSON.stringify(keys)]);
  return zip(asked, rows).map(([, row]) => ({
    status: "fulfilled",
    value: {
      isSuspended: row.is_suspended === 1,
      isSaidSuspended: row.is_said_suspended === 1,
      wasSuspended: row.was_suspended === 1,
      wasBarred: row.was_barred === 1,
    },
  }));
}
