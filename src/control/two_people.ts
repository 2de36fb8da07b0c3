import { isAble, isGatewayRole } from "../access/rules/roles.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { deciders } from "../access/reads/users.ts";
import { type UserRow, Users } from "../access/tables/users.ts";
import { type Read, readAll, type View } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { subjectFor } from "./guard.ts";

interface TwoPeople {
  readonly reads: readonly Read[];
  /** In the unit that switches dual control on. */
  mustBeThere(view: View): void;
}

/** Whoever switches it on must not find that nobody is left to approve what they want next. */
export async function twoPeople(
  { db }: Pick<Deps, "db">,
  accountId: number | null,
): Promise<TwoPeople> {
  const ids = (await deciders(db, accountId)).map(({ id }) => id);
  return {
    reads: readAll(Users, ids.map((id) => [id])),
    mustBeThere: (view) => {
      const able = ids.flatMap((id) => view.raw.find(Users, [id]) ?? [])
        .filter((user) => view.isGenuine(Users, user) && mayDecide(user, accountId));
      const ofGateway = able.filter(({ role }) => isGatewayRole(role)).length;
      if (able.length >= 2 && ofGateway > 0) return;
      throw refuse("dual_control_alone", { accountId, people: able.length, ofGateway });
    },
  };
}

/** Whether they can sign in and may decide on nearly everything: merchants, only of their account. */
function mayDecide(user: UserRow, accountId: number | null): boolean {
  const { role, disabledAtMs, passwordHash } = user;
  if (disabledAtMs !== null || passwordHash === null) return false;
  if (isGatewayRole(role)) return isAble(role, "approve");
  return accountId !== null && user.accountId === accountId && role === "merchant";
}

interface Switch extends Pick<TwoPeople, "mustBeThere"> {
  readonly accountId: number | null;
  readonly before: { readonly dualControl: boolean | null };
  readonly change: { readonly dualControl?: boolean };
  readonly actor: Actor;
}

/** If it is switched: the log's row counts even if somebody sets the other row back. */
export function noteSwitch(
  view: View,
  { accountId, before, change: { dualControl }, actor, mustBeThere }: Switch,
): void {
  if (dualControl === undefined) return;
  if (dualControl && before.dualControl !== true) mustBeThere(view);
  const detail = { before: before.dualControl === true, after: dualControl };
  const action = "dual_control.switched";
  const subject = subjectFor(accountId);
  recordAudit(view, { actor, action, subject, detail, nowMs: view.nowMs });
}
