import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import type { BeforeMoney } from "./rules/before_money.ts";

/** It was seen to where the books don't show it, or isn't wanted: nobody is reminded of it again. */
export async function leaveOut(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { thing, actor }: { thing: BeforeMoney; actor: Actor },
): Promise<void> {
  const nowMs = clock.nowMs();
  const entry = { action: "set_up.left_out", subject: "set_up", detail: { thing } } as const;
  await db.write({ reads: [], decide: (view) => recordAudit(view, { ...entry, actor, nowMs }) });
}
