import { approveWithdrawal } from "../../approvals/approve.ts";
import { deciderOf } from "../../approvals/decider.ts";
import { rejectWithdrawal } from "../../approvals/reject.ts";
import * as kind from "../../domain/kinds.ts";
import { act, done } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { REASON_MAX } from "./_decide.tsx";
import { ownWithdrawal, withdrawalPage } from "./withdrawal.tsx";

const REASON = kind.text({ max: REASON_MAX });

const approveAct = act({
  path: "/withdrawals/:id{[0-9]+}/approve",
  ability: "approve",
  isUrgent: true,
  on: withdrawalPage,
  isSensitive: true,
  run: async (visit) => {
    const { id } = await ownWithdrawal(visit);
    const { given, needed } = await approveWithdrawal(visit.deps, { id, decider: deciding(visit) });
    const more = needed - given;
    const rest = more > 0 ? `. It waits for ${more} more` : "";
    return done(`/withdrawals/${id}`, `Approved${rest}`);
  },
});

const rejectAct = act({
  path: "/withdrawals/:id{[0-9]+}/reject",
  ability: "approve",
  isUrgent: true,
  on: withdrawalPage,
  isSensitive: true,
  run: async (visit) => {
    const { id } = await ownWithdrawal(visit);
    const reason = visit.form.read((fields) => fields.required("reason", REASON));
    await rejectWithdrawal(visit.deps, { id, decider: deciding(visit), reason });
    return done(`/withdrawals/${id}`, "Rejected. The held amount is released");
  },
});

function deciding({ user, actor }: Visit) {
  return deciderOf(user, actor);
}

export const DECIDE_ROUTES = [approveAct, rejectAct];
