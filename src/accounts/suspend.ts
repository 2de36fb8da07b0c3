import { type AccountRow, Accounts } from "./tables/accounts.ts";
import type { Deed } from "../audit/rules/deeds.ts";
import { findAccount } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { read } from "../store/engine/workspace.ts";

interface Suspension {
  readonly accountId: number;
  readonly reason: string;
  readonly actor: Actor;
}

/** Its keys and users can change nothing, and nothing is paid out; deposits go on. */
export async function suspendAccount(
  deps: Deps,
  { accountId, reason, actor }: Suspension,
): Promise<AccountRow> {
  return await change(deps, {
    accountId,
    actor,
    action: "account.suspended",
    to: (row, nowMs) => ({ suspendedAtMs: row.suspendedAtMs ?? nowMs, suspendedReason: reason }),
  });
}

/** Waiting payouts continue by themselves. */
export async function unsuspendAccount(
  deps: Deps,
  { accountId, actor }: Omit<Suspension, "reason">,
): Promise<AccountRow> {
  return await change(deps, {
    accountId,
    actor,
    action: "account.unsuspended",
    to: () => ({ suspendedAtMs: null, suspendedReason: null }),
  });
}

interface Change extends Omit<Suspension, "reason"> {
  readonly action: Deed;
  to(row: AccountRow, nowMs: number): Pick<AccountRow, "suspendedAtMs" | "suspendedReason">;
}

async function change(deps: Deps, { accountId, actor, action, to }: Change): Promise<AccountRow> {
  await findAccount(deps, accountId);
  return await deps.db.write({
    reads: [read(Accounts, [accountId])],
    decide: (view) => {
      const before = view.get(Accounts, [accountId]);
      const nowMs = deps.clock.nowMs();
      const next = to(before, nowMs);
      if (next.suspendedReason === before.suspendedReason) return before;
      const subject = `account:${accountId}`;
      const { suspendedAtMs, suspendedReason } = before;
      const detail = { before: { suspendedAtMs, suspendedReason }, after: next };
      recordAudit(view, { actor, action, subject, detail, nowMs });
      const suspension = view.atOnce("operators suspend at once, and end it at once");
      return suspension.update(Accounts, before, next);
    },
  });
}
