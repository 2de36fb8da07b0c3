import { bookAdjustment, setAccount } from "../../../actions/accounts/manage_accounts.ts";
import { unfreeze } from "../../../actions/reconcile/manage_freezes.ts";
import * as kind from "../../../domain/kinds.ts";
import { OperatorError } from "../../../domain/refusal.ts";
import { freezesOf } from "../../../store/reads/pages/accounts.ts";
import { balancesOf } from "../../../store/reads/pages/lists.ts";
import type { FreezeRow } from "../../../store/tables/ledger.ts";
import { type AccountRow, Accounts } from "../../../store/tables/setup.ts";
import { BalanceTable } from "../../parts/balances.tsx";
import { Card, Facts, Time } from "../../parts/facts.tsx";
import { Check, Field, Form, Select, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { act, done, OPERATORS, page } from "../../routes.ts";
import { BASE, NotFound, type Visit } from "../../visit.ts";
import { Suspension, suspensionActs } from "./suspension.tsx";

const NOTE = kind.text({ max: 500 });
const ASSET = kind.text({ max: 70 });

const theAccount = async (visit: Visit): Promise<AccountRow> => {
  const account = await visit.deps.db.find(Accounts, [visit.id()]);
  if (!account) throw new NotFound();
  return account;
};

const accountDetailPage = page({
  path: "/accounts/:id{[0-9]+}",
  roles: OPERATORS,
  show: async (visit) => {
    const account = await theAccount(visit);
    const { db } = visit.deps;
    const [balances, freezes] = await Promise.all([
      balancesOf(db, account.id),
      freezesOf(db, account.id),
    ]);
    const adjust = (
      <a class="button plain" href={`${BASE}/accounts/${account.id}/adjust`}>Adjust balance</a>
    );
    return (
      <Page
        visit={visit}
        title={account.name}
        up={{ path: "/accounts", label: "Accounts" }}
        actions={adjust}
      >
        {freezes.map((freeze) => <Freeze visit={visit} freeze={freeze} />)}
        <Card title={`Account ${account.id}`}>
          <Facts
            rows={[["Created", <Time atMs={account.createdAtMs} />], [
              "See also",
              <Links id={account.id} />,
            ]]}
          />
        </Card>
        <Card title="Balances">
          <BalanceTable rows={balances} />
        </Card>
        <Suspension visit={visit} account={account} />
        <Card title="User permissions">
          <Form visit={visit} action={`/accounts/${account.id}/settings`}>
            <Check
              visit={visit}
              name="may_push"
              isOn={account.mayPush}
              label="Bump, resend and revoke withdrawals that are not mined yet"
            />
            <Submit>Save</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const LINKS = [
  ["/currencies", "Currencies"],
  ["/keys", "API keys"],
  ["/wallets", "Wallets"],
  ["/deposits", "Deposits"],
  ["/withdrawals", "Withdrawals"],
  ["/transactions", "Transactions"],
  ["/sweeps", "Sweeps"],
  ["/webhooks", "Webhooks"],
] as const;

const Links = ({ id }: { id: number }) => (
  <span class="actions">
    {LINKS.map(([path, label]) => <a href={`${BASE}${path}?account=${id}`}>{label}</a>)}
    <a href={`${BASE}/audit?subject=account:${id}`}>Audit log</a>
  </span>
);

const Freeze = ({ visit, freeze }: { visit: Visit; freeze: FreezeRow }) => {
  const { accountId, network, currency, reason } = freeze;
  return (
    <div class="message warn">
      <p>
        Withdrawals of {currency} on {network} are paused: {reason}
      </p>
      <Form visit={visit} action={`/accounts/${accountId}/unfreeze`} isInline>
        <input type="hidden" name="network" value={network} />
        <input type="hidden" name="currency" value={currency} />
        <Submit
          tone="plain"
          confirm="Books and chain are compared first. Withdrawals stay paused while they differ."
        >
          Resume withdrawals
        </Submit>
      </Form>
    </div>
  );
};

const unfreezeAct = act({
  path: "/accounts/:id{[0-9]+}/unfreeze",
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
    if (!isLifted) throw new OperatorError(`Withdrawals stay paused: ${freeze.reason}`);
    return done(`/accounts/${id}`, "Withdrawals have resumed");
  },
});

const settingsAct = act({
  path: "/accounts/:id{[0-9]+}/settings",
  on: accountDetailPage,
  isSensitive: true,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const { id } = await theAccount(visit);
    const change = form.read((fields) => ({ mayPush: fields.ticked("may_push") }));
    await setAccount(deps, { id, change, actor });
    return done(`/accounts/${id}`, "Saved");
  },
});

const adjustPage = page({
  path: "/accounts/:id{[0-9]+}/adjust",
  roles: OPERATORS,
  isSensitive: true,
  show: async (visit) => {
    const { id, name } = await theAccount(visit);
    const { currencies } = await visit.deps.catalog.current();
    const options = currencies
      .map(({ network, symbol }) => ({
        value: `${network}/${symbol}`,
        said: `${symbol} on ${network}`,
      }))
      .map((option) => ({ ...option, label: option.value }));
    return (
      <Page visit={visit} title="Adjust balance" up={{ path: `/accounts/${id}`, label: name }}>
        <Card>
          <p>
            This books a ledger entry without a transaction. It moves no coins; whatever you add can
            be withdrawn from the account's hot wallet.
          </p>
          <Form visit={visit} action={`/accounts/${id}/adjust`}>
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
              confirm={`This changes the balance of account ${id} by {amount} {asset} immediately.`}
            >
              Book entry
            </Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const adjustAct = act({
  path: "/accounts/:id{[0-9]+}/adjust",
  on: adjustPage,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const { id: accountId } = await theAccount(visit);
    const { asset, ...entry } = form.read((fields) => ({
      asset: fields.required("asset", ASSET),
      amount: fields.required("amount", kind.signedAmount),
      note: fields.required("note", NOTE),
      reference: fields.optional("reference", kind.text({ max: 128 })),
    }));
    const [network = "", currency = ""] = asset.split("/");
    const isNegativeAllowed = form.values.has("allow_negative");
    const order = { accountId, network, currency, ...entry, isNegativeAllowed, actor };
    const { row, isReplay } = await bookAdjustment(deps, order);
    const text = isReplay
      ? "Nothing was booked: this reference is already in use"
      : `The balance is now ${row.balance} ${row.currency}`;
    return done(`/accounts/${accountId}`, text);
  },
});

export const ACCOUNT_ROUTES = [
  accountDetailPage,
  ...suspensionActs(accountDetailPage),
  unfreezeAct,
  settingsAct,
  adjustPage,
  adjustAct,
];
