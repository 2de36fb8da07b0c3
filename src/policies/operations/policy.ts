import { first, keysOf } from "../../base/lists.ts";
import { findAccount } from "../../books/find.ts";
import * as kind from "../../domain/kinds.ts";
import {
  type Asking,
  type Input,
  isOwn,
  operation,
  optional,
  ownAccount,
  required,
  UsageError,
} from "../../operations/operation.ts";
import { changeOrPropose } from "../../operations/propose.ts";
import { rulesAccept } from "../accept.ts";
import { addPolicy, isOf, listPolicies, type NewPolicy, ruleRemove } from "../manage.ts";
import { metersNow } from "../meter_now.ts";
import {
  APPROVALS,
  EXPIRES,
  ID,
  idOf,
  LABEL,
  OUTCOME,
  ownerOfRule,
  POLICY_SET_COMMAND,
  THEN_HELP,
} from "./policy_set.ts";
import { previewPolicy } from "../preview.ts";
import { type Condition, EACH, isAmountCondition } from "../rules/rules.ts";
import { listedPolicyShape, policyShape, previewShape, verdictShape } from "../shapes.ts";
import { testPolicies } from "../try_rule.ts";

const amountCap = (what: string) => optional(kind.amount, { help: what, example: "1000" });
const countCap = (what: string) => optional(COUNT, { help: what, example: "10" });

const DAY_MS = 86_400_000;
const COUNT = kind.integer({ min: 1, max: 1_000_000_000 });

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

const ADD_FLAGS = {
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

export const POLICY_COMMANDS = [
  operation({
    words: ["policy", "add"],
    changes: "manage_rules",
    summary: "Adds a rule that refuses payments or asks for approvals",
    flags: ADD_FLAGS,
    examples: [
      'policy add --label "Daily limit" --account 1 --currency USDT --max-day 5000 --then refuse',
      'policy add --label "Two people above 1000" --currency USDT --max-payment 1000 --then approve --approvals 2',
      'policy add --label "All coins together" --in USD --max-day 10000 --then approve',
      'policy add --label "Known recipients" --account 1 --only-payees --then approve',
    ],
    run: async (context, { flags }) =>
      policyShape(await addPolicy(await context.deps(), ruleIn(context, flags))),
  }),
  operation({
    words: ["policy", "list"],
    reads: "see",
    summary: "Lists the rules and how much of their limits is used",
    flags: {
      account: optional(kind.recordId, {
        help: "only those about this account alone",
        example: "1",
      }),
    },
    examples: ["policy list"],
    columns: [
      "policy_id",
      "label",
      "account_id",
      "network",
      "currency",
      "in",
      "each",
      "condition",
      "limit",
      "used",
      "used_by",
      "outcome",
      "approvals",
      "active",
    ],
    run: async (context, { flags: { account } }) => {
      const deps = await context.deps();
      if (account !== undefined) await findAccount(deps, account);
      const rules = (await listPolicies(deps)).filter((rule) =>
        account === undefined ||
        // Operators' rules are shown to no account.
        (isOwn(context) ? isOf(rule, account) : rule.accountId === account)
      );
      const meters = await metersNow(deps, rules, { most: 1 });
      return rules.map((rule) => listedPolicyShape(rule, meters.get(rule.id)?.[0]));
    },
  }),
  POLICY_SET_COMMAND,
  operation({
    words: ["policy", "preview"],
    reads: "see",
    summary: "Says a rule in a sentence, and what it would have done to the last 100 withdrawals",
    flags: ADD_FLAGS,
    examples: [
      'policy preview --label "Daily limit" --account 1 --currency USDT --max-day 5000 --then refuse',
    ],
    run: async (context, { flags }) => {
      const { actor: _, ...rule } = ruleIn(context, flags);
      return previewShape(await previewPolicy(await context.deps(), rule));
    },
  }),
  operation({
    words: ["policy", "remove"],
    changes: "manage_rules",
    of: ownerOfRule,
    summary: "Removes a rule",
    positionals: [ID],
    flags: {},
    examples: ["policy remove 1"],
    run: (context, { positionals }) =>
      changeOrPropose(context, ruleRemove, {
        wanted: { id: idOf(positionals), ownedBy: ownAccount(context) },
        shape: (row) => ({ removed: policyShape(row) }),
      }),
  }),
  operation({
    words: ["policy", "test"],
    reads: "see_gateway",
    summary: "Shows what the rules would say to a payment now; nothing is paid",
    flags: {
      account: required(kind.recordId, { help: "the account that pays", example: "1" }),
      key: {
        ...ADD_FLAGS.key,
        help: "the API key that asks; without it, no rule about a key matches",
      },
      network: required(kind.networkCode, { help: "the network's code", example: "ETH" }),
      currency: required(kind.symbol, { help: "what is paid", example: "USDT" }),
      to: required(kind.text({ max: 256, word: "ADDRESS" }), {
        help: "the recipient",
        example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      }),
      amount: required(kind.amount, { help: "what the recipient gets", example: "20" }),
    },
    examples: [
      "policy test --account 1 --network ETH --currency USDT --to 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 --amount 20",
    ],
    run: async (context, { flags: { account: accountId, key, to, ...payment } }) => {
      const asked = { ...payment, accountId, keyId: key, toAddress: to };
      return verdictShape(await testPolicies(await context.deps(), asked));
    },
  }),
  operation({
    words: ["policy", "accept"],
    changes: "operate",
    summary: "Accepts the rules as listed after somebody changed them in the database",
    flags: {},
    examples: ["policy accept"],
    run: (context) =>
      changeOrPropose(context, rulesAccept, {
        wanted: {},
        shape: (accepted) => ({ accepted }),
      }),
  }),
];

/** Throws unless the flags fit together. */
function ruleIn(asking: Asking, flags: Input<typeof ADD_FLAGS>["flags"]): NewPolicy {
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
