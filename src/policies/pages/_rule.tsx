import { Accounts } from "../../accounts/tables/accounts.ts";
import { Status, Time } from "../../dashboard/parts/facts.tsx";
import { NotFound, type Visit } from "../../dashboard/visit.ts";
import { moneyText, separated } from "../../domain/money/written.ts";
import { isOf, listPolicies } from "../manage.ts";
import type { MeterNow } from "../meter_now.ts";
import type { Rule } from "../rules/rules.ts";
import { ruleSentence } from "../rules/sentence.ts";
import type { PolicyRow } from "../table.ts";

/** An account sees only the rules that its own people have set. */
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

/** The account whose rules the user may change; undefined: all. */
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

interface Metered {
  readonly rule: PolicyRow;
  readonly meters: readonly MeterNow[];
}

export const Meters = ({ rule, meters }: Metered) => {
  if (meters.length > 0) return <>{meters.map((meter) => <Meter rule={rule} meter={meter} />)}</>;
  const isUnused = rule.each !== null && rule.meterId !== null && rule.isReady;
  return <span class="quiet">{isUnused ? `for no ${rule.each} lately` : "–"}</span>;
};

const Meter = (
  { rule: { id, each, quote, currency }, meter }: { rule: PolicyRow; meter: MeterNow },
) => {
  const { split, used, cap, share, isAmount, countsFromMs } = meter;
  const said = (amount: string, rounding: "down" | "exact" = "exact") => {
    if (!isAmount) return amount;
    if (quote !== null) return moneyText(amount, { currency: quote, rounding });
    return currency === null
      ? separated(amount)
      : moneyText(amount, { currency, isCoin: true, rounding });
  };
  const [shown, exact] = used === null ? ["unknown"] : [said(used, "down"), said(used)];
  return (
    <div class="whole">
      <bdi title={exact === shown ? undefined : exact}>{shown}</bdi> of {said(cap)}
      {each !== null && (
        <>
          {each === "recipient" ? " to" : ` by ${each}`} <bdi class="whole">{split}</bdi>
        </>
      )}
      <progress value={String(share)} max="100" aria-label={`Used of the limit of rule ${id}`} />
      {countsFromMs !== null && <CountsFrom atMs={countsFromMs} />}
    </div>
  );
};

const CountsFrom = ({ atMs }: { atMs: number }) => (
  <p class="hint">
    Counts from{" "}
    <Time atMs={atMs} />; what was requested before counts as 0 if its value isn't known.
  </p>
);
