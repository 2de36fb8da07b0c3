import { refuse } from "../domain/refusals/refuse.ts";
import { isAmountCondition, type Rule, windowOf } from "./rules/rules.ts";
import { isLooserRule } from "./rules/looser.ts";
import { Approvals } from "../approvals/table.ts";
import { Policies, type PolicyRow } from "./table.ts";
import { Withdrawals } from "../withdrawals/table.ts";
import type { View } from "../store/engine/workspace.ts";
import { openAlertsOf } from "../notifications/reads/notices.ts";
import type { AsOf } from "./reads/counted_payments.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { type Guard, guardOf } from "../control/guard.ts";
import { type By, changedText, guarded, textIn } from "../control/guarded.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { CURSOR, lookAtBook, readBook } from "./book.ts";
import type { Book } from "./known.ts";
import { change } from "./change.ts";
import { checkedRule, ratesFor } from "./checked_rule.ts";
import { fillMeter } from "./fill.ts";
import { withRules } from "./judging.ts";

export interface NewPolicy extends Omit<Rule, "id"> {
  readonly setBy: PolicyRow["setBy"];
  readonly actor: Actor;
}

/** Takes effect at once, and counts what was requested before. */
export async function addPolicy(deps: Deps, { actor, ...order }: NewPolicy): Promise<PolicyRow> {
  const rule = await checkedRule(deps, order);
  const windowMs = windowOf(rule);
  const fresh = {
    ...rule,
    quote: rule.quote ?? null,
    rates: await ratesFor(deps, rule),
    isActive: true,
    isReady: true,
    meterId: null,
    meteredFromMs: null,
    createdAtMs: deps.clock.nowMs(),
  };
  const by = rule.setBy === "merchant" ? rule.accountId ?? undefined : undefined;
  const added = await change(deps, { actor, by, action: "policy.added" }, (view, book) => {
    mustHaveRoom(book, rule);
    const shared = windowMs === undefined
      ? undefined
      : meterLike(book, rule, view.nowMs - windowMs);
    const meter = shared ?? newMeterFor(view, windowMs);
    const stricter = view.atOnce("one rule more is stricter");
    return { row: stricter.insert(Policies, { ...fresh, ...meter }), asOf: asOfIn(view) };
  });
  return await fill(deps, { ...added, actor });
}

/** Every payment looks at all of them, and merchants pay nothing for theirs. */
const MERCHANTS_MAX = 20;

function mustHaveRoom({ policies }: Book, { setBy, accountId }: Omit<NewPolicy, "actor">): void {
  if (setBy !== "merchant") return;
  const own = policies.filter((rule) => isOf(rule, accountId));
  if (own.length >= MERCHANTS_MAX) throw refuse("policies_too_many", { max: MERCHANTS_MAX });
}

/** Set by the account's own people. */
export function isOf(rule: Pick<PolicyRow, "accountId" | "setBy">, owner: number | null): boolean {
  return rule.setBy === "merchant" && rule.accountId === owner;
}

interface Added {
  readonly row: PolicyRow;
  readonly asOf: AsOf;
}

/** Another rule's meter, if it knows the whole window. */
function meterLike({ policies }: Book, rule: Omit<Rule, "id">, sinceMs: number) {
  const scopeOf = ({ accountId, keyId, network, currency, each, quote }: Omit<Rule, "id">) =>
    JSON.stringify([accountId, keyId, network, currency?.toUpperCase(), each, quote ?? null]);
  const like = policies.find((one) =>
    one.isReady && one.meteredFromMs !== null && one.meteredFromMs <= sinceMs &&
    scopeOf(one) === scopeOf(rule)
  );
  if (!like) return undefined;
  const { meterId, meteredFromMs, rates } = like;
  return { meterId, meteredFromMs, rates, isReady: true };
}

/** Each rule has so many meters of its own, one after the other. */
const METERS_EACH = 1_000_000;

function newMeterFor(view: View, windowMs: number | undefined) {
  if (windowMs === undefined) return {};
  // Its own id: a policy that is filled again gets a higher one.
  const meterId = (view.lastId(Policies) + 1) * METERS_EACH;
  return { meterId, meteredFromMs: view.nowMs - windowMs, isReady: false, isActive: false };
}

function asOfIn(view: View): AsOf {
  return {
    withdrawalId: view.lastId(Withdrawals),
    approvalId: view.lastId(Approvals),
    releaseId: view.rowOf(CURSOR)?.entryId ?? 0,
  };
}

/** Everything since is counted already; now what came before. */
async function fill(deps: Deps, { row, asOf, actor }: Added & { actor: Actor }) {
  const { meterId, meteredFromMs } = row;
  if (row.isReady || meterId === null || meteredFromMs === null) return row;
  const { accountId, keyId, network, currency, each, quote, rates } = row;
  const scope = { accountId, keyId, network, currency, each, quote, rates };
  await fillMeter(deps, { id: meterId, fromMs: meteredFromMs, ...scope }, asOf);
  return await change(deps, { actor, action: "policy.ready" }, (view, book) => {
    const current = ruleIn(view, { book, id: row.id });
    // Somebody has begun again since, or switched it off.
    if (current.meterId !== meterId) return current;
    const counted = view.atOnce("what was being counted goes on");
    return counted.update(Policies, current, { isReady: true, isActive: true });
  });
}

/** Another program may still be at it. */
const FILLED_WITHIN_MS = 60_000;

/** What was being counted when a program ended goes on here, on one instance. */
export async function resumeFilling(deps: Deps): Promise<void> {
  const { memory } = deps;
  const book = memory.policyBook ?? await withRules(deps, () => readBook(deps));
  for (const rule of book.policies) {
    const beganAtMs = countedSince(rule);
    if (rule.isReady || beganAtMs === undefined) continue;
    if (deps.clock.nowMs() < beganAtMs + FILLED_WITHIN_MS) continue;
    await setPolicyActive(deps, { id: rule.id, isActive: true, actor: "worker" });
  }
}

/** When its meter began. Undefined: it has none, or was switched off while it was being counted. */
function countedSince({ meterId, meteredFromMs, condition }: PolicyRow): number | undefined {
  if (meterId === null || meteredFromMs === null) return undefined;
  return meteredFromMs + (windowOf({ condition }) ?? 0);
}

/**
 * Rules kept for one of several spellings of a symbol, by older versions, have counted that one only.
 * They count anew before anything else is counted or taken out: an alert of the update names each.
 * Meanwhile they apply as if their limits were used up.
 */
export async function recountRespelled(deps: Deps): Promise<void> {
  const alerts = await openAlertsOf(deps.db, "rule_spelling");
  for (const { subject, createdAtMs } of alerts) {
    const id = Number(subject.slice("policy:".length));
    const row = await deps.db.find(Policies, [id]);
    const at = { alertedAtMs: createdAtMs, nowMs: deps.clock.nowMs() };
    if (!row || !isCountedBefore(row, at)) continue;
    try {
      await recount(deps, { row, alertedAtMs: createdAtMs });
    } catch (error) {
      // Nothing is paid until somebody has looked at the rules.
      if (!(error instanceof TamperedRow)) throw error;
    }
  }
}

/** Or an earlier start was interrupted. What another program is still counting is left to it. */
function isCountedBefore(
  row: PolicyRow,
  { alertedAtMs, nowMs }: { alertedAtMs: number; nowMs: number },
): boolean {
  const beganAtMs = countedSince(row);
  if (beganAtMs === undefined) return false;
  return beganAtMs <= alertedAtMs || !row.isReady && nowMs >= beganAtMs + FILLED_WITHIN_MS;
}

async function recount(
  deps: Deps,
  { row: { id, ...rule }, alertedAtMs }: { row: PolicyRow; alertedAtMs: number },
): Promise<void> {
  const rates = await ratesFor(deps, rule);
  const order = { actor: "worker", action: "policy.counted_anew" } as const;
  const started = await change(deps, order, (view, book) => {
    const before = ruleIn(view, { book, id });
    // Another program was faster.
    if (!isCountedBefore(before, { alertedAtMs, nowMs: view.nowMs })) return undefined;
    const { isActive } = before;
    // The rule may share its meter with others, which get their own.
    const own = id * METERS_EACH;
    const isOwn = before.meterId !== null && Math.floor(before.meterId / METERS_EACH) === id;
    const counting = { ...before, meterId: isOwn ? before.meterId : own };
    const patch = { ...startOver(counting, { isActive, view }), rates, isReady: false };
    const stricter = view.atOnce("one spelling more is stricter");
    return { row: stricter.update(Policies, before, patch), asOf: asOfIn(view) };
  });
  if (started) await fill(deps, { ...started, actor: order.actor });
}

interface OfRule {
  readonly id: number;
  /** Of an account whose people ask: they change no rules but their own. */
  readonly ownedBy?: number | undefined;
}

/** What can be changed about a rule that stays. */
export type PolicyTerms = Partial<
  Pick<Rule, "label" | "cap" | "outcome" | "approvals" | "expiresMs">
>;

const TERM_NAMES = {
  label: "label",
  cap: "limit",
  outcome: "then",
  approvals: "approvals",
  expiresMs: "expires after",
};

export const ruleSwitchOff = guarded({
  kind: "policy.switch_off",
  ability: "manage_rules",
  sentence: ({ id }: OfRule, before) => `switch off rule ${id}${labelIn(before)}`,
  run: (deps, wanted, how) => setPolicyActive(deps, { ...wanted, ...how, isActive: false }),
});

export const ruleRemove = guarded({
  kind: "policy.remove",
  ability: "manage_rules",
  sentence: ({ id }: OfRule, before) => `remove rule ${id}${labelIn(before)}`,
  run: (deps, wanted, how) => removePolicy(deps, { ...wanted, ...how }),
});

export const ruleEdit = guarded({
  kind: "policy.edit",
  ability: "manage_rules",
  sentence: ({ id, change }: OfRule & { change: PolicyTerms }, before) =>
    `change rule ${id}${labelIn(before)}: ${changedText(change, TERM_NAMES)}`,
  run: (deps, wanted, how) => editPolicy(deps, { ...wanted, ...how }),
});

function labelIn(before: Readonly<Record<string, unknown>>): string {
  const label = textIn(before, "label");
  return label === "" ? "" : ` "${label}"`;
}

type PolicyOrder = OfRule & By;

async function guardFor(
  deps: Deps,
  { id, mandate }: Pick<PolicyOrder, "id" | "mandate">,
): Promise<Guard> {
  const row = await deps.db.find(Policies, [id]);
  return await guardOf(deps, { accountId: row?.accountId ?? null, mandate });
}

/** What people set, without what the gateway keeps for it. */
function shownOf({ meterId: _, meteredFromMs: _from, isReady: _ready, ...rule }: PolicyRow) {
  return rule;
}

export async function setPolicyActive(
  deps: Deps,
  { id, ownedBy, isActive, actor, mandate }: PolicyOrder & { isActive: boolean },
): Promise<PolicyRow> {
  const action = isActive ? "policy.switched_on" : "policy.switched_off";
  const guard = await guardFor(deps, { id, mandate });
  const { asOf, row } = await change(deps, { actor, by: ownedBy, action, guard }, (view, book) => {
    const before = ruleIn(view, { book, id, ownedBy });
    const after = { ...shownOf(before), isActive };
    guard.pass(view, { isLooser: !isActive, before: shownOf(before), after });
    const patch = before.isReady ? { isActive } : startOver(before, { isActive, view });
    return { row: view.update(Policies, before, patch), asOf: asOfIn(view) };
  });
  return isActive ? await fill(deps, { row, asOf, actor }) : row;
}

/** What it counts stays the same; another scope is another rule. */
export async function editPolicy(
  deps: Deps,
  { id, ownedBy, change: wanted, actor, mandate }: PolicyOrder & { change: PolicyTerms },
): Promise<PolicyRow> {
  const guard = await guardFor(deps, { id, mandate });
  const order = { actor, by: ownedBy, action: "policy.edited", guard } as const;
  return await change(deps, order, (view, book) => {
    const row = ruleIn(view, { book, id, ownedBy });
    mustFit(row, wanted);
    const after = { ...row, ...wanted };
    const isLooser = isLooserRule(row, after);
    guard.pass(view, { isLooser, before: shownOf(row), after: shownOf(after) });
    return view.update(Policies, row, after);
  });
}

function mustFit({ id, cap, condition }: PolicyRow, wanted: PolicyTerms): void {
  if (wanted.cap === undefined) return;
  if (cap === null || wanted.cap === null) throw refuse("policy_without_limit", { id });
  const isWhole = isAmountCondition(condition) || /^[1-9]\d{0,9}$/.test(wanted.cap);
  if (!isWhole) throw refuse("policy_limit_wrong", { id, limit: wanted.cap });
}

/**
 * It was being filled: whoever does that doesn't go on with an older meter. A rule that is counted
 * anew goes on applying, unless it is switched off.
 */
function startOver(
  rule: PolicyRow,
  { isActive, view: { nowMs } }: { isActive: boolean; view: View },
): Partial<PolicyRow> {
  if (rule.meterId === null) return { isActive };
  const meterId = rule.meterId + 1;
  if (!isActive) return { meterId, meteredFromMs: null, isActive };
  return { meterId, meteredFromMs: nowMs - (windowOf(rule) ?? 0) };
}

export async function removePolicy(
  deps: Deps,
  { id, ownedBy, actor, mandate }: PolicyOrder,
): Promise<PolicyRow> {
  const guard = await guardFor(deps, { id, mandate });
  const order = { actor, by: ownedBy, action: "policy.removed", guard } as const;
  return await change(deps, order, (view, book) => {
    const row = ruleIn(view, { book, id, ownedBy });
    guard.pass(view, { isLooser: true, before: shownOf(row), after: null });
    view.remove(Policies, row);
    return row;
  });
}

interface Wanted extends OfRule {
  readonly book: Book;
}

function ruleIn(view: View, { book, id, ownedBy }: Wanted): PolicyRow {
  const row = book.policies.some((rule) => rule.id === id) ? view.find(Policies, [id]) : undefined;
  if (!row || ownedBy !== undefined && !isOf(row, ownedBy)) throw refuse("policy_unknown", { id });
  return row;
}

export async function listPolicies(deps: Deps): Promise<readonly PolicyRow[]> {
  return (await lookAtBook(deps)).book.policies;
}
