import { first } from "../../base/lists.ts";
import type { Deps } from "../../deps/deps.ts";
import * as kind from "../../domain/kinds.ts";
import {
  type Asking,
  operation,
  optional,
  ownAccount,
  UsageError,
} from "../../operations/operation.ts";
import { changeOrPropose } from "../../operations/propose.ts";
import { type PolicyTerms, ruleEdit, ruleSwitchOff, setPolicyActive } from "../manage.ts";
import { policyShape } from "../shapes.ts";
import { Policies } from "../table.ts";

const DAY_MS = 86_400_000;

export const ID = { name: "ID", help: "the policy's id" };
export const LABEL = kind.text({ max: 80 });
export const OUTCOME = kind.choice(["refuse", "approve"]);
export const THEN_HELP = "refuse the payment, or hold it until people approve it";
export const APPROVALS = optional(kind.integer({ min: 1, max: 20 }), {
  help: "how many people must approve; 1 if not given",
  example: "2",
});
export const EXPIRES = optional(kind.duration({ maxMs: 30 * DAY_MS }), {
  help: "cancelled if not approved in this time; 24h if not given",
  example: "24h",
});

export const POLICY_SET_COMMAND = operation({
  words: ["policy", "set"],
  changes: "manage_rules",
  of: ownerOfRule,
  summary: "Switches a rule on or off, or changes its label, limit or outcome",
  positionals: [ID],
  flags: {
    active: optional(kind.onOff, { help: "whether it applies", example: "off" }),
    label: optional(LABEL, { help: "its new name", example: "Limit" }),
    limit: optional(kind.amount, { help: "its new amount or number", example: "500" }),
    then: optional(OUTCOME, { help: THEN_HELP, example: "refuse" }),
    approvals: optional(APPROVALS.kind, { help: "how many people must approve", example: "2" }),
    expires: optional(EXPIRES.kind, { help: "how long they have", example: "24h" }),
  },
  examples: ["policy set 1 --active off", "policy set 1 --limit 2000"],
  run: async (context, { positionals, flags: { active, ...flags } }) => {
    const rule = { id: idOf(positionals), ownedBy: ownAccount(context) };
    const change = termsIn(flags);
    const isChange = Object.keys(change).length > 0;
    if (isChange === (active !== undefined)) {
      throw new UsageError(
        isChange
          ? "--active goes alone: do one after the other"
          : "Say what to change: --active on",
      );
    }
    if (active === undefined) {
      const wanted = { ...rule, change };
      return await changeOrPropose(context, ruleEdit, { wanted, shape: policyShape });
    }
    return await switchRule(context, { ...rule, isActive: active });
  },
});

/** An account only changes the rules that its own people set. */
export async function ownerOfRule({ db }: Deps, positionals: readonly string[]) {
  const id = kind.recordId.read(first(positionals));
  const rule = id === undefined ? undefined : await db.find(Policies, [id]);
  return rule?.setBy === "merchant" ? rule.accountId : undefined;
}

async function switchRule(
  context: Asking,
  { isActive, ...wanted }: { id: number; ownedBy: number | undefined; isActive: boolean },
) {
  if (!isActive) {
    return await changeOrPropose(context, ruleSwitchOff, { wanted, shape: policyShape });
  }
  return policyShape(
    await setPolicyActive(await context.deps(), { ...wanted, isActive, actor: context.actor }),
  );
}

interface Given {
  readonly label: string | undefined;
  readonly limit: string | undefined;
  readonly then: "refuse" | "approve" | undefined;
  readonly approvals: number | undefined;
  readonly expires: number | undefined;
}

function termsIn({ label, limit, then, approvals, expires }: Given): PolicyTerms {
  if (expires === 0) throw new UsageError("--expires must be longer than 0");
  return {
    ...label === undefined ? {} : { label },
    ...limit === undefined ? {} : { cap: limit },
    ...then === undefined ? {} : { outcome: then },
    ...approvals === undefined ? {} : { approvals },
    ...expires === undefined ? {} : { expiresMs: expires },
  };
}

export function idOf(positionals: readonly string[]): number {
  const id = kind.recordId.read(first(positionals));
  if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a policy id`);
  return id;
}
