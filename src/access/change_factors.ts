import { factorsSaid, hasSecondFactor } from "./rules/second_factors.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { type UserRow, Users } from "./tables/users.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { insertNotice } from "../books/alerts.ts";
import { recordAudit } from "../books/records.ts";
import { codesSaid } from "../integrity/newest.ts";
import { type Guard, guardOf, type Mandate } from "../control/guard.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { subjectOf } from "./manage_users.ts";
import { isFactorRequired } from "./require_second_factor.ts";

interface FactorChange {
  readonly user: UserRow;
  readonly action:
    | "user.second_factor_on"
    | "user.second_factor_off"
    | "user.recovery_codes_renewed";
  /** As people call it, such as "authenticator app". */
  readonly what: string;
  readonly actor: Actor;
  readonly reads?: readonly Read[];
  readonly guard?: Guard;
  /** Without a guard: why it needs none. */
  readonly atOnce?: string;
  patchOf(user: UserRow, view: View): Partial<UserRow>;
}

export const FACTOR_MORE = "one factor more is stricter; after the first, it takes that one";

/**
 * Everything that a user changes about their own second factors happens here; `resetUser` removes
 * them for somebody else. Returns the user before and after.
 */
export async function changeFactors(
  deps: Deps,
  { user: { id }, action, what, actor, reads = [], guard, atOnce, patchOf }: FactorChange,
): Promise<{ before: UserRow; after: UserRow }> {
  return await deps.db.write({
    reads: [read(Users, [id]), ...reads, ...guard?.reads ?? []],
    decide: (view) => {
      const before = view.find(Users, [id]);
      if (!before) throw refuse("user_unknown", { user: id });
      const patch = patchOf(before, view);
      const [shown, kept] = [before, { ...before, ...patch }].map(shownFactors);
      guard?.pass(view, { isLooser: true, before: shown ?? null, after: kept ?? null });
      const stricter = atOnce === undefined ? view : view.atOnce(atOnce);
      const after = stricter.update(Users, before, patch);
      const { nowMs } = view;
      const [had, has] = [before, after].map(factorsSaid);
      const detail = { factor: what, before: had, after: has, codes: codesSaid(after, deps.db) };
      recordAudit(view, { actor, action, subject: subjectOf(before), detail, nowMs });
      const { accountId } = after;
      const title = titleOf(after, { action, what });
      if (title) insertNotice(view, { topic: "security", accountId, title, nowMs });
      return { before, after };
    },
  });
}

function titleOf(
  user: UserRow,
  { action, what }: Pick<FactorChange, "action" | "what">,
): string | undefined {
  if (action === "user.second_factor_on") return `${user.email} has a new second factor: ${what}`;
  if (action !== "user.second_factor_off") return undefined;
  return hasSecondFactor(user)
    ? `A second factor of ${user.email} was removed: ${what}`
    : `The second factor of ${user.email} was removed`;
}

function shownFactors(user: UserRow): object {
  return { email: user.email, ...factorsSaid(user) };
}

interface Removal extends Omit<FactorChange, "action" | "patchOf" | "guard" | "atOnce"> {
  readonly mandate: Mandate | undefined;
  without(user: UserRow): Partial<UserRow>;
}

/** The last one goes with the recovery codes, unless it is required. */
export async function removeFactor(
  deps: Deps,
  { without, mandate, ...change }: Removal,
): Promise<void> {
  const guard = await guardOf(deps, { accountId: change.user.accountId, mandate });
  const isRequired = await isFactorRequired(deps, change.user);
  await changeFactors(deps, {
    ...change,
    guard,
    action: "user.second_factor_off",
    patchOf: (user) => {
      const patch = without(user);
      if (hasSecondFactor({ ...user, ...patch })) return patch;
      if (isRequired) throw refuse("second_factor_required");
      return { ...patch, recoveryHashes: [] };
    },
  });
}
