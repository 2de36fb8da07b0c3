import type { Db } from "../../store/engine/db.ts";
import { AuditLog, type AuditRow, SINGLE_WORD } from "../../audit/table.ts";

/** Exactly as in the index that finds them. */
const LAST_WORDS = `action NOT GLOB 'withdrawal.*' AND action IN (
  'account.receiving_wallet_set',
  'key.changed',
  'key.revoked',
  'user.disabled',
  'user.enabled',
  'user.password_changed',
  'user.password_set',
  'user.recovery_code_used',
  'user.recovery_codes_renewed',
  'user.reset',
  'user.role_changed',
  'user.second_factor_off',
  'user.second_factor_on'
)`;

const WORDS_LOOKED_AT = 100;

/** The last rows about something that can be set back to an earlier state, newest first. */
export function lastWords(db: Db, subject: string): Promise<AuditRow[]> {
  return db.rows(
    AuditLog,
    `INDEXED BY audit_log_last_words
WHERE subject = ? AND ${LAST_WORDS} ORDER BY id DESC LIMIT ?`,
    [subject, WORDS_LOOKED_AT],
  );
}

const PROOFS_LOOKED_AT = 20;

/** How somebody proved last who they are, newest first, however often strangers failed to. */
export function lastProofs(db: Db, user: string): Promise<AuditRow[]> {
  return db.rows(
    AuditLog,
    `INDEXED BY audit_log_self
WHERE actor = ? AND subject = actor AND action IN ('user.signed_in', 'user.proven')
ORDER BY id DESC LIMIT ?`,
    [user, PROOFS_LOOKED_AT],
  );
}

/** The same for an account's receiving wallet, however often those on other networks changed since. */
export function lastReceiverWords(
  db: Db,
  { accountId, network }: { readonly accountId: number; readonly network: string },
): Promise<AuditRow[]> {
  return db.rows(
    AuditLog,
    `INDEXED BY audit_log_last_words
WHERE subject = ? AND ${LAST_WORDS} AND action = 'account.receiving_wallet_set'
  AND json_extract(detail, '$.network') = ?
ORDER BY id DESC
LIMIT 1`,
    [`account:${accountId}`, network],
  );
}

/** What was refunded of an invoice, newest first. */
export function refundWords(db: Db, subject: string, limit: number): Promise<AuditRow[]> {
  return db.rows(
    AuditLog,
    `INDEXED BY audit_log_single_words
WHERE subject = ? AND ${SINGLE_WORD} AND action = 'invoice.refunded'
ORDER BY id DESC
LIMIT ?`,
    [subject, limit],
  );
}

/** The first row about something that says this, which is among its oldest. */
export async function firstWord(
  db: Db,
  { subject, action }: { readonly subject: string; readonly action: string },
): Promise<AuditRow | undefined> {
  const [row] = await db.rows(
    AuditLog,
    "INDEXED BY audit_log_subject WHERE subject = ? AND action = ? ORDER BY id LIMIT 1",
    [subject, action],
  );
  return row;
}

/** The newest row about something. Concurrent look-ups share one statement. */
export function lastSaidOf(
  db: Db,
  { subject, actions }: { readonly subject: string; readonly actions: readonly string[] },
): Promise<AuditRow | undefined> {
  const work = (subjects: readonly string[]) => lastSaidOfAll(db, { subjects, actions });
  return db.lookUps.run(`last said: ${actions}`, { job: subject, work });
}

async function lastSaidOfAll(
  db: Db,
  { subjects, actions }: {
    readonly subjects: readonly string[];
    readonly actions: readonly string[];
  },
): Promise<PromiseSettledResult<AuditRow | undefined>[]> {
  const rows = await db.rows(
    AuditLog,
    `WHERE id IN (
  SELECT (
    SELECT a.id
    FROM audit_log AS a INDEXED BY audit_log_subject
    WHERE a.subject = k.value AND a.action IN (SELECT value FROM json_each(?))
    ORDER BY a.id DESC
    LIMIT 1)
  FROM json_each(?) AS k)`,
    [JSON.stringify(actions), JSON.stringify([...new Set(subjects)])],
  );
  const found = new Map(rows.map((row) => [row.subject, row]));
  return subjects.map((subject) => ({ status: "fulfilled", value: found.get(subject) }));
}
