import { refuse } from "../../domain/refusals/refuse.ts";
import { type Rule, windowOf } from "../../domain/policy/rules.ts";
import { rateOf } from "../../domain/rates/rate_of.ts";
import { ApiKeys } from "../../store/tables/setup.ts";
import { Approvals } from "../../store/tables/control/approvals.ts";
import { Policies, type PolicyRow } from "../../store/tables/control/policies.ts";
import { Withdrawals } from "../../store/tables/withdrawals.ts";
import type { View } from "../../store/engine/workspace.ts";
import type { AsOf } from "../../store/reads/control/policies.ts";
import { findAccount, findCurrency, findNetwork } from "../books/find.ts";
import { type Guard, guardOf, type Mandate } from "../control/guard.ts";
import { currentRates, hasRates } from "../rates/current.ts";
import type { Actor, Deps } from "../deps.ts";
import { CURSOR, lookAtBook } from "./book.ts";
import type { Book } from "./known.ts";
import { change } from "./change.ts";
import { fillMeter } from "./fill.ts";

export interface NewPolicy extends Omit<Rule, "id"> {
  readonly setBy: PolicyRow["setBy"];
  readonly actor: Actor;
}

/** Takes effect at once, and counts what was requested before. */
export async function addPolicy(deps: Deps, { actor, ...order }: NewPolicy): Promise<PolicyRow> {
  const rule = await checked(deps, order);
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
  const added = await change(deps, { actor, action: "policy.added" }, (view, book) => {
    const shared = windowMs === undefined
      ? undefined
      : meterLike(book, rule, view.nowMs - windowMs);
    const meter = shared ?? newMeterFor(view, windowMs);
    return { row: view.insert(Policies, { ...fresh, ...meter }), asOf: asOfIn(view) };
  });
  return await fill(deps, { ...added, actor });
}

interface Added {
  readonly row: PolicyRow;
  readonly asOf: AsOf;
}

/** Another rule's meter, if it knows the whole window. */
function meterLike({ policies }: Book, rule: Omit<Rule, "id">, sinceMs: number) {
  const scopeOf = ({ accountId, keyId, network, currency, each, quote }: Omit<Rule, "id">) =>
    JSON.stringify([accountId, keyId, network, currency, each, quote ?? null]);
  const like = policies.find((one) =>
    one.isReady && one.meteredFromMs !== null && one.meteredFromMs <= sinceMs &&
    scopeOf(one) === scopeOf(rule)
  );
  if (!like) return undefined;
  const { meterId, meteredFromMs, rates } = like;
  return { meterId, meteredFromMs, rates, isReady: true };
}

function newMeterFor(view: View, windowMs: number | undefined) {
  if (windowMs === undefined) return {};
  // Its own id: a policy that is filled again gets a higher one.
  const meterId = view.lastId(Policies) * 1_000_000 + 1_000_000;
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
    if (current.meterId !== meterId) throw refuse("policy_unknown", { id: row.id });
    return view.update(Policies, current, { isReady: true, isActive: true });
  });
}

interface PolicyOrder {
  readonly id: number;
  readonly actor: Actor;
  readonly mandate?: Mandate | undefined;
}

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
  { id, isActive, actor, mandate }: PolicyOrder & { isActive: boolean },
): Promise<PolicyRow> {
  const action = isActive ? "policy.switched_on" : "policy.switched_off";
  const guard = await guardFor(deps, { id, mandate });
  const { asOf, row } = await change(deps, { actor, action, guard }, (view, book) => {
    const before = ruleIn(view, { book, id });
    const after = { ...shownOf(before), isActive };
    guard.pass(view, { isLooser: !isActive, before: shownOf(before), after });
    const { meterId } = before;
    const patch = isActive && !before.isReady && meterId !== null
      // The program ended while it was being filled.
      ? { meterId: meterId + 1, meteredFromMs: view.nowMs - (windowOf(before) ?? 0) }
      : { isActive };
    return { row: view.update(Policies, before, patch), asOf: asOfIn(view) };
  });
  return isActive ? await fill(deps, { row, asOf, actor }) : row;
}

export async function removePolicy(
  deps: Deps,
  { id, actor, mandate }: PolicyOrder,
): Promise<PolicyRow> {
  const guard = await guardFor(deps, { id, mandate });
  return await change(deps, { actor, action: "policy.removed", guard }, (view, book) => {
    const row = ruleIn(view, { book, id });
    guard.pass(view, { isLooser: true, before: shownOf(row), after: null });
    view.remove(Policies, row);
    return row;
  });
}

function ruleIn(view: View, { book, id }: { book: Book; id: number }): PolicyRow {
  const row = book.policies.some((rule) => rule.id === id) ? view.find(Policies, [id]) : undefined;
  if (!row) throw refuse("policy_unknown", { id });
  return row;
}

export async function listPolicies(deps: Deps): Promise<readonly PolicyRow[]> {
  return (await lookAtBook(deps)).book.policies;
}

/** What earlier payments are worth to a rule in another currency. */
async function ratesFor(
  deps: Deps,
  { quote = null, network, currency }: Omit<Rule, "id">,
): Promise<Record<string, string> | null> {
  if (quote === null) return null;
  const { currencies } = await deps.catalog.current();
  const nowMs = deps.clock.nowMs();
  const { sources } = await currentRates(deps);
  const rates: Record<string, string> = {};
  for (const { symbol, ...one } of currencies) {
    if (network !== null && one.network !== network) continue;
    if (currency !== null && symbol !== currency) continue;
    const rate = rateOf(sources, { base: symbol, quote, nowMs });
    if (rate) rates[symbol] = rate.value;
  }
  return rates;
}

async function checked<R extends Omit<Rule, "id">>(deps: Deps, order: R): Promise<R> {
  const rule = { ...order, quote: await knownQuote(deps, order.quote ?? null) };
  const { accountId, keyId, network, currency } = rule;
  if (accountId !== null) await findAccount(deps, accountId);
  const key = keyId === null ? undefined : await deps.db.find(ApiKeys, [keyId]);
  if (keyId !== null && !key) throw refuse("key_unknown", { keyId });
  if (network !== null && currency === null) {
    return { ...rule, network: (await findNetwork(deps, network)).code };
  }
  if (currency === null) return rule;
  if (network !== null) {
    const found = await findCurrency(deps, { network, symbol: currency });
    return { ...rule, network: found.network, currency: found.symbol };
  }
  const { currencies } = await deps.catalog.current();
  const found = currencies.find(({ symbol }) => symbol.toLowerCase() === currency.toLowerCase());
  if (!found) throw refuse("policy_currency_unknown", { symbol: currency });
  return { ...rule, currency: found.symbol };
}

async function knownQuote(deps: Deps, quote: string | null): Promise<string | null> {
  if (quote === null) return null;
  if (await hasRates(deps, quote)) return quote.toUpperCase();
  throw refuse("policy_quote_unknown", { quote });
}
