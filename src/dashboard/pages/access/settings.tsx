import type { CurrencyRow, NetworkRow } from "../../../store/tables/rows.ts";
import type { EnvironmentSetting } from "../../environment.ts";
import { Card, Empty, Money, Status } from "../../parts/facts.tsx";
import { Select } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { Filter, Table } from "../../parts/table.tsx";
import { OPERATORS, page } from "../../routes.ts";
import { BASE, type Visit } from "../../visit.ts";
import { NetworkSettings } from "../networks/network.tsx";

const settingsPage = page({
  path: "/settings",
  roles: OPERATORS,
  nav: { label: "Settings", group: "Gateway" },
  show: async (visit) => {
    const { networks, currencies } = await visit.deps.catalog.current();
    const network = networks.find(({ code }) => code === visit.query.get("network")) ?? networks[0];
    return (
      <Page visit={visit} title="Settings">
        <Card title="Changed here, at once">
          {network
            ? <Chooser visit={visit} networks={networks} network={network} />
            : <Empty>No network yet</Empty>}
        </Card>
        {network && <NetworkSettings visit={visit} network={network} />}
        {network && (
          <CurrencyCard
            network={network}
            rows={currencies.filter((row) => row.network === network.code)}
          />
        )}
        <EnvironmentCard rows={visit.facts.environment} />
      </Page>
    );
  },
});

const Chooser = (
  { visit, networks, network }: {
    visit: Visit;
    networks: readonly NetworkRow[];
    network: NetworkRow;
  },
) => (
  <>
    <p class="quiet">
      What is about money asks who you are, and all of it is in the audit log. Accounts, keys and
      users are run on their own pages.
    </p>
    <Filter visit={visit}>
      <Select
        {...{ visit, name: "network", label: "Network", value: network.code }}
        options={networks.map(({ code, name }) => ({ value: code, label: `${code}: ${name}` }))}
      />
    </Filter>
  </>
);

const CurrencyCard = (
  { network, rows }: { network: NetworkRow; rows: readonly CurrencyRow[] },
) => (
  <Card title={`Limits and fees on ${network.name}`}>
    <Table
      caption="Limits and fees"
      rows={rows}
      empty="None"
      columns={[
        { title: "Symbol", cell: ({ symbol }) => <strong>{symbol}</strong> },
        { title: "Status", cell: ({ isActive }) => <Status value={isActive ? "on" : "off"} /> },
        ...AMOUNTS.map(([title, field]) => ({
          title,
          isNumber: true,
          cell: (row: CurrencyRow) => <Money amount={row[field] ?? "not known"} />,
        })),
        {
          title: "Change",
          isTitleHidden: true,
          cell: ({ symbol }) => (
            <a href={`${BASE}/networks/${network.code}/currencies/${symbol}`}>Change</a>
          ),
        },
      ]}
    />
  </Card>
);

const AMOUNTS = [
  ["Least deposit", "minDepositAmount"],
  ["Least withdrawal", "minWithdrawalAmount"],
  ["Fee", "feeFlat"],
  ["Fee in percent", "feePercent"],
  ["Least sweep", "sweepMinAmount"],
  ["Worth in native coins", "nativeRate"],
] as const;

const EnvironmentCard = ({ rows }: { rows: readonly EnvironmentSetting[] }) => (
  <Card title="Set where the program is started">
    <p class="quiet">
      Changed in the environment, and by starting the program again. Secrets are not shown.
    </p>
    <Table
      caption="Environment"
      rows={rows}
      empty="Not known"
      columns={[
        { title: "Variable", cell: ({ name }) => <code>{name}</code> },
        { title: "What it is", isMinor: true, cell: ({ meaning }) => meaning },
        { title: "Value", cell: ({ value }) => <span class="whole">{value}</span> },
        { title: "From", cell: ({ source }) => source },
      ]}
    />
  </Card>
);

export const SETTINGS_ROUTES = [settingsPage];
