import {
  type DatedReport,
  type ReconcileReport,
  reconcileReports,
  reconcileRun,
  startReconcile,
} from "../../actions/reconcile/by_hand.ts";
import type { Difference, Surplus } from "../../domain/difference.ts";
import * as kind from "../../domain/kinds.ts";
import { freezePage } from "../../store/reads/pages/accounts.ts";
import type { FreezeRow } from "../../store/tables/ledger.ts";
import { surplusUrl } from "../parts/alerts.tsx";
import { Card, Money, Status, Time } from "../parts/facts.tsx";
import { Check, Form, Select, Submit } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { act, done, OPERATORS, page } from "../routes.ts";
import { BASE, type Visit } from "../visit.ts";

const REPORTS_SHOWN = 10;
const FREEZES_SHOWN = 100;

const reconcilePage = page({
  path: "/reconcile",
  roles: OPERATORS,
  nav: { label: "Reconcile", group: "Gateway" },
  show: async (visit) => {
    const reload = await reloadOf(visit);
    const [reports, freezes, { networks }] = await Promise.all([
      reconcileReports(visit.deps, REPORTS_SHOWN),
      freezePage(visit.deps.db, FREEZES_SHOWN),
      visit.deps.catalog.current(),
    ]);
    const [newest, ...older] = reports;
    return (
      <Page visit={visit} title="Reconcile" reload={reload} isLive>
        <Card title="Check the books and compare them with the chains">
          <Start visit={visit} codes={networks.map(({ code }) => code)} />
        </Card>
        {freezes.length > 0 && <Freezes rows={freezes} />}
        {newest && <Result latest={newest} />}
        {older.length > 0 && <Earlier rows={older} />}
      </Page>
    );
  },
  live: async (visit) => ({ reload: await reloadOf(visit) }),
});

async function reloadOf({ deps }: Visit): Promise<string> {
  const [newest] = await reconcileReports(deps, 1);
  return String(newest?.atMs);
}

const Start = ({ visit, codes }: { visit: Visit; codes: readonly string[] }) => {
  const run = reconcileRun(visit.deps);
  if (run) {
    return (
      <p>
        <Status value="waiting" /> {run.network ?? "All networks"}
        {run.isEverywhere && ", full comparison,"} since{" "}
        <Time atMs={run.sinceMs} />. It keeps running if you close this page.
      </p>
    );
  }
  const options = [
    { value: "", label: "All" },
    ...codes.map((value) => ({ value, label: value })),
  ];
  return (
    <>
      <p class="quiet">
        This runs continuously in small parts; here you run all of it at once. A difference pauses
        withdrawals of that account and currency.
      </p>
      <Form visit={visit} action="/reconcile" isInline>
        <Select visit={visit} name="network" label="Network" options={options} />
        <Check
          visit={visit}
          name="everywhere"
          label="Full comparison: every currency on every deposit address (slower)"
        />
        <Submit>Compare now</Submit>
      </Form>
    </>
  );
};

const Freezes = ({ rows }: { rows: readonly FreezeRow[] }) => (
  <Card title="Paused withdrawals">
    <Table
      caption="Paused withdrawals"
      rows={rows}
      empty=""
      columns={[
        { title: "Since (UTC)", cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
        {
          title: "Account",
          cell: ({ accountId }) => <a href={`${BASE}/accounts/${accountId}`}>{accountId}</a>,
        },
        { title: "Currency", cell: ({ network, currency }) => `${currency} on ${network}` },
        { title: "Reason", cell: ({ reason }) => reason },
      ]}
    />
    <p class="quiet">Once you know the cause, resume them on the account's page.</p>
  </Card>
);

const Result = ({ latest: { report, atMs, actor } }: { latest: DatedReport }) => (
  <Card title="Latest result" actions={<Verdict report={report} />}>
    <p class="quiet">
      <Time atMs={atMs} /> by {actor}, {report.network ?? "all networks"}
      {report.isEverywhere && ", full comparison"}, in {Math.ceil(report.tookMs / 1000)} s
    </p>
    {report.fault !== null && <p class="message fault">Ended early: {report.fault}</p>}
    {report.skipped.map(({ network, reason }) => (
      <p class="message warn">
        {network} was not compared with its chain: {reason}
      </p>
    ))}
    {!report.isEverywhere && (
      <p class="quiet">
        Tokens were checked only where the books have some, and coins also on every address of
        networks without traces. A full comparison checks everything else.
      </p>
    )}
    <Differences report={report} />
    <SurplusTable report={report} />
  </Card>
);

const Verdict = ({ report }: { report: ReconcileReport }) => {
  if (report.differenceCount > 0) return <Status value="failed" />;
  return <Status value={report.fault === null && report.skipped.length === 0 ? "ok" : "unknown"} />;
};

const Differences = ({ report }: { report: ReconcileReport }) => (
  <>
    <h3>Differences: {report.differenceCount}</h3>
    <Table
      caption="Differences"
      rows={report.differences}
      empty="No differences"
      columns={[
        { title: "Account", cell: (row: Difference) => <AccountLink row={row} /> },
        { title: "Currency", cell: ({ network, currency }) => `${currency} on ${network}` },
        { title: "Expected", isNumber: true, cell: ({ expected }) => <Money amount={expected} /> },
        { title: "Found", isNumber: true, cell: ({ found }) => <Money amount={found} /> },
        { title: "Details", cell: ({ detail }) => detail },
      ]}
    />
  </>
);

const SurplusTable = ({ report }: { report: ReconcileReport }) => (
  <>
    <h3>Unexplained surplus: {report.surplusCount}</h3>
    <Table
      caption="Surplus"
      rows={report.surplus}
      empty="None"
      columns={[
        { title: "Account", cell: (row: Surplus) => <AccountLink row={row} /> },
        {
          title: "Amount",
          isNumber: true,
          cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
        },
        { title: "Network", cell: ({ network }) => network },
        { title: "Address", cell: ({ address }) => <code>{address}</code> },
        {
          title: "Actions",
          isTitleHidden: true,
          cell: (row) => <a href={surplusUrl(row)}>Review and credit</a>,
        },
      ]}
    />
  </>
);

const AccountLink = ({ row: { accountId } }: { row: { accountId: number } }) => (
  <a href={`${BASE}/accounts/${accountId}`}>{accountId}</a>
);

const Earlier = ({ rows }: { rows: readonly DatedReport[] }) => (
  <Card title="Earlier results">
    <Table
      caption="Earlier results"
      rows={rows}
      empty=""
      columns={[
        { title: "Time (UTC)", cell: ({ atMs }) => <Time atMs={atMs} /> },
        { title: "Started by", cell: ({ actor }) => actor },
        {
          title: "Network",
          cell: ({ report }) => `${report.network ?? "all"}${report.isEverywhere ? ", full" : ""}`,
        },
        { title: "Result", cell: ({ report }) => <Verdict report={report} /> },
        { title: "Differences", isNumber: true, cell: ({ report }) => report.differenceCount },
        { title: "Surplus", isNumber: true, cell: ({ report }) => report.surplusCount },
      ]}
    />
  </Card>
);

const startAct = act({
  path: "/reconcile",
  on: reconcilePage,
  run: async ({ deps, form, actor }) => {
    const order = form.read((fields) => ({
      network: fields.optional("network", kind.networkCode) ?? null,
      isEverywhere: fields.ticked("everywhere"),
    }));
    const started = await startReconcile(deps, { ...order, actor });
    return done("/reconcile", started ? "Comparison started" : "A comparison is already running");
  },
});

export const RECONCILE_ROUTES = [reconcilePage, startAct];
