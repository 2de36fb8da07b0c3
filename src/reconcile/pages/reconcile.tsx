import type { NetworkRow } from "../../networks/table.ts";
import { networkOptions } from "../../dashboard/parts/filters.tsx";
import { freezePage } from "../../accounts/reads/accounts.ts";
import { actorName } from "../../audit/parts/actor.ts";
import type { FreezeRow } from "../../books/table.ts";
import { surplusUrl } from "../../dashboard/parts/alerts.tsx";
import { AMOUNT, networkColumn } from "../../dashboard/parts/columns.tsx";
import { Card, Money, NamedAccount, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Check, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { Table } from "../../dashboard/parts/table.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import type { ReconcileRun } from "../../deps/memory.ts";
import * as kind from "../../domain/kinds.ts";
import {
  type DatedReport,
  type ReconcileReport,
  reconcileReports,
  reconcileRuns,
  startReconcile,
} from "../by_hand.ts";

const REPORTS_SHOWN = 10;
const FREEZES_SHOWN = 100;

const reconcilePage = page({
  path: "/reconcile",
  ability: "see_gateway",
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
        {visit.isAble("operate") && (
          <Card title="Check the books and compare them with the chains">
            {reconcileRuns(visit.deps).map((run) => <Running visit={visit} run={run} />)}
            <StartForm visit={visit} networks={networks} />
          </Card>
        )}
        {freezes.length > 0 && <Freezes visit={visit} rows={freezes} />}
        {newest && <Result visit={visit} latest={newest} />}
        {older.length > 0 && <Earlier visit={visit} rows={older} />}
      </Page>
    );
  },
  live: async (visit) => ({ reload: await reloadOf(visit) }),
});

async function reloadOf({ deps }: Visit): Promise<string> {
  const [newest] = await reconcileReports(deps, 1);
  return String(newest?.atMs);
}

const Running = ({ visit, run }: { visit: Visit; run: ReconcileRun }) => (
  <p>
    <Status value="waiting" /> {run.network === null ? "All networks" : visit.network(run.network)}
    {run.isEverywhere && ", full comparison,"} since{" "}
    <Time atMs={run.sinceMs} />. It keeps running if you close this page.
  </p>
);

const StartForm = ({ visit, networks }: { visit: Visit; networks: readonly NetworkRow[] }) => (
  <>
    <p class="quiet">
      This runs continuously in small parts; here you run all of it at once. A difference pauses
      payouts of that account and currency.
    </p>
    <Form visit={visit} action="/reconcile" isInline>
      <Select
        visit={visit}
        name="network"
        label="Network"
        options={[{ value: "", label: "All" }, ...networkOptions(networks)]}
      />
      <Check
        visit={visit}
        name="everywhere"
        label="Full comparison: every currency on every deposit address (slower)"
      />
      <Submit>Compare now</Submit>
    </Form>
  </>
);

const Freezes = ({ visit, rows }: { visit: Visit; rows: readonly FreezeRow[] }) => (
  <Card title="Paused payouts">
    <Table
      caption="Paused payouts"
      rows={rows}
      empty=""
      columns={[
        { title: "Since", cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
        {
          title: "Account",
          cell: ({ accountId }) => <NamedAccount visit={visit} id={accountId} />,
        },
        { title: "Currency", cell: (row) => visit.coin(row) },
        { title: "Reason", cell: ({ reason }) => reason },
      ]}
    />
    <p class="quiet">Once you know the cause, resume them on the account's page.</p>
  </Card>
);

const Earlier = ({ visit, rows }: { visit: Visit; rows: readonly DatedReport[] }) => (
  <Card title="Earlier results">
    <Table
      caption="Earlier results"
      rows={rows}
      empty=""
      columns={[
        { title: "Time", cell: ({ atMs }) => <Time atMs={atMs} /> },
        { title: "Started by", cell: ({ actor }) => <bdi>{actorName(visit, actor)}</bdi> },
        {
          title: "Network",
          cell: ({ report }) =>
            `${report.network === null ? "all" : visit.network(report.network)}${
              report.isEverywhere ? ", full" : ""
            }`,
        },
        { title: "Result", cell: ({ report }) => <ReportVerdict report={report} /> },
        { title: "Differences", isNumber: true, cell: ({ report }) => report.differenceCount },
        { title: "Surplus", isNumber: true, cell: ({ report }) => report.surplusCount },
      ]}
    />
  </Card>
);

const startAct = act({
  path: "/reconcile",
  ability: "operate",
  on: reconcilePage,
  run: async ({ deps, form, actor }) => {
    const order = form.read((fields) => ({
      network: fields.optional("network", kind.networkCode) ?? null,
      isEverywhere: fields.ticked("everywhere"),
    }));
    const started = await startReconcile(deps, { ...order, actor });
    return done(
      "/reconcile",
      started ? "Comparison started" : "This comparison is already running",
    );
  },
});

export const RECONCILE_ROUTES = [reconcilePage, startAct];

interface ResultProps {
  readonly visit: Visit;
  readonly latest: DatedReport;
}

const Result = ({ visit, latest: { report, atMs, actor } }: ResultProps) => (
  <Card title="Latest result" actions={<ReportVerdict report={report} />}>
    <p class="quiet">
      <Time atMs={atMs} /> by <bdi>{actorName(visit, actor)}</bdi>,{" "}
      {report.network === null ? "all networks" : visit.network(report.network)}
      {report.isEverywhere && ", full comparison"}, in {Math.ceil(report.tookMs / 1000)} s
    </p>
    <Gaps visit={visit} report={report} />
    {!report.isEverywhere && (
      <p class="quiet">
        Tokens were checked only where the books have some, and coins also on every address of
        networks without traces. A full comparison checks everything else.
      </p>
    )}
    <Differences visit={visit} report={report} />
    <SurplusTable visit={visit} report={report} />
    <WrongInvoices report={report} />
  </Card>
);

/** What was not compared. */
const Gaps = ({ visit, report }: TableProps) => (
  <>
    {report.fault !== null && <p class="message fault">Ended early: {report.fault}</p>}
    {report.skipped.map(({ network, reason }) => (
      <p class="message warn">
        {visit.network(network)} was not compared with its chain: {reason}
      </p>
    ))}
  </>
);

const ReportVerdict = ({ report }: { report: ReconcileReport }) => {
  if (report.differenceCount > 0 || (report.invoices?.length ?? 0) > 0) {
    return <Status value="failed" />;
  }
  return <Status value={report.fault === null && report.skipped.length === 0 ? "ok" : "unknown"} />;
};

interface TableProps {
  readonly visit: Visit;
  readonly report: ReconcileReport;
}

const Differences = ({ visit, report }: TableProps) => (
  <>
    <h3>Differences: {report.differenceCount}</h3>
    <Table
      caption="Differences"
      rows={report.differences}
      empty="No differences"
      columns={[
        {
          title: "Account",
          cell: ({ accountId }) => <NamedAccount visit={visit} id={accountId} />,
        },
        { title: "Currency", cell: (row) => visit.coin(row) },
        {
          title: "Expected",
          isNumber: true,
          cell: ({ expected }) => <Money amount={expected} isWhole />,
        },
        { title: "Found", isNumber: true, cell: ({ found }) => <Money amount={found} isWhole /> },
        { title: "Details", cell: ({ detail }) => detail },
      ]}
    />
  </>
);

const WrongInvoices = ({ report: { invoices = [] } }: { report: ReconcileReport }) =>
  invoices.length > 0 && (
    <p class="message warn">
      What was kept of these invoices differed from their payments and refunds, and is right now:
      {invoices.map(({ invoiceId: id }) => (
        <>
          {" "}
          <a href={`${BASE}/invoices/${id}`}>{id}</a>
        </>
      ))}
    </p>
  );

const SurplusTable = ({ visit, report }: TableProps) => (
  <>
    <h3>Unexplained surplus: {report.surplusCount}</h3>
    <Table
      caption="Surplus"
      rows={report.surplus}
      empty="None"
      columns={[
        {
          title: "Account",
          cell: ({ accountId }) => <NamedAccount visit={visit} id={accountId} />,
        },
        AMOUNT,
        networkColumn(visit),
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
