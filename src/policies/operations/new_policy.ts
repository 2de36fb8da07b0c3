import { first, keysOf } from "../../base/lists.ts";
import type { NewPolicy } from "../manage.ts";
import { type Condition, EACH, isAmountCondition } from "../rules/rules.ts";
import * as kind from "../../domain/kinds.ts";
import {
  type Asking,
  type Input,
  isOwn,
  optional,
  required,
  UsageError,
} from "../../operations/operation.ts";
import { APPROVALS, EXPIRES, LABEL, OUTCOME, THEN_HELP } from "./policy_set.ts";

const DAY_MS = 86_400_000;
const COUNT = kind.integer({ min: 1, max: 1_000_000_000 });

const amountCap = (what: string) => optional(kind.amount, { help: what, example: "1000" });
const countCap = (what: string) => optional(COUNT, { help: what, example: "10" });

/** Exactly one of these says when the rule matches. */
const CONDITION_FLAGS = {
  "max-payment": amountCap("matches a payment above this amount"),
  "max-hour": amountCap("matches if the total of an hour, with this payment, is above this"),
  "max-day": amountCap("the same for 24 hours"),
  "max-week": amountCap("the same for 7 days"),
  "max-count-hour": countCap("matches if more than this many are requested in an hour"),
  "max-count-day": countCap("the same for 24 hours"),
  "only-payees": optional(kind.present, {
    help: "matches unless the recipient is a payee that can be used already",
    example: "",
  }),
  always: optional(kind.present, { help: "matches every payment", example: "" }),
};
type ConditionFlag = keyof typeof CONDITION_FLAGS;

const CONDITIONS: Readonly<Record<ConditionFlag, Condition>> = {
  "max-payment": "max_payment",
  "max-hour": "max_hour",
  "max-day": "max_day",
  "max-week": "max_week",
  "max-count-hour": "max_count_hour",
  "max-count-day": "max_count_day",
  "only-payees": "only_payees",
  always: "always",
};

export const ADD_FLAGS = {
  label: required(LABEL, {
    help: "its name, which a refused caller sees",
    example: "Daily limit",
  }),
  account: optional(kind.recordId, { help: "only payments of this account", example: "1" }),
  key: optional(kind.text({ max: 100, word: "KEY_ID" }), {
    help: "only payments requested with this API key",
    example: "cpg_4f9a2c",
  }),
  network: optional(kind.networkCode, { help: "only payments on this network", example: "ETH" }),
  currency: optional(kind.symbol, {
    help: "only payments in this currency; amounts need it, or --in",
    example: "USDT",
  }),
  in: optional(kind.symbol, {
    help: "the currency of an amount, to limit what several currencies are worth together",
    example: "USD",
  }),
  each: optional(kind.choice(EACH), {
    help: "a total for each of these instead of one for all",
    example: "recipient",
  }),
  ...CONDITION_FLAGS,
  then: required(OUTCOME, { help: THEN_HELP, example: "refuse" }),
  approvals: APPROVALS,
  expires: EXPIRES,
};

/** Throws unless the flags fit together. */
export function ruleIn(asking: Asking, flags: Input<typeof ADD_FLAGS>["flags"]): NewPolicy {
  const { condition, cap } = conditionIn(flags);
  return {
    label: flags.label,
    accountId: flags.account ?? null,
    keyId: flags.key ?? null,
    network: flags.network ?? null,
    currency: flags.currency ?? null,
    quote: flags.in ?? null,
    each: flags.each ?? null,
    condition,
    cap,
    outcome: flags.then,
    approvals: flags.approvals ?? 1,
    expiresMs: flags.expires ?? DAY_MS,
    setBy: isOwn(asking) ? "merchant" : "operator",
    actor: asking.actor,
  };
}

/** Whether the flags fit together, and when the rule matches. */
function conditionIn(
  flags: ConditionFlags & {
    readonly in: string | undefined;
    readonly currency: string | undefined;
    readonly then: "refuse" | "approve";
    readonly approvals: number | undefined;
    readonly expires: number | undefined;
  },
): { condition: Condition; cap: string | null } {
  const given = conditionOf(flags);
  const isAmount = isAmountCondition(given.condition);
  if (isAmount && (flags.currency ?? flags.in) === undefined) {
    throw new UsageError("An amount needs --currency or --in; for example: --currency USDT");
  }
  if (!isAmount && flags.in !== undefined) {
    throw new UsageError("--in is for amounts; for example: --in USD --max-day 10000");
  }
  if (flags.then === "refuse" && (flags.approvals ?? flags.expires) !== undefined) {
    throw new UsageError("--approvals and --expires need --then approve");
  }
  if (flags.expires === 0) throw new UsageError("--expires must be longer than 0");
  return given;
}

type ConditionFlags = { readonly [F in ConditionFlag]?: string | number | boolean | undefined };

function conditionOf(
  flags: ConditionFlags,
): { condition: Condition; cap: string | null } {
  const names = keysOf(CONDITIONS);
  const given = names.filter((name) => flags[name] !== undefined);
  if (given.length !== 1) {
    const all = names.map((name) => `--${name}`).join(", ");
    throw new UsageError(`A rule has exactly one of ${all}`);
  }
  const name = first(given);
  const value = flags[name];
  return { condition: CONDITIONS[name], cap: value === true ? null : String(value) };
}
