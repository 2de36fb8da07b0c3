import { PAY_OUT } from "../../accounts/rules/usable.ts";
import { zip } from "../../base/lists.ts";
import type { Db } from "../../store/engine/db.ts";
import { SINGLE_WORD, SUSPENSION } from "../../audit/table.ts";

/** What the log and the account's row say about a withdrawal's account. */
interface AccountWords {
  /** By the row, which may be an old one. */
  readonly isSuspended: boolean;
  /** By the log. */
  readonly isSaidSuspended: boolean;
  /** By the log, when the withdrawal was requested. */
  readonly wasSuspended: boolean;
  readonly wasBarred: boolean;
  /** Whether the currency's payouts are on, by the row. */
  readonly isOn: boolean;
  /** By the log. */
  readonly isSaidOff: boolean;
}

/** An account has few. With more than this it pays nothing, so they can't hide a change. */
const SWITCHES_LOOKED_AT = 10_000;

/** The last of these words of the account; 0 if there are none. */
function lastIsSuspension(before = ""): string {
  return `coalesce((
    SELECT action = 'account.suspended'
    FROM audit_log INDEXED BY audit_log_suspensions
    WHERE subject = asked.account AND ${SUSPENSION} ${before}
    ORDER BY id DESC
    LIMIT 1), 0)`;
}

function switches(before = ""): string {
  return `
    SELECT id, detail
    FROM audit_log INDEXED BY audit_log_single_words
    WHERE subject = asked.account ${before}
      AND ${SINGLE_WORD} AND action = 'account.currency_enabled'
    ORDER BY id DESC
    LIMIT ${SWITCHES_LOOKED_AT}`;
}

/** What the last of these says of the currency. */
function lastSwitch(said: string, among: string): string {
  return `(SELECT ${said}
    FROM (${among})
    WHERE json_extract(detail, '$.network') = asked.network
      AND json_extract(detail, '$.currency') = asked.currency
    ORDER BY id DESC
    LIMIT 1)`;
}

const BEFORE_REQUEST = switches("AND id < asked.requested_id");

const WORDS = `WITH asked AS MATERIALIZED (
  SELECT q.key AS place, q.value ->> 'accountId' AS account_id,
    'account:' || (q.value ->> 'accountId') AS account,
    q.value ->> 'network' AS network, q.value ->> 'currency' AS currency,
    (SELECT id
    FROM audit_log INDEXED BY audit_log_subject
    WHERE subject = 'withdrawal:' || (q.value ->> 'id') AND action = 'withdrawal.requested'
    ORDER BY id
    LIMIT 1) AS requested_id
  FROM json_each(?) AS q
)
SELECT
  (SELECT suspended_at_ms FROM accounts WHERE id = asked.account_id) IS NOT NULL AS is_suspended,
  ${lastIsSuspension()} AS is_said_suspended,
  ${lastIsSuspension("AND id < asked.requested_id")} AS was_suspended,
  coalesce(
    ${lastSwitch("json_extract(detail, '$.isWithdrawalBarred')", BEFORE_REQUEST)},
    (SELECT count(*) FROM (${BEFORE_REQUEST})) = ${SWITCHES_LOOKED_AT}) AS was_barred,
  coalesce((SELECT ${PAY_OUT.isOnSql}
    FROM account_currencies
    WHERE account_id = asked.account_id AND network = asked.network
      AND currency = asked.currency), 0) AS is_on,
  coalesce(
    ${lastSwitch("NOT json_extract(detail, '$.isWithdrawalEnabled')", switches())},
    0) AS is_said_off
FROM asked
ORDER BY place`;

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
      isOn: row.is_on === 1,
      isSaidOff: row.is_said_off === 1,
    },
  }));
}
