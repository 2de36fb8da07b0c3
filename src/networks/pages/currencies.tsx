import { enableCurrency, switchesIn } from "../../accounts/enable_currency.ts";
import type { AccountCurrencyRow, AccountRow } from "../../accounts/tables/accounts.ts";
import { accountAsked, AccountChoice, accountOf } from "../../dashboard/parts/account.tsx";
import { Card, Money, Status } from "../../dashboard/parts/facts.tsx";
import { feeText } from "../../dashboard/parts/fee.tsx";
import { Form } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { act, type Done, done, page } from "../../dashboard/routes.ts";
import { BASE, NotFound, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import type { CurrencyRow } from "../table.ts";
import { currenciesOf } from "../../store/reads/pages/lists.ts";
import { freeOfCharge } from "../../withdrawals/free_of_charge.ts";
import { toFund } from "../../withdrawals/to_fund.ts";

const SAID = { deposit: "deposits", withdrawal: "payouts" } as const;

const SwitchButton = (
  { visit, row, what, to, isDisabled, children }: SwitchProps & {
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
    aria-label={`${children} ${SAID[what]} of ${visit.coin({ ...row, currency: row.symbol })}`}
  >
    {children}
  </button>
);

const NODE_MS = 1_000;

const currenciesPage = page({
  path: "/currencies",
  ability: "see",
  nav: { label: "Currencies", group: "Settings", gatewayGroup: "Gateway" },
  show: async (visit) => {
    const account = await accountOf(visit);
    const catalog = await visit.deps.catalog.current();
    const rows = catalog.currencies.filter((row) =>
      row.isActive && catalog.network(row.network)?.isActive === true
    );
    return (
      <Page visit={visit} title="Currencies">
        <AccountChoice visit={visit} account={account} />
        <Card>
          <Table
            caption="Currencies"
            rows={await offersOf(visit, { rows, account })}
            empty={visit.isOperator ? <FirstNetwork /> : "No networks yet"}
            columns={[...columnsFor(visit), ...account ? switchColumns(visit, account) : []]}
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

async function offersOf(
  { deps, seesAll }: Visit,
  { rows, account }: { rows: readonly CurrencyRow[]; account: AccountRow | undefined },
): Promise<Offered[]> {
  const warnings = seesAll ? await freeOfCharge(deps, { rows, waitMs: NODE_MS }) : [];
  const enabled = account ? await currenciesOf(deps.db, account.id) : [];
  const byName = new Map(enabled.map((row) => [`${row.network}/${row.currency}`, row]));
  return rows.map((row, i) => ({
    row,
    on: byName.get(`${row.network}/${row.symbol}`),
    warning: warnings[i],
  }));
}

const FirstNetwork = () => (
  <>
    No networks yet: <a href={`${BASE}/networks/add`}>add the first one</a>
  </>
);

const columnsFor = (visit: Visit): readonly Column<Offered>[] => [
  { title: "Currency", cell: ({ row }) => <strong>{row.symbol}</strong> },
  { title: "Network", cell: ({ row }) => visit.network(row.network) },
  { title: "Name", isMinor: true, cell: ({ row }) => row.name },
  {
    title: "Minimum deposit",
    isNumber: true,
    isMinor: true,
    cell: ({ row }) => <Money amount={row.minDepositAmount} decimals={18} />,
  },
  {
    title: "Minimum payout",
    isNumber: true,
    isMinor: true,
    cell: ({ row }) => <Money amount={row.minWithdrawalAmount} decimals={18} />,
  },
  { title: "Fee", isNumber: true, cell: (offered) => <FeeCell {...offered} /> },
];

const FeeCell = ({ row, warning }: Offered) => (
  <>
    <span class="money">{feeText(row)}</span>
    {warning && <p class="quiet small">{warning}</p>}
  </>
);

const switchAct = act({
  path: "/currencies/switch",
  ability: "set_up_account",
  on: currenciesPage,
  run: switchCurrency,
});

export const CURRENCY_ROUTES = [currenciesPage, switchAct];

interface Switched {
  readonly row: CurrencyRow;
  readonly on: AccountCurrencyRow | undefined;
}

function switchColumns(visit: Visit, account: AccountRow): Column<Switched>[] {
  const column = (title: string, what: keyof typeof SAID): Column<Switched> => ({
    title,
    cell: ({ row, on }) => <Switch {...{ visit, account, row, what, ...switchesIn(on)[what] }} />,
  });
  return [column("Deposits", "deposit"), column("Payouts", "withdrawal")];
}

interface SwitchProps {
  readonly visit: Visit;
  readonly account: AccountRow;
  readonly row: CurrencyRow;
  readonly what: keyof typeof SAID;
  readonly isOn: boolean;
  readonly isBarred: boolean;
}

const Switch = (props: SwitchProps) => {
  const { visit, account, row, what, isOn, isBarred } = props;
  if (!visit.isAble("set_up_account")) return <Status value={isOn ? "on" : "off"} />;
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

async function switchCurrency(visit: Visit): Promise<Done> {
  const { deps, form, actor } = visit;
  const account = await accountAsked(visit, form.text("account"));
  if (!account) throw new NotFound();
  const { network, currency, what, to } = form.read((fields) => ({
    network: fields.required("network", kind.networkCode),
    currency: fields.required("currency", kind.symbol),
    what: fields.required("what", kind.choice(["deposit", "withdrawal"])),
    to: fields.required("to", kind.onOff),
  }));
  const { enabled, hotWallet, about } = await enableCurrency(deps, {
    accountId: account.id,
    network,
    currency,
    actor,
    isOperator: visit.isOperator,
    isDepositEnabled: what === "deposit" ? to : undefined,
    isWithdrawalEnabled: what === "withdrawal" ? to : undefined,
  });
  const path = visit.seesAll ? `/currencies?account=${account.id}` : "/currencies";
  const said = `${visit.coin({ currency, network })}: ${SAID[what]} are ${to ? "on" : "off"}`;
  if (!to) return done(path, said);
  const isPaidFrom = what === "withdrawal" && hotWallet !== null;
  const fund = isPaidFrom ? await toFund(deps, { ...enabled, hotWallet }) : null;
  return done(path, [said, fund, about].filter((text) => text !== null).join(". "));
}
