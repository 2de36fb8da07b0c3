import { hash } from "node:crypto";
import {
  Policies,
  type PolicyBookRow,
  PolicyBooks,
  PolicyCursor,
  type PolicyRow,
} from "./table.ts";
import { allPolicies, lastPolicyChange } from "./reads/policies.ts";
import { type Read, read } from "../store/engine/workspace.ts";
import { type AnyRow, type RowValue, toValues } from "../store/tables/table.ts";
import { reportTampered } from "../books/tampered.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import type { Deps } from "../deps/deps.ts";
import type { Book, KnownEdge, Meter, Plan, Window } from "./known.ts";

/** The subject of the rules in the audit log. */
export const POLICIES = "policies";
export const POLICIES_CHANGED = "policies.changed";
export const BOOK_ID = 1;
const RACES_MAX = 20;

const BOOK = read(PolicyBooks, [BOOK_ID]);
export const CURSOR_ID = 1;
export const CURSOR = read(PolicyCursor, [CURSOR_ID]);

export function bookRead(): Read<PolicyBookRow> {
  return BOOK;
}

/** The rules have changed since they were read: everything is looked at again. */
export class RulesChanged extends Error {
  override name = "RulesChanged";
}

/** Payments that ended unpaid have to be taken out first. */
export class ReleasesWaiting extends RulesChanged {
  override name = "ReleasesWaiting";
}

/** What counts before a window has changed since it was read: only that is read again. */
export class EdgeMoved extends RulesChanged {
  override name = "EdgeMoved";

  constructor(readonly plan: Plan, readonly window: Window, readonly edge: KnownEdge) {
    super();
  }
}

/** Somebody deleted a rule, changed one, or put an old one back: nothing is held until it is right. */
class WrongRules extends TamperedRow {
  override name = "WrongRules";
  override until = "you have accepted the rules as they are";

  constructor() {
    const why = "The payment rules in the database are not those that were last set";
    super(Policies.name, { key: "all", accountId: null }, why);
  }
}

/** Kept in memory; the unit that holds the money checks the version. */
export async function readBook(deps: Deps): Promise<Book> {
  const { book, isRight } = await lookAtBook(deps);
  if (!isRight) {
    const fault = new WrongRules();
    await reportTampered(deps, fault);
    throw fault;
  }
  deps.memory.policyBook = book;
  return book;
}

/** Reports rules that somebody else changed, also while nobody asks for a payment. */
export async function checkBook(deps: Deps): Promise<boolean> {
  try {
    await readBook(deps);
    return true;
  } catch (error) {
    if (!(error instanceof WrongRules)) throw error;
    return false;
  }
}

/** The rules as they are in the database, and whether they are those that were last set. */
export async function lookAtBook(
  { db }: Pick<Deps, "db">,
): Promise<{ book: Book; isRight: boolean; saidVersion: number }> {
  for (let race = 1;; race++) {
    const row = await db.find(PolicyBooks, [BOOK_ID]);
    const policies = await allPolicies(db);
    const [again, said] = await Promise.all([
      db.find(PolicyBooks, [BOOK_ID]),
      lastPolicyChange(db, POLICIES),
    ]);
    if (row?.version !== again?.version && race < RACES_MAX) continue;
    const version = row?.version ?? 0;
    const saidVersion = Number(said?.detail.version ?? 0);
    if (saidVersion > version && race < RACES_MAX) continue;
    const isRight = saidVersion <= version &&
      (row === undefined || db.isGenuine(PolicyBooks, row)) &&
      policies.every((policy) => db.isGenuine(Policies, policy)) &&
      (row?.rulesHash ?? hashOfRules([])) === hashOfRules(policies);
    return { book: { version, policies, meters: metersOf(policies) }, isRight, saidVersion };
  }
}

export function hashOfRules(policies: readonly PolicyRow[]): string {
  const values = policies.toSorted((a, b) => a.id - b.id)
    .map((row: AnyRow) => withoutLastNulls(toValues(Policies, row)));
  return hash("sha256", JSON.stringify(values));
}

/** As seals do: a column that was added later leaves the hash of older rules as it was. */
function withoutLastNulls(values: readonly RowValue[]): readonly RowValue[] {
  return values.slice(0, values.findLastIndex((value) => value !== null) + 1);
}

function metersOf(policies: readonly PolicyRow[]): Meter[] {
  const meters = new Map<number, Meter>();
  for (const { meterId, meteredFromMs, ...policy } of policies) {
    if (meterId === null || meteredFromMs === null) continue;
    const { accountId, keyId, network, currency, each, quote, rates } = policy;
    const scope = { accountId, keyId, network, currency, each, quote, rates };
    meters.set(meterId, { id: meterId, fromMs: meteredFromMs, ...scope });
  }
  return [...meters.values()];
}
