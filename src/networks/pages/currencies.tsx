import { freeOfCharge } from "../../withdrawals/free_of_charge.ts";
import { currenciesOf } from "../../store/reads/pages/lists.ts";
import type { AccountCurrencyRow, AccountRow, CurrencyRow } from "../../store/tables/setup.ts";
import { AccountChoice, accountOf } from "../../dashboard/parts/account.tsx";
import { Card, Money } from "../../dashboard/parts/facts.tsx";
import { feeText } from "../../dashboard/parts/fee.ts";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { switchColumns, switchCurrency } from "./_switch.tsx";
import { act, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";

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
            columns={[...COLUMNS, ...account ? switchColumns(visit, account) : []]}
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

const COLUMNS: readonly Column<Offered>[] = [
  { title: "Currency", cell: ({ row }) => <strong>{row.symbol}</strong> },
  { title: "Network", cell: ({ row }) => row.network },
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
