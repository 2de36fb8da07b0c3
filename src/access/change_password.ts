import { KNOWN } from "../base/secrets/password.ts";
import { TooManyTries } from "../domain/refusal.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { Sessions, Users } from "./tables/users.ts";
import { read } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { type Origin, userActor } from "./sessions.ts";
import { countProof } from "./_throttle.ts";
import type { Deps } from "../deps/deps.ts";
import type { LiveSession } from "./manage_sessions.ts";
import { checkNewPassword, hashFor, subjectOf } from "./manage_users.ts";

/** Changes the user's own password and ends all other sessions. */
export async function changePassword(
  deps: Deps,
  order: LiveSession & { current: string; next: string; origin: Origin },
): Promise<void> {
  const { session, user, origin } = order;
  checkNewPassword(order.next);
  const isRight = await deps.passwords.guess(KNOWN, async (isPassword) => {
    const { retryAfterS } = await countProof(deps, { user, ip: origin.ip });
    if (retryAfterS !== undefined) throw new TooManyTries(retryAfterS);
    return user.passwordHash !== null && await isPassword(order.current, user.passwordHash);
  });
  if (!isRight) throw refuse("password_wrong");
  const passwordHash = await hashFor(deps, { email: user.email, password: order.next });
  await deps.db.write({
    reads: [read(Users, [user.id]), read(Sessions, [session.id])],
    decide: (view) => {
      const [row, own] = [view.find(Users, [user.id]), view.find(Sessions, [session.id])];
      if (!own || row?.generation !== own.generation || row.passwordHash !== user.passwordHash) {
        throw refuse("password_changed_elsewhere");
      }
      const generation = row.generation + 1;
      const proven = view.atOnce("it takes the password itself");
      proven.update(Users, row, { passwordHash, generation });
      proven.update(Sessions, own, { generation });
      const nowMs = deps.clock.nowMs();
      const actor = userActor(row, origin);
      const said = { action: "user.password_changed", subject: subjectOf(row) } as const;
      recordAudit(view, { actor, ...said, detail: { generation }, nowMs });
    },
  });
}
