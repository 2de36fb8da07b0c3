import { networkOptions } from "../../dashboard/parts/filters.tsx";
import { networkName } from "../../networks/catalogue.ts";
import { settingSet, settingsOf } from "../require_second_factor.ts";
import type { EnvironmentSetting } from "../../dashboard/environment.ts";
import { Card, Empty, Money, Status } from "../../dashboard/parts/facts.tsx";
import { Check, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Filter, Table } from "../../dashboard/parts/table.tsx";
import { act, done, page, type PageRoute } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { NetworkSettings } from "../../networks/pages/network_settings.tsx";
import type { CurrencyRow, NetworkRow } from "../../networks/table.ts";
import { changeOrPropose, switched, waitsText } from "../../proposals/words.ts";

const protectAct = (on: PageRoute) =>
  act({
    path: "/settings",
    ability: "operate",
    on,
    isSensitive: true,
    run: async (visit) => {
      const { dualControl } = await settingsOf(visit.deps);
      const change = visit.form.read((fields) => ({
        requiresSecondFactor: fields.ticked("require_second_factor"),
        ...switched(fields.ticked("dual_control"), dualControl),
      }));
      const { proposal } = await changeOrPropose(visit, settingSet, { wanted: { change } });
      return done("/settings", proposal ? waitsText(proposal) : "Saved");
    },
  });

const settingsPage = page({
  path: "/settings",
  ability: "see_gateway",
  nav: { label: "Settings", group: "Settings" },
  show: async (visit) => {
    const { networks, currencies } = await visit.deps.catalog.current();
    const network = networks.find(({ code }) => code === visit.query.get("network")) ?? networks[0];
    const rows = currencies.filter((row) => row.network === network?.code);
    return (
      <Page visit={visit} title="Settings">
        <Card title="Settings you can change here">
          {network
            ? <Chooser visit={visit} networks={networks} network={network} />
            : <Empty>No networks yet</Empty>}
        </Card>
        {network && visit.isAble("operate") && <NetworkSettings visit={visit} network={network} />}
        {network && <CurrencyCard visit={visit} network={network} rows={rows} />}
        <Protection visit={visit} />
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
      Changes apply immediately and are recorded in the audit log. Before sensitive ones you confirm
      it's you. Accounts, keys and users have their own pages.
    </p>
    <Filter visit={visit}>
      <Select
        visit={visit}
        name="network"
        label="Network"
        value={network.code}
        options={networkOptions(networks)}
      />
    </Filter>
  </>
);

const CurrencyCard = (
  { visit, network, rows }: { visit: Visit; network: NetworkRow; rows: readonly CurrencyRow[] },
) => (
  <Card title={`Limits and fees on ${networkName(network)}`}>
    <Table
      caption="Limits and fees"
      rows={rows}
      empty="No currencies"
      columns={visit.isAble("operate") ? [...LIMITS, CHANGE] : LIMITS}
    />
  </Card>
);

const AMOUNTS = [
  ["Minimum deposit", "minDepositAmount"],
  ["Minimum payout", "minWithdrawalAmount"],
  ["Flat fee", "feeFlat"],
  ["Fee in %", "feePercent"],
  ["Minimum sweep", "sweepMinAmount"],
  ["Value in native coins", "nativeRate"],
] as const;

const LIMITS: readonly Column<CurrencyRow>[] = [
  { title: "Symbol", cell: ({ symbol }) => <strong>{symbol}</strong> },
  { title: "Status", cell: ({ isActive }) => <Status value={isActive ? "on" : "off"} /> },
  ...AMOUNTS.map(([title, field]) => ({
    title,
    isNumber: true,
    isMinor: field === "nativeRate" || field === "sweepMinAmount",
    cell: (row: CurrencyRow) => <Money amount={row[field] ?? "unknown"} decimals={18} />,
  })),
];

const CHANGE: Column<CurrencyRow> = {
  title: "Change",
  isTitleHidden: true,
  cell: ({ network, symbol }) => (
    <a href={`${BASE}/networks/${network}/currencies/${symbol}`}>Change</a>
  ),
};

const EnvironmentCard = ({ rows }: { rows: readonly EnvironmentSetting[] }) => (
  <Card title="Set at startup">
    <p class="quiet">
      To change these, edit the environment and restart the program. Secrets are not shown.
    </p>
    <Table
      caption="Environment"
      rows={rows}
      empty="Unknown"
      columns={[
        { title: "Variable", cell: ({ name }) => <code>{name}</code> },
        { title: "Meaning", isMinor: true, cell: ({ meaning }) => meaning },
        { title: "Value", cell: ({ value }) => <span class="whole">{value}</span> },
        { title: "Source", cell: ({ source }) => source },
      ]}
    />
  </Card>
);

export const SETTINGS_ROUTES = [settingsPage, protectAct(settingsPage)];

const Protection = async ({ visit }: { visit: Visit }) => {
  const settings = await settingsOf(visit.deps);
  return (
    <Card title="Protection of the installation">
      <p class="quiet">
        Dual control is{" "}
        {settings.dualControl ? "on" : "off"}. With it, a second person approves what makes the
        installation less safe, such as a new operator. Each account has its own switch.
      </p>
      <Form visit={visit} action="/settings">
        <Check
          visit={visit}
          name="require_second_factor"
          isOn={settings.requiresSecondFactor}
          label="Operators, approvers and auditors must set up a second factor before anything else"
        />
        <Check
          visit={visit}
          name="dual_control"
          isOn={settings.dualControl === true}
          label="Dual control"
        />
        <Submit>Save</Submit>
      </Form>
    </Card>
  );
};
