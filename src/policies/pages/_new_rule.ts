import type { PolicyTerms } from "../manage.ts";
import { EACH, isAmountCondition, type Rule } from "../rules/rules.ts";
import * as kind from "../../domain/kinds.ts";
import { fieldFault, type Fields } from "../../dashboard/form.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { APPROVALS, CONDITION, DAY_MS, EXPIRES, LABEL, OUTCOME } from "./_fields.tsx";

const COUNT = kind.integer({ min: 1, max: 1_000_000_000 });

type NewRule = Omit<Rule, "id">;

/** What was typed, as far as each field goes. */
export function ruleIn(fields: Fields, { accountId }: Visit): NewRule {
  return {
    label: fields.required("label", LABEL),
    accountId: accountId ?? fields.optional("account", kind.recordId) ?? null,
    keyId: fields.optional("key", kind.text({ max: 100 })) ?? null,
    network: fields.optional("network", kind.networkCode) ?? null,
    currency: fields.optional("currency", kind.symbol) ?? null,
    quote: fields.optional("quote", kind.symbol) ?? null,
    each: fields.optional("each", kind.choice(EACH)) ?? null,
    condition: fields.required("condition", CONDITION),
    cap: fields.optional("cap", kind.amount) ?? null,
    outcome: fields.required("outcome", OUTCOME),
    approvals: fields.optional("approvals", APPROVALS) ?? 1,
    expiresMs: fields.optional("expires", EXPIRES) || DAY_MS,
  };
}

/** Whether the fields fit together. */
export function fitting(rule: NewRule): NewRule {
  const { condition, cap, currency, quote } = rule;
  if (condition === "always" || condition === "only_payees") {
    return { ...rule, cap: null, quote: null, each: null };
  }
  if (cap === null) throw fieldFault("cap", "This needs a limit");
  if (isAmountCondition(condition)) {
    if (currency !== null || quote !== null) return rule;
    throw fieldFault("currency", "An amount needs a currency, here or in “Limit counted in”");
  }
  if (COUNT.read(cap) === undefined) throw fieldFault("cap", "Must be a whole number from 1");
  return { ...rule, quote: null };
}

/** Only what differs, so that a proposal says no more. */
export function termsIn(fields: Fields, rule: Rule): PolicyTerms {
  const label = fields.required("label", LABEL);
  const cap = rule.cap === null ? null : fields.required("cap", kind.amount);
  const outcome = fields.required("outcome", OUTCOME);
  const approvals = fields.optional("approvals", APPROVALS) ?? rule.approvals;
  const expiresMs = fields.optional("expires", EXPIRES) || rule.expiresMs;
  return {
    ...label === rule.label ? {} : { label },
    ...cap === rule.cap ? {} : { cap },
    ...outcome === rule.outcome ? {} : { outcome },
    ...approvals === rule.approvals ? {} : { approvals },
    ...expiresMs === rule.expiresMs ? {} : { expiresMs },
  };
}
