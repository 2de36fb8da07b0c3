import type { UserRow } from "./tables/users.ts";
import { recordAudit } from "../books/records.ts";
import type { Origin } from "./sessions.ts";
import { countFailure, failureReads } from "./_throttle.ts";
import type { Deps } from "../deps/deps.ts";
import { subjectOf } from "./manage_users.ts";

export async function noteFailure(
  deps: Deps,
  { email, user, origin }: { email: string; user: UserRow | undefined; origin: Origin },
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const subject = user ? subjectOf(user) : "user:unknown";
  await deps.db.write({
    reads: failureReads(subject),
    decide: (view) => {
      const { isRecorded, unrecorded } = countFailure(view, { subject, nowMs });
      if (!isRecorded) return;
      const actor = { name: "nobody", ip: origin.ip };
      const detail = unrecorded === 0 ? { email } : { email, not_recorded_before: unrecorded };
      recordAudit(view, { actor, action: "user.sign_in_failed", subject, detail, nowMs });
    },
  });
}
