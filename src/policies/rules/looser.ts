import { Amount } from "../../domain/money/amount.ts";
import type { Rule } from "./rules.ts";

type Terms = Pick<Rule, "cap" | "outcome" | "approvals" | "expiresMs">;

/** Whether a payment could pass that wouldn't have before. A longer wait for approval is looser too. */
export function isLooserRule(before: Terms, after: Terms): boolean {
  const [from, to] = [before, after].map(({ cap }) => Amount.parse(cap ?? "0", ""));
  if (from && to && from.isLessThan(to)) return true;
  if (after.outcome === "refuse") return false;
  return before.outcome === "refuse" || after.approvals < before.approvals ||
    after.expiresMs > before.expiresMs;
}
