import { refuse } from "../domain/refusals/refuse.ts";
import { lastPolicyChange } from "./reads/policies.ts";
import { Policies, PolicyBooks } from "./table.ts";
import { AuditLog } from "../audit/table.ts";
import { recordAudit } from "../books/records.ts";
import { guardOfAll } from "../control/guard.ts";
import { type By, guarded } from "../control/guarded.ts";
import type { Deps } from "../deps/deps.ts";
import { bookRead, hashOfRules, lookAtBook, POLICIES } from "./book.ts";
import { rulesRead, writeBook } from "./change.ts";

export const rulesAccept = guarded({
  kind: "policy.accept",
  ability: null,
  sentence: () => "accept the rules as somebody changed them in the database",
  run: (deps, _: Readonly<Record<string, never>>, how) => acceptPolicies(deps, how),
});

/** Somebody else changed the rules, and an operator accepts them as they are. */
async function acceptPolicies(deps: Deps, { actor, mandate }: By): Promise<number> {
  const { book, isRight, saidVersion } = await lookAtBook(deps);
  if (isRight) throw refuse("policies_right");
  const ids = book.policies.map(({ id }) => id);
  const accountIds = [...await accountsSaid(deps), null];
  const guard = await guardOfAll(deps, { accountIds, mandate });
  await deps.db.write({
    reads: [bookRead(), ...rulesRead(book), ...guard.reads],
    decide: (view) => {
      const found = ids.flatMap((id) => view.raw.find(Policies, [id]) ?? []);
      const rules = found.map(({ id, label, isActive }) => ({ id, label, isActive }));
      const before = { rules, hash: hashOfRules(found) };
      guard.pass(view, { isLooser: true, before, after: null });
      for (const row of found) {
        if (!view.isGenuine(Policies, row)) view.accept(Policies, row);
      }
      const row = view.raw.rowOf(bookRead());
      if (row && !view.isGenuine(PolicyBooks, row)) view.accept(PolicyBooks, row);
      const { nowMs } = view;
      recordAudit(view, { actor, action: "policies.accepted", subject: POLICIES, nowMs });
      const policies = ids.flatMap((id) => view.find(Policies, [id]) ?? []);
      writeBook(view, { actor, policies, atLeast: saidVersion });
    },
  });
  deps.memory.policyBook = undefined;
  return book.policies.length;
}

/** The accounts whose rules were last set, including rules that were deleted or changed since. */
async function accountsSaid({ db }: Deps): Promise<number[]> {
  const ids = (await lastPolicyChange(db, POLICIES))?.detail.policies;
  const subjects = Array.isArray(ids) ? ids.map((id) => `policy:${id}`) : [];
  const said = await Promise.all(subjects.map((subject) => db.list(AuditLog, { subject })));
  return [...new Set(said.flat().flatMap(({ detail }) => ownerIn(detail.after)))];
}

function ownerIn(rule: unknown): number[] {
  const isRule = typeof rule === "object" && rule !== null && "accountId" in rule;
  return isRule && typeof rule.accountId === "number" ? [rule.accountId] : [];
}
