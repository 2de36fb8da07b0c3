import { findAccount } from "../../books/find.ts";
import { rulesAccept } from "../accept.ts";
import { addPolicy, isOf, listPolicies, ruleRemove } from "../manage.ts";
import { previewPolicy } from "../preview.ts";
import { metersNow } from "../meter_now.ts";
import { testPolicies } from "../try_rule.ts";
import * as kind from "../../domain/kinds.ts";
import { isOwn, operation, optional, ownAccount, required } from "../../operations/operation.ts";
import { changeOrPropose } from "../../operations/propose.ts";
import { ADD_FLAGS, ruleIn } from "./new_policy.ts";
import { ID, idOf, ownerOfRule, POLICY_SET_COMMAND } from "./policy_set.ts";
import {
  listedPolicyShape,
  policyShape,
  previewShape,
  verdictShape,
} from "../../operations/shapes/control.ts";

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
