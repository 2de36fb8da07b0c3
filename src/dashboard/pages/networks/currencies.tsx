import { enableCurrency } from "../../../actions/accounts/enable_currency.ts";
import * as kind from "../../../domain/kinds.ts";
import { freeOfCharge } from "../../../actions/withdrawals/free_of_charge.ts";
import { currenciesOf } from "../../../store/reads/pages/lists.ts";
import type { AccountCurrencyRow, AccountRow, CurrencyRow } from "../../../store/tables/setup.ts";
import { AccountChoice, accountOf } from "../../parts/account.tsx";
import { Card, Money, Status } from "../../parts/facts.tsx";
import { feeText } from "../../parts/fee.ts";
import { Form } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { act, done, page } from "../../routes.ts";
import { BASE, NotFound, type Visit } from "../../visit.ts";

const NODE_MS = 1_000;

const currenciesPage = page({
  path: "/currencies",
  nav: { label: "Currencies", group: "Account" },
  show: async (visit) => {
    const account = await accountOf(visit);
    const catalog = await visit.deps.catalog.current();
    const isActive = (row: CurrencyRow) =>
      row.isActive && catalog.network(row.network)?.isActive === true;
    const rows = catalog.currencies.filter(isActive);
    const warnings = visit.isOperator
      ? await freeOfCharge(visit.deps, { rows, waitMs: NODE_MS })
      : [];
    const enabled = account ? await currenciesOf(visit.deps.db, account.id) : [];
    const byName = new Map(enabled.map((row) => [`${row.network}/${row.currency}`, row]));
    return (
      <Page visit={visit} title="Currencies">
        <AccountChoice visit={visit} account={account} />
        <Card>
          <Table
            caption="Currencies"
            rows={rows.map((row, i) => ({
              row,
              on: byName.get(`${row.network}/${row.symbol}`),
              warning: warnings[i],
            }))}
            empty={visit.isOperator
              ? (
                <>
                  No networks yet: <a href={`${BASE}/networks`}>add the first one</a>
                </>
              )
              : "No networks yet"}
            columns={[
              { title: "Currency", cell: ({ row }) => <strong>{row.symbol}</strong> },
              { title: "Network", cell: ({ row }) => row.network },
              { title: "Name", isMinor: true, cell: ({ row }) => row.name },
              {
                title: "Minimum deposit",
                isNumber: true,
                isMinor: true,
                cell: ({ row }) => <Money amount={row.minDepositAmount} />,
              },
              {
                title: "Minimum withdrawal",
                isNumber: true,
                isMinor: true,
                cell: ({ row }) => <Money amount={row.minWithdrawalAmount} />,
              },
              {
                title: "Fee",
                isNumber: true,
                cell: (offered) => <FeeCell {...offered} />,
              },
              ...(account ? switchColumns(visit, account) : []),
            ]}
          />
        </Card>
      </Page>
    );
  },
});

interface Offered {
  readonly row: CurrencyRow;
  readonly on: AccountCurrencyRow | undefined;
  readonly warning: string | null | undefined;
}

const FeeCell = ({ row, warning }: Offered) => (
  <>
    <span class="money">{feeText(row)}</span>
    {warning && <p class="quiet small">{warning}</p>}
  </>
);

function switchColumns(visit: Visit, account: AccountRow) {
  return [
    {
      title: "Deposits",
      cell: ({ row, on }: Offered) => (
        <Switch
          visit={visit}
          account={account}
          row={row}
          what="deposit"
          isOn={on?.isDepositEnabled ?? false}
          isBarred={on?.isDepositBarred ?? false}
        />
      ),
    },
    {
      title: "Withdrawals",
      cell: ({ row, on }: Offered) => (
        <Switch
          visit={visit}
          account={account}
          row={row}
          what="withdrawal"
          isOn={on?.isWithdrawalEnabled ?? false}
          isBarred={on?.isWithdrawalBarred ?? false}
        />
      ),
    },
  ];
}

interface SwitchProps {
  readonly visit: Visit;
  readonly account: AccountRow;
  readonly row: CurrencyRow;
  readonly what: string;
  readonly isOn: boolean;
  readonly isBarred: boolean;
}

const Switch = (props: SwitchProps) => {
  const { visit, account, row, what, isOn, isBarred } = props;
  return (
    <Form visit={visit} action="/currencies/switch" isInline>
      <input type="hidden" name="account" value={String(account.id)} />
      <input type="hidden" name="network" value={row.network} />
      <input type="hidden" name="currency" value={row.symbol} />
      <input type="hidden" name="what" value={what} />
      <Status value={isOn ? "on" : "off"} />
      {isBarred && <span class="quiet small">Switched off by the operator</span>}
      <SwitchButton {...props} to={isOn ? "off" : "on"} isDisabled={isBarred && !visit.isOperator}>
        {isOn ? "Switch off" : "Switch on"}
      </SwitchButton>
      {visit.isOperator && !isOn && !isBarred && (
        <SwitchButton {...props} to="off">Keep off</SwitchButton>
      )}
    </Form>
  );
};

const SwitchButton = (
  { row, what, to, isDisabled, children }: SwitchProps & {
    to: "on" | "off";
    isDisabled?: boolean;
    children?: string;
  },
) => (
  <button
    type="submit"
    class="link"
    name="to"
    value={to}
    disabled={isDisabled}
    aria-label={`${children} ${what}s of ${row.symbol} on ${row.network}`}
  >
    {children}
  </button>
);

const switchAct = act({
  path: "/currencies/switch",
  on: currenciesPage,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const account = await accountOf(visit, form.text("account"));
    if (!account) throw new NotFound();
    const { network, currency, what, to } = form.read((fields) => ({
      network: fields.required("network", kind.networkCode),
      currency: fields.required("currency", kind.symbol),
      what: fields.required("what", kind.choice(["deposit", "withdrawal"])),
      to: fields.required("to", kind.onOff),
    }));
    await enableCurrency(deps, {
      ...{ accountId: account.id, network, currency, actor, isOperator: visit.isOperator },
      isDepositEnabled: what === "deposit" ? to : undefined,
      isWithdrawalEnabled: what === "withdrawal" ? to : undefined,
    });
    const path = visit.isOperator ? `/currencies?account=${account.id}` : "/currencies";
    return done(path, `${currency} on ${network}: ${what}s are ${to ? "on" : "off"}`);
  },
});

export const CURRENCY_ROUTES = [currenciesPage, switchAct];
