import { AuditLog, type AuditRow, FREQUENT_ACTIONS, RARE_ACTION } from "../table.ts";
import type { Db } from "../../store/engine/db.ts";
import { type IdSpans, windowOf } from "../../store/lists/id_spans.ts";
import type { Condition, Paged, PageOf } from "../../store/lists/order.ts";
import type { Source } from "../../store/lists/branches.ts";
import { walk } from "../../store/lists/walk.ts";

export interface AuditSearch extends Paged {
  readonly spans: IdSpans;
  readonly actor: string | null;
  readonly subject: string | null;
  /** Rows by one of these actors or about one of these subjects. */
  readonly account: Parties | null;
  readonly actions: readonly string[] | null;
  readonly fromMs: number | null;
  readonly untilMs: number | null;
}

interface Parties {
  readonly actors: readonly string[];
  readonly subjects: readonly string[];
}

/** By the index that probably leaves the fewest rows; the rest filters those. */
export async function auditFound(db: Db, asked: AuditSearch): Promise<PageOf<AuditRow>> {
  const { spans, actions, cursor, limit, isOldestFirst } = asked;
  const [chosen, ...others] = waysTo(asked);
  const filters = others.map(({ filter }) => filter);
  return await walk(db, { table: AuditLog, spans }, {
    sources: chosen?.sources ?? EVERYTHING,
    filters: actions && !areRare(actions) ? [...filters, among("action", actions)] : filters,
    windows: windowOf("at_ms", asked),
    ...{ cursor, limit, isOldestFirst },
  });
}

interface Way {
  readonly sources: readonly Source[];
  readonly filter: Condition;
}

/** Not a bound on the id: SQLite uses one lower bound only, and would look past the page's own. */
const EVERYTHING: readonly Source[] = [{ columns: [], values: [[]], where: "true" }];

/** What was asked for and has an index, the rarest first. */
function waysTo({ actor, subject, account, actions }: AuditSearch): Way[] {
  const ways = [
    subject !== null && by("subject", [subject]),
    account && ofAccount(account),
    actions && areRare(actions) && by("action", actions, RARE_ACTION),
    actor !== null && by("actor", [actor]),
  ];
  return ways.filter((way) => way !== false && way !== null);
}

function areRare(actions: readonly string[]): boolean {
  return !FREQUENT_ACTIONS.some((action) => actions.includes(action));
}

function by(
  column: "actor" | "subject" | "action",
  values: readonly string[],
  where?: string,
): Way {
  const source = { index: `audit_log_${column}`, columns: [column] };
  const rows = values.map((value) => [value]);
  const sources = [{ ...source, values: rows, ...where === undefined ? {} : { where } }];
  return { sources, filter: among(column, values) };
}

function ofAccount({ actors, subjects }: Parties): Way {
  const [doing, about] = [by("actor", actors), by("subject", subjects)];
  const [[is, ...of], [isAbout, ...ofAbout]] = [doing.filter, about.filter];
  return {
    sources: [...doing.sources, ...about.sources],
    filter: [`(${is} OR ${isAbout})`, ...of, ...ofAbout],
  };
}

function among(column: string, values: readonly string[]): Condition {
  return [`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values)];
}

const NAMES_MAX = 200;

/** The account, and its newest users, keys and webhooks. */
export async function partiesOf(db: Db, accountId: number): Promise<Parties> {
  const named = async (of: string, table: string) => {
    const rows = await db.query(
      `SELECT ${of} AS name FROM ${table} WHERE account_id = ? ORDER BY rowid DESC LIMIT ?`,
      [accountId, NAMES_MAX],
    );
    return rows.map(({ name }) => String(name));
  };
  const [users, keys, webhooks] = await Promise.all([
    named("id", "users"),
    named("key_id", "api_keys"),
    named("id", "webhook_endpoints"),
  ]);
  return {
    actors: [...users.map((id) => `user:${id}`), ...keys.map((id) => `api:${id}`)],
    subjects: [
      `account:${accountId}`,
      ...users.map((id) => `user:${id}`),
      ...keys.map((id) => `key:${id}`),
      ...webhooks.map((id) => `webhook:${id}`),
    ],
  };
}
