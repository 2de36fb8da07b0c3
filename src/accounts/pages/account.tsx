import { bookAdjustment } from "../manage_accounts.ts";
import { SUSPEND_ACCOUNT, UNSUSPEND_ACCOUNT } from "../operations/account.ts";
import { freezesOf } from "../reads/accounts.ts";
import { quotaMbOf } from "../rules/quota.ts";
import { accountSet } from "../set_account.ts";
import { type AccountRow, Accounts } from "../tables/accounts.ts";
import { type Stored, storedOf } from "../../books/quota.ts";
import type { BalanceRow, FreezeRow } from "../../books/table.ts";
import { formOf } from "../../dashboard/asking.ts";
import { askedName } from "../../dashboard/parts/account.tsx";
import { BalanceTable } from "../../dashboard/parts/balances.tsx";
import { Card, Facts, Time } from "../../dashboard/parts/facts.tsx";
import { Check, Field, FlagFields, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Once, onceKey } from "../../dashboard/parts/once.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { StoredToday } from "../../dashboard/parts/stored.tsx";
import { act, type ActRoute, done, page, type PageRoute } from "../../dashboard/routes.ts";
import { BASE, NotFound, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import { OperatorError } from "../../domain/refusal.ts";
import type { CurrencyRow } from "../../networks/table.ts";
import { isTestAccount } from "../../networks/worlds.ts";
import { changeOrPropose, switched, waitsText } from "../../proposals/words.ts";
import { ratedSymbols } from "../../rates/current.ts";
import { unfreeze } from "../../reconcile/manage_freezes.ts";
import { balancesOf } from "../../store/reads/pages/lists.ts";

const Suspension = ({ visit, account }: { visit: Visit; account: AccountRow }) =>
  account.suspendedAtMs === null
    ? visit.isAble("operate") && <Suspend visit={visit} account={account} />
    : <Suspended visit={visit} account={account} />;

const Suspended = (
  { visit, account: { id, suspendedAtMs, suspendedReason } }: { visit: Visit; account: AccountRow },
) => (
  <Card title="Suspended">
    <Facts rows={[["Since", <Time atMs={suspendedAtMs} />], ["Reason", suspendedReason]]} />
    <Form visit={visit} action={`/accounts/${id}/unsuspend`}>
      <Submit confirm="Its keys and users can make changes again, and waiting payouts will be paid.">
        Unsuspend
      </Submit>
    </Form>
  </Card>
);

const Suspend = ({ visit, account }: { visit: Visit; account: AccountRow }) => (
  <Card title="Suspend">
    <p>
      While an account is suspended, its keys and users can only read, and unsigned withdrawals
      wait. Deposits are credited and swept as usual.
    </p>
    <Form visit={visit} action={`/accounts/${account.id}/suspend`}>
      <FlagFields visit={visit} operation={SUSPEND_ACCOUNT} names={["reason"]} />
      <Submit tone="danger" confirm={`This suspends ${askedName(account)} immediately.`}>
        Suspend
      </Submit>
    </Form>
  </Card>
);

const replayText = (reference: string | undefined) =>
  reference === undefined
    ? "Nothing was booked: this form was already sent"
    : "Nothing was booked: this reference is already in use";

const bookedText = ({ balance, currency }: BalanceRow) =>
  `The balance is now ${balance} ${currency}`;

const NOTE = kind.text({ max: 500 });
const ASSET = kind.text({ max: 70 });

const adjustPage = page({
  path: "/accounts/:id{[0-9]+}/adjust",
  ability: "operate",
  isSensitive: true,
  show: async (visit) => {
    const account = await theAccount(visit);
    const { id, name } = account;
    const { currencies } = await visit.deps.catalog.current();
    return (
      <Page visit={visit} title="Adjust balance" up={{ path: `/accounts/${id}`, label: name }}>
        <Card>
          <p>
            This books a ledger entry without a transaction. It moves no coins; whatever you add can
            be withdrawn from the account's hot wallet.
          </p>
          <Entry visit={visit} account={account} currencies={currencies} />
        </Card>
      </Page>
    );
  },
});

const adjustAct = act({
  path: "/accounts/:id{[0-9]+}/adjust",
  ability: "operate",
  on: adjustPage,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const { id: accountId } = await theAccount(visit);
    const { asset, key, reference, ...entry } = form.read((fields) => ({
      asset: fields.required("asset", ASSET),
      amount: fields.required("amount", kind.signedAmount),
      note: fields.required("note", NOTE),
      reference: fields.optional("reference", kind.text({ max: 128 })),
      key: onceKey(fields),
    }));
    const [network = "", currency = ""] = asset.split("/");
    const isNegativeAllowed = form.values.has("allow_negative");
    const { row, isReplay } = await bookAdjustment(deps, {
      ...entry,
      accountId,
      network,
      currency,
      reference: reference ?? key,
      isNegativeAllowed,
      actor,
    });
    return done(`/accounts/${accountId}`, isReplay ? replayText(reference) : bookedText(row));
  },
});

const ADJUST_ROUTES = [adjustPage, adjustAct];

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
          <BalanceTable visit={visit} rows={balances} />
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
      <Check
        visit={visit}
        name="delegate_native"
        isOn={account.delegatesNative === true}
        label="Deposit addresses that take native coins delegate to the network's collector too"
      />
      <p class="quiet">
        Sweeps of native coins can then share a transaction. An address that delegates has code, so
        a payment of native coins to it needs slightly more than 21,000 gas. Wallets that estimate
        the gas send enough. A wallet that always sends exactly 21,000 can't pay there any more: its
        payment fails, and the coins stay with the payer.
      </p>
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
        Payouts of {visit.coin(freeze)} are paused: {reason}
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
      delegatesNative: fields.ticked("delegate_native"),
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

/** The account in the path, for operators. */
async function theAccount(visit: Visit): Promise<AccountRow> {
  const account = await visit.deps.db.find(Accounts, [visit.id()]);
  if (!account) throw new NotFound();
  return account;
}

interface EntryProps {
  readonly visit: Visit;
  readonly account: AccountRow;
  readonly currencies: readonly CurrencyRow[];
}

const Entry = ({ visit, account, currencies }: EntryProps) => {
  const options = currencies.map(({ network, symbol }) => {
    const value = `${network}/${symbol}`;
    return { value, label: visit.asset(value), said: visit.asset(value) };
  });
  return (
    <Form visit={visit} action={`/accounts/${account.id}/adjust`}>
      <Once visit={visit} />
      <Select visit={visit} name="asset" label="Currency" options={options} />
      <Field
        visit={visit}
        name="amount"
        label="Amount"
        isMono
        hint="Use a minus sign to subtract"
        isRequired
      />
      <Field visit={visit} name="note" label="Reason" maxlength={500} isRequired />
      <Field
        visit={visit}
        name="reference"
        label="Reference"
        maxlength={128}
        hint="Your own name for this entry. An entry with the same reference is booked only once"
      />
      <Check visit={visit} name="allow_negative" label="Allow a negative balance" />
      <Submit
        confirm={`This changes the balance of ${
          askedName(account)
        } by {amount} {asset} immediately.`}
      >
        Book entry
      </Submit>
    </Form>
  );
};

function suspensionActs(on: PageRoute): ActRoute[] {
  return [
    formOf(SUSPEND_ACCOUNT, {
      path: "/accounts/:id{[0-9]+}/suspend",
      on,
      fields: { names: ["reason"] },
      to: "/accounts/:id",
      said: () => "The account is suspended",
    }),
    formOf(UNSUSPEND_ACCOUNT, {
      path: "/accounts/:id{[0-9]+}/unsuspend",
      on,
      isSensitive: true,
      to: "/accounts/:id",
      said: () => "The account is no longer suspended",
    }),
  ];
}
