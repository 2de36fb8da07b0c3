import { accountSet } from "../set_account.ts";
import { type Stored, storedOf } from "../../books/quota.ts";
import { isTestAccount } from "../../networks/worlds.ts";
import { ratedSymbols } from "../../rates/current.ts";
import { unfreeze } from "../../reconcile/manage_freezes.ts";
import * as kind from "../../domain/kinds.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { freezesOf } from "../reads/accounts.ts";
import { balancesOf } from "../../store/reads/pages/lists.ts";
import type { FreezeRow } from "../../books/table.ts";
import type { AccountRow } from "../../store/tables/setup.ts";
import { quotaMbOf } from "../rules/quota.ts";
import { BalanceTable } from "../../dashboard/parts/balances.tsx";
import { StoredToday } from "../../dashboard/parts/stored.tsx";
import { Card, Facts, Time } from "../../dashboard/parts/facts.tsx";
import { Check, Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { changeOrPropose, switched, waitsText } from "../../proposals/words.ts";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { coinText } from "../../dashboard/words/assets.ts";
import { ADJUST_ROUTES, theAccount } from "./adjust.tsx";
import { Suspension, suspensionActs } from "./suspension.tsx";

const QUOTA = kind.integer({ min: 1, max: 1_000_000 });

const accountDetailPage = page({
  path: "/accounts/:id{[0-9]+}",
  ability: "see_gateway",
  show: async (visit) => {
    const account = await theAccount(visit);
    const { db } = visit.deps;
    const [balances, freezes, symbols, stored, isTest] = await Promise.all([
      balancesOf(db, account.id),
      freezesOf(db, account.id),
      ratedSymbols(visit.deps, "test"),
      storedOf(visit.deps, account),
      isTestAccount(visit.deps, account.id),
    ]);
    return (
      <Page
        visit={visit}
        title={account.name}
        up={{ path: "/accounts", label: "Accounts" }}
        actions={visit.isAble("operate") && <AdjustLink id={account.id} />}
      >
        {freezes.map((freeze) => <Freeze visit={visit} freeze={freeze} />)}
        <AccountFacts account={account} stored={stored} isTest={isTest} />
        <Card title="Balances">
          <BalanceTable rows={balances} />
        </Card>
        <Suspension visit={visit} account={account} />
        {visit.isAble("operate") && <Settings visit={visit} account={account} symbols={symbols} />}
      </Page>
    );
  },
});

const AdjustLink = ({ id }: { id: number }) => (
  <a class="button plain" href={`${BASE}/accounts/${id}/adjust`}>Adjust balance</a>
);

const AccountFacts = (
  { account: { id, createdAtMs, reporting }, stored, isTest }: {
    account: AccountRow;
    stored: Stored;
    isTest: boolean;
  },
) => (
  <Card title={`Account ${id}`}>
    <Facts
      rows={[
        ["Created", <Time atMs={createdAtMs} />],
        ["Reporting currency", reporting ?? "none"],
        ["Stored today", <StoredToday stored={stored} />],
        ...isTest ? [["Coins", "test coins, worth nothing"] as const] : [],
        ["See also", <Links id={id} />],
      ]}
    />
  </Card>
);

const Settings = (
  { visit, account, symbols }: {
    visit: Visit;
    account: AccountRow;
    symbols: ReadonlySet<string>;
  },
) => (
  <Card title="Settings">
    <Form visit={visit} action={`/accounts/${account.id}/settings`}>
      <Check
        visit={visit}
        name="may_push"
        isOn={account.mayPush}
        label="Bump, resend and revoke payouts that are not mined yet"
      />
      <Check
        visit={visit}
        name="require_second_factor"
        isOn={account.requiresSecondFactor === true}
        label="Users without a second factor must set it up before anything else"
      />
      <Select
        visit={visit}
        name="reporting"
        label="Reporting currency"
        options={[{ value: "", label: "none" }, ...reportingChoices(account, symbols)]}
        value={account.reporting ?? ""}
        hint="Each ledger entry stores its value in it, from now on. Currencies with rates can be chosen."
      />
      <Check
        visit={visit}
        name="dual_control"
        isOn={account.dualControl === true}
        label="Dual control: a second person approves what makes the account less safe"
      />
      <Field
        visit={visit}
        name="quota_mb"
        label="Megabytes stored a day at most"
        inputmode="numeric"
        value={String(quotaMbOf(account))}
        hint="Once they are used up, new invoices, addresses, links and settings are refused until the day ends in UTC. Payments and payouts go on."
        isRequired
      />
      <Submit>Save</Submit>
    </Form>
  </Card>
);

/** The present one stays, even if it has lost its rates. */
function reportingChoices({ reporting }: AccountRow, symbols: ReadonlySet<string>) {
  const all = new Set([...reporting === null ? [] : [reporting], ...symbols]);
  return [...all].toSorted().map((symbol) => ({ value: symbol, label: symbol }));
}

const LINKS = [
  ["/currencies", "Currencies"],
  ["/keys", "API keys"],
  ["/wallets", "Wallets"],
  ["/deposits", "Payments"],
  ["/withdrawals", "Payouts"],
  ["/transactions", "Transactions"],
  ["/sweeps", "Sweeps"],
  ["/webhooks", "Webhooks"],
] as const;

const Links = ({ id }: { id: number }) => (
  <span class="actions">
    {LINKS.map(([path, label]) => (
      <>
        <a href={`${BASE}${path}?account=${id}`}>{label}</a>
        {" "}
      </>
    ))}
    <a href={`${BASE}/audit?subject=account:${id}`}>Audit log</a>
  </span>
);

const Freeze = ({ visit, freeze }: { visit: Visit; freeze: FreezeRow }) => {
  const { accountId, network, currency, reason } = freeze;
  return (
    <div class="message warn">
      <p>
        Payouts of {coinText(freeze)} are paused: {reason}
      </p>
      <Form visit={visit} action={`/accounts/${accountId}/unfreeze`} isInline>
        <input type="hidden" name="network" value={network} />
        <input type="hidden" name="currency" value={currency} />
        <Submit
          tone="plain"
          confirm="Books and chain are compared first. Payouts stay paused while they differ."
        >
          Resume payouts
        </Submit>
      </Form>
    </div>
  );
};

const unfreezeAct = act({
  path: "/accounts/:id{[0-9]+}/unfreeze",
  ability: "operate",
  on: accountDetailPage,
  isSensitive: true,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const { id } = await theAccount(visit);
    const asset = form.read((fields) => ({
      network: fields.required("network", kind.networkCode),
      currency: fields.required("currency", kind.symbol),
    }));
    const { isLifted, freeze } = await unfreeze(deps, { accountId: id, ...asset, actor });
    if (!isLifted) throw new OperatorError(`Payouts stay paused: ${freeze.reason}`);
    return done(`/accounts/${id}`, "Payouts have resumed");
  },
});

const settingsAct = act({
  path: "/accounts/:id{[0-9]+}/settings",
  ability: "operate",
  on: accountDetailPage,
  isSensitive: true,
  run: async (visit) => {
    const { id, dualControl } = await theAccount(visit);
    const { quotaMb, ...read } = visit.form.read((fields) => ({
      mayPush: fields.ticked("may_push"),
      requiresSecondFactor: fields.ticked("require_second_factor"),
      reporting: fields.optional("reporting", kind.symbol) ?? null,
      quotaMb: fields.optional("quota_mb", QUOTA),
      ...switched(fields.ticked("dual_control"), dualControl),
    }));
    const change = { ...read, ...quotaMb === undefined ? {} : { quotaMb } };
    const { proposal } = await changeOrPropose(visit, accountSet, { wanted: { id, change } });
    return done(`/accounts/${id}`, proposal ? waitsText(proposal) : "Saved");
  },
});

export const ACCOUNT_ROUTES = [
  accountDetailPage,
  ...suspensionActs(accountDetailPage),
  unfreezeAct,
  settingsAct,
  ...ADJUST_ROUTES,
];
