import { confirmationsOf, type TransactionStatus } from "../rules/transaction_moves.ts";
import type { Step } from "../../dashboard/parts/payment/steps.tsx";
import type { Story } from "./_story.tsx";

const SENTENCES: Readonly<Record<Exclude<TransactionStatus, "failed">, string>> = {
  detected: "On its way: credited as soon as it has enough confirmations.",
  confirmed: "Credited to the balance, and still on its deposit address.",
  sweep_pending: "Credited to the balance; a sweep to the receiving wallet is under way.",
  swept: "Credited to the balance and swept to the receiving wallet.",
};

/** The payment's state as one would say it. */
export function stateText({ row, entries }: Story): string {
  if (row.status !== "failed") return SENTENCES[row.status];
  return entries.some(({ kind }) => kind === "credit")
    ? "Reversed: it was credited, and taken back from the balance."
    : "Failed: its transaction disappeared from the chain before it was credited.";
}

/** From the chain to the receiving wallet. */
export function stepsOf(story: Story): Step[] {
  const { row: { status }, entries } = story;
  const isFailed = status === "failed";
  const wasCredited = entries.some(({ kind }) => kind === "credit");
  const step = (text: string, at: readonly TransactionStatus[], isDone: boolean): Step => ({
    text,
    isCurrent: at.includes(status),
    tone: isDone ? "good" : at.includes(status) ? "under-way" : "plain",
  });
  const credited = step("Credited", ["confirmed"], wasCredited);
  if (isFailed) {
    const last: Step = {
      text: wasCredited ? "Reversed" : "Failed",
      ...{ tone: "bad", isCurrent: true },
    };
    return [step("Seen", [], true), ...wasCredited ? [credited] : [], last];
  }
  const isSweeping = status === "sweep_pending";
  return [
    step("Seen", [], true),
    step(confirmationText(story), ["detected"], status !== "detected"),
    credited,
    step(isSweeping ? "Being swept" : "Swept", ["sweep_pending", "swept"], status === "swept"),
  ];
}

function confirmationText({ row, network, cursor }: Story): string {
  const needed = network.minConfirmations;
  return row.status === "detected"
    ? `${confirmationsOf(cursor?.topHeight ?? 0, row)} of ${needed} blocks`
    : "Confirmed";
}
