import type { Deed } from "../audit/rules/deeds.ts";
import { sleep } from "../base/clock.ts";
import { fullBucket, takeToken } from "../base/waiting/token_bucket.ts";
import { TooBusy } from "../base/waiting/turns.ts";
import { LedgerEntries } from "../books/table.ts";
import { Policies, PolicyBooks, PolicyCursor, type PolicyRow } from "./table.ts";
import { readAll, type View } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import type { Guard } from "../control/guard.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import {
  BOOK_ID,
  bookRead,
  CURSOR,
  CURSOR_ID,
  hashOfRules,
  POLICIES,
  POLICIES_CHANGED,
  readBook,
  RulesChanged,
} from "./book.ts";
import type { Book } from "./known.ts";
import { withRules } from "./judging.ts";

interface Order {
  readonly actor: Actor;
  readonly action: Deed;
  /** The account whose people ask; undefined: operators. */
  readonly by?: number | undefined;
  /** For a change that makes the rules less strict. */
  readonly guard?: Guard;
}

/** After a change, payments that wait have to decide again. This gives them the time. */
const PAUSE_MS = 20;

/**
 * One at a time and not too many, because whoever goes on changing their own rules must not stop
 * others' payments, or keep operators waiting.
 */
export async function change<T>(
  deps: Deps,
  order: Order,
  decide: (view: View, book: Book) => T,
): Promise<T> {
  mustBeFew(deps, order);
  return await deps.memory.ruleTurns.run("rules", async () => {
    await sleep(PAUSE_MS);
    return await changeOne(deps, order, decide);
  });
}

/** More than anybody needs. */
const CHANGES_A_MINUTE = 30;

function mustBeFew({ memory: { ruleChanges }, clock }: Deps, { by }: Order): void {
  if (by === undefined) return;
  const nowMs = clock.nowMs();
  let bucket = ruleChanges.get(by);
  if (!bucket) ruleChanges.set(by, bucket = fullBucket(CHANGES_A_MINUTE, nowMs));
  const { isAllowed } = takeToken(bucket, CHANGES_A_MINUTE, nowMs);
  if (!isAllowed) throw new TooBusy("Too many changes of rules at once: try again in a minute");
}

/** Rule, book and audit rows with before and after in one unit. */
async function changeOne<T>(
  deps: Deps,
  { actor, action, guard }: Order,
  decide: (view: View, book: Book) => T,
): Promise<T> {
  return await withRules(deps, async () => {
    const book = await readBook(deps);
    const result = await deps.db.write({
      reads: [bookRead(), CURSOR, ...rulesRead(book), ...guard?.reads ?? []],
      decide: (view) => {
        if ((view.rowOf(bookRead())?.version ?? 0) !== book.version) throw new RulesChanged();
        if (book.meters.length === 0) beginCursor(view);
        const lastId = view.lastId(Policies);
        const result = decide(view, book);
        const ids = new Set(book.policies.map(({ id }) => id));
        if (view.lastId(Policies) > lastId) ids.add(view.lastId(Policies));
        const policies = [...ids].flatMap((id) => view.find(Policies, [id]) ?? []);
        noteChanges(view, { actor, action, before: book.policies, after: policies });
        writeBook(view, { actor, policies });
        return result;
      },
    });
    deps.memory.policyBook = undefined;
    return result;
  });
}

/** Nothing was counted so far, so what was released before is left out of a new meter. */
function beginCursor(view: View): void {
  const entryId = view.lastId(LedgerEntries);
  const cursor = view.rowOf(CURSOR);
  if (cursor) view.update(PolicyCursor, cursor, { entryId });
  else view.insertKeyed(PolicyCursor, { id: CURSOR_ID, entryId });
}

function noteChanges(
  view: View,
  { actor, action, before, after }: Order & {
    before: readonly PolicyRow[];
    after: readonly PolicyRow[];
  },
): void {
  const { nowMs } = view;
  const of = (rows: readonly PolicyRow[], id: number) => rows.find((row) => row.id === id) ?? null;
  for (const id of new Set([...before, ...after].map((row) => row.id))) {
    const detail = { before: of(before, id), after: of(after, id) };
    if (JSON.stringify(detail.before) === JSON.stringify(detail.after)) continue;
    recordAudit(view, { actor, action, subject: `policy:${id}`, detail, nowMs });
  }
}

export function writeBook(
  view: View,
  { actor, policies, atLeast = 0 }: {
    actor: Actor;
    policies: readonly PolicyRow[];
    atLeast?: number;
  },
): void {
  const row = view.rowOf(bookRead());
  const version = Math.max(row?.version ?? 0, atLeast) + 1;
  const next = { version, rulesHash: hashOfRules(policies) };
  const noted = view.atOnce("only together with a rule");
  if (row) noted.update(PolicyBooks, row, next);
  else noted.insertKeyed(PolicyBooks, { id: BOOK_ID, ...next });
  const detail = { version, policies: policies.map(({ id }) => id) };
  const { nowMs } = view;
  recordAudit(view, { actor, action: POLICIES_CHANGED, subject: POLICIES, detail, nowMs });
}

export function rulesRead({ policies }: Book) {
  return readAll(Policies, policies.map(({ id }) => [id]));
}
