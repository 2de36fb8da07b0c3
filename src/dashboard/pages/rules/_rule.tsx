import { meterNow } from "../../../actions/policies/meter_now.ts";
import { isOf } from "../../../actions/policies/manage.ts";
import { listPolicies } from "../../../actions/policies/manage.ts";
import { ruleSentence } from "../../../domain/policy/sentence.ts";
import type { Rule } from "../../../domain/policy/rules.ts";
import { Accounts } from "../../../store/tables/setup.ts";
import type { PolicyRow } from "../../../store/tables/control/policies.ts";
import { Status } from "../../parts/facts.tsx";
import { NotFound, type Visit } from "../../visit.ts";

/** Operators' rules are none of an account's business: only its own people's are. */
export async function rulesFor(visit: Visit): Promise<readonly PolicyRow[]> {
  const all = await listPolicies(visit.deps);
  if (!visit.seesAll) return all.filter((rule) => isOf(rule, visit.accountId));
  const account = visit.accountWanted();
  return account === null ? all : all.filter(({ accountId }) => accountId === account);
}

export async function theRule(visit: Visit): Promise<PolicyRow> {
  const id = visit.id();
  const rule = (await listPolicies(visit.deps)).find((one) => one.id === id);
  if (!rule || !visit.seesAll && !isOf(rule, visit.accountId)) throw new NotFound();
  return rule;
}

/** Whose rules the user may change: undefined: everybody's. */
export function ownedBy(visit: Visit): number | undefined {
  return visit.accountId ?? undefined;
}

export const Sentence = async ({ visit, rule }: { visit: Visit; rule: Omit<Rule, "id"> }) => {
  const { accountId } = rule;
  const account = accountId === null ? undefined : await visit.deps.db.find(Accounts, [accountId]);
  return <bdi class="whole">{ruleSentence(rule, account?.name)}</bdi>;
};

export const RuleState = ({ isActive, isReady, meteredFromMs }: PolicyRow) => {
  if (!isReady && meteredFromMs !== null) return <Status value="counting" tone="under-way" />;
  return isActive && isReady ? <Status value="on" /> : <Status value="off" tone="plain" />;
};

export const Meter = async ({ visit, rule }: { visit: Visit; rule: PolicyRow }) => {
  const meter = await meterNow(visit.deps, rule);
  if (meter === undefined) return <span class="quiet">–</span>;
  if (meter === "each") return <span class="quiet">separately for each {rule.each}</span>;
  const { used, cap, share } = meter;
  const unit = meter.isAmount ? ` ${rule.quote ?? rule.currency ?? ""}` : "";
  return (
    <>
      <bdi>{used ?? "unknown"}</bdi> of {cap}
      {unit}
      <progress
        value={String(share)}
        max="100"
        aria-label={`Used of the limit of rule ${rule.id}`}
      />
    </>
  );
};
