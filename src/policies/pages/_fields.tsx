import { networkOptions } from "../../dashboard/parts/filters.tsx";
import { type Condition, EACH, type Rule } from "../rules/rules.ts";
import { distinctSymbols } from "../../domain/money/symbols.ts";
import * as kind from "../../domain/kinds.ts";
import { accountOptions } from "../../dashboard/parts/account.tsx";
import { Field, Select } from "../../dashboard/parts/form.tsx";
import type { Visit } from "../../dashboard/visit.ts";

export const DAY_MS = 86_400_000;
export const LABEL = kind.text({ max: 80 });
export const APPROVALS = kind.integer({ min: 1, max: 20 });
export const EXPIRES = kind.duration({ maxMs: 30 * DAY_MS });
export const OUTCOME = kind.choice(["refuse", "approve"]);

const CONDITIONS: Readonly<Record<Condition, string>> = {
  max_payment: "the amount is above the limit",
  max_hour: "an hour's total is above the limit",
  max_day: "24 hours' total is above the limit",
  max_week: "7 days' total is above the limit",
  max_count_hour: "more payouts in an hour than the limit",
  max_count_day: "more payouts in 24 hours than the limit",
  only_payees: "the recipient isn't a payee that can be used",
  always: "always",
};
export const CONDITION = kind.choice<Condition>([
  ...["max_payment", "max_hour", "max_day", "max_week", "max_count_hour"] as const,
  ...["max_count_day", "only_payees", "always"] as const,
]);

/** All that the form sends, which the page after it sends again. */
export const NAMES = [
  ...["label", "account", "network", "currency", "key", "condition", "cap", "quote", "each"],
  ...["outcome", "approvals", "expires"],
] as const;

const ANY = { value: "", label: "Any" };

export const RuleFields = async ({ visit }: { visit: Visit }) => {
  const { networks, currencies } = await visit.deps.catalog.current();
  const symbols = distinctSymbols(currencies.map(({ symbol }) => symbol));
  const asOptions = (values: readonly string[]) => values.map((value) => ({ value, label: value }));
  return (
    <>
      <Field
        visit={visit}
        name="label"
        label="Name"
        hint="Whoever is refused sees it"
        maxlength={80}
        isRequired
      />
      <div class="pair">
        {visit.seesAll && <AccountField visit={visit} />}
        <Select
          visit={visit}
          name="network"
          label="Network"
          options={[ANY, ...networkOptions(networks)]}
        />
        <Select
          visit={visit}
          name="currency"
          label="Currency"
          options={[ANY, ...asOptions(symbols)]}
        />
        <Field visit={visit} name="key" label="API key" hint="Only payouts of this key" isMono />
      </div>
      <WhenFields visit={visit} />
      <ThenFields visit={visit} />
    </>
  );
};

const AccountField = async ({ visit }: { visit: Visit }) => {
  const options = await accountOptions(visit);
  if (!options) {
    return <Field visit={visit} name="account" label="Account number" inputmode="numeric" />;
  }
  const all = { value: "", label: "All accounts" };
  return <Select visit={visit} name="account" label="Account" options={[all, ...options]} />;
};

const WhenFields = ({ visit }: { visit: Visit }) => (
  <>
    <Select
      visit={visit}
      name="condition"
      label="It applies if"
      options={CONDITION.values?.map((value) => ({ value, label: wordsOf(value) })) ?? []}
    />
    <div class="pair">
      <Field visit={visit} name="cap" label="Limit" inputmode="decimal" />
      <Field
        visit={visit}
        name="quote"
        label="Limit counted in"
        hint="Such as USD, to limit all currencies together"
      />
      <Select
        visit={visit}
        name="each"
        label="Totals"
        options={[
          { value: "", label: "One for everything" },
          ...EACH.map((value) => ({ value, label: `One for each ${value}` })),
        ]}
      />
    </div>
  </>
);

function wordsOf(value: string): string {
  const condition = CONDITION.read(value);
  return condition === undefined ? value : CONDITIONS[condition];
}

interface ThenProps {
  readonly visit: Visit;
  readonly rule?: Pick<Rule, "outcome" | "approvals" | "expiresMs">;
  readonly expires?: string;
}

export const ThenFields = ({ visit, rule, expires = "24h" }: ThenProps) => (
  <div class="pair">
    <Select
      visit={visit}
      name="outcome"
      label="Then"
      value={rule?.outcome ?? "approve"}
      options={[
        { value: "approve", label: "it waits for approvals" },
        { value: "refuse", label: "it is refused" },
      ]}
    />
    <Field
      visit={visit}
      name="approvals"
      label="People who must approve"
      inputmode="numeric"
      value={String(rule?.approvals ?? 1)}
    />
    <Field
      visit={visit}
      name="expires"
      label="Time to approve"
      hint="Then it is cancelled"
      value={expires}
    />
  </div>
);
