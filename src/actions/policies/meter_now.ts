import { Amount } from "../../domain/money/amount.ts";
import { isAmountCondition, UNKNOWN_VALUE, windowOf } from "../../domain/policy/rules.ts";
import type { PolicyRow } from "../../store/tables/control/policies.ts";
import { TamperedRow } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";
import { usedNow } from "./edges.ts";

interface MeterNow {
  /** Null: it counts a payment whose value nobody knows, or somebody else has changed it. */
  readonly used: string | null;
  readonly cap: string;
  readonly isAmount: boolean;
  /** In percent, at most 100. */
  readonly share: number;
}

/** How much of a limit is used. Undefined: it has no meter; "each": it has more than one. */
export async function meterNow(
  deps: Deps,
  rule: PolicyRow,
): Promise<MeterNow | "each" | undefined> {
  const { meterId, cap, isReady, each } = rule;
  const windowMs = windowOf(rule);
  if (windowMs === undefined || meterId === null || cap === null || !isReady) return undefined;
  const split = { account: rule.accountId?.toString(), key: rule.keyId, recipient: null };
  const only = each === null ? "" : split[each] ?? null;
  if (only === null) return "each";
  const isAmount = isAmountCondition(rule.condition);
  const shared = { cap, isAmount };
  try {
    const { amount, count } = await usedNow(deps, { meterId, split: only, windowMs });
    if (!amount.isLessThan(Amount.parse(UNKNOWN_VALUE, ""))) {
      return { ...shared, used: null, share: 100 };
    }
    const used = isAmount ? amount.toString() : String(count);
    return { ...shared, used, share: Math.min(100, Math.round(100 * Number(used) / Number(cap))) };
  } catch (error) {
    if (!(error instanceof TamperedRow)) throw error;
    return { ...shared, used: null, share: 100 };
  }
}
