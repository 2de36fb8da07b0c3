import { isUnpaid } from "../rules/moves.ts";
import type { Step } from "../../dashboard/parts/payment/steps.tsx";
import type { Progress } from "./_story.ts";

/** From the request to the block that makes it final. */
export function stepsOf(progress: Progress): Step[] {
  const { row: { status } } = progress;
  const requested: Step = { text: "Requested", tone: "good", isCurrent: false };
  const approved = approvalSteps(progress);
  if (isUnpaid(status)) {
    const text = status === "failed" ? "Failed" : "Cancelled";
    const wasSent = progress.row.broadcastAtMs !== null;
    const sent: Step = { text: "Sent", tone: "good", isCurrent: false };
    const end: Step = { text, tone: status === "failed" ? "bad" : "plain", isCurrent: true };
    return [requested, ...wasSent ? [...approved, sent] : [], end];
  }
  const isWaiting = progress.row.approval === "waiting";
  const isSent = status !== "pending";
  const isPaid = status === "confirmed";
  return [
    requested,
    ...approved,
    step(status === "pending" && !isWaiting ? "Being sent" : "Sent", {
      isDone: isSent,
      isCurrent: status === "pending" && !isWaiting,
    }),
    step(depthText(progress), { isDone: isPaid, isCurrent: status === "broadcasted" }),
    step("Paid", { isDone: isPaid, isCurrent: isPaid }),
  ];
}

function approvalSteps({ row: { approval }, request }: Progress): Step[] {
  if (approval === null) return [];
  const isDone = approval === "approved";
  const { given = 0, needed = 1 } = request ?? {};
  const text = isDone ? "Approved" : `${given} of ${needed} approvals`;
  return [step(text, { isDone, isCurrent: !isDone })];
}

function depthText({ depth, network, row }: Progress): string {
  if (row.status !== "broadcasted") return "Mined";
  return depth === undefined ? "In no block yet" : `${depth} of ${network.minConfirmations} blocks`;
}

function step(
  text: string,
  { isDone, isCurrent }: Omit<Step, "text" | "tone"> & { isDone: boolean },
) {
  const tone = isDone ? "good" : isCurrent ? "under-way" : "plain";
  return { text, tone, isCurrent } as const;
}
