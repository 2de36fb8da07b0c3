import { refuse } from "../../domain/refusals/refuse.ts";
import { type Rule, windowOf } from "../../domain/policy/rules.ts";
import { ApiKeys } from "../../store/tables/setup.ts";
import { Approvals } from "../../store/tables/control/approvals.ts";
import { Policies, PolicyBooks, type PolicyRow } from "../../store/tables/control/policies.ts";
import { Withdrawals } from "../../store/tables/withdrawals.ts";
import type { View } from "../../store/engine/workspace.ts";
import type { AsOf } from "../../store/reads/control/policies.ts";
import { findAccount, findCurrency, findNetwork } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps.ts";
import { bookRead, lookAtBook, POLICIES } from "./book.ts";
import type { Book } from "./known.ts";
import { change, rulesRead, writeBook } from "./change.ts";
import { fillMeter } from "./fill.ts";
import { CURSOR } from "./released.ts";

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
  const scopeOf = ({ accountId, keyId, network, currency, each }: Omit<Rule, "id">) =>
    JSON.stringify([accountId, keyId, network, currency, each]);
  const like = policies.find((one) =>
    one.isReady && one.meteredFromMs !== null && one.meteredFromMs <= sinceMs &&
    scopeOf(one) === scopeOf(rule)
  );
  return like && { meterId: like.meterId, meteredFromMs: like.meteredFromMs, isReady: true };
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
  const { accountId, keyId, network, currency, each } = row;
  const scope = { accountId, keyId, network, currency, each };
  await fillMeter(deps, { id: meterId, fromMs: meteredFromMs, ...scope }, asOf);
  return await change(deps, { actor, action: "policy.ready" }, (view) => {
    const current = view.find(Policies, [row.id]);
    if (current?.meterId !== meterId) throw refuse("policy_unknown", { id: row.id });
    return view.update(Policies, current, { isReady: true, isActive: true });
  });
}

export async function setPolicyActive(
  deps: Deps,
  { id, isActive, actor }: { id: number; isActive: boolean; actor: Actor },
): Promise<PolicyRow> {
  const action = isActive ? "policy.switched_on" : "policy.switched_off";
  const { asOf, row } = await change(deps, { actor, action }, (view) => {
    const before = view.find(Policies, [id]);
    if (!before) throw refuse("policy_unknown", { id });
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
  { id, actor }: { id: number; actor: Actor },
): Promise<PolicyRow> {
  return await change(deps, { actor, action: "policy.removed" }, (view) => {
    const row = view.find(Policies, [id]);
    if (!row) throw refuse("policy_unknown", { id });
    view.remove(Policies, row);
    return row;
  });
}

export async function listPolicies(deps: Deps): Promise<readonly PolicyRow[]> {
  return (await lookAtBook(deps)).book.policies;
}

/** An operator has looked at the rules after somebody else changed them: they are right as they are. */
export async function acceptPolicies(deps: Deps, { actor }: { actor: Actor }): Promise<number> {
  const { book, isRight, saidVersion } = await lookAtBook(deps);
  if (isRight) throw refuse("policies_right");
  await deps.db.write({
    reads: [bookRead(), ...rulesRead(book)],
    decide: (view) => {
      for (const { id } of book.policies) {
        const row = view.find(Policies, [id]);
        if (row && !view.isGenuine(Policies, row)) view.accept(Policies, row);
      }
      const row = view.rowOf(bookRead());
      if (row && !view.isGenuine(PolicyBooks, row)) view.accept(PolicyBooks, row);
      const said = { actor, action: "policies.accepted", subject: POLICIES, nowMs: view.nowMs };
      recordAudit(view, said);
      const policies = book.policies.flatMap(({ id }) => view.find(Policies, [id]) ?? []);
      writeBook(view, { actor, policies, atLeast: saidVersion });
    },
  });
  deps.memory.policyBook = undefined;
  return book.policies.length;
}

async function checked<R extends Omit<Rule, "id">>(deps: Deps, rule: R): Promise<R> {
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
