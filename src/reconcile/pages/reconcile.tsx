import { type DatedReport, reconcileReports, reconcileRuns, startReconcile } from "../by_hand.ts";
import type { ReconcileRun } from "../../deps/memory.ts";
import * as kind from "../../domain/kinds.ts";
import { freezePage } from "../../accounts/reads/accounts.ts";
import type { FreezeRow } from "../../books/table.ts";
import { Card, NamedAccount, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Check, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { Table } from "../../dashboard/parts/table.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { actorName } from "../../audit/parts/actor.ts";
import { ReportVerdict, Result } from "./result.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import { coinText } from "../../dashboard/words/assets.ts";

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
            {reconcileRuns(visit.deps).map((run) => <Running run={run} />)}
            <StartForm visit={visit} codes={networks.map(({ code }) => code)} />
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

const Running = ({ run }: { run: ReconcileRun }) => (
  <p>
    <Status value="waiting" /> {run.network ?? "All networks"}
    {run.isEverywhere && ", full comparison,"} since{" "}
    <Time atMs={run.sinceMs} />. It keeps running if you close this page.
  </p>
);

const StartForm = ({ visit, codes }: { visit: Visit; codes: readonly string[] }) => (
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
        options={[{ value: "", label: "All" }, ...codes.map((value) => ({ value, label: value }))]}
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
        { title: "Currency", cell: coinText },
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
          cell: ({ report }) => `${report.network ?? "all"}${report.isEverywhere ? ", full" : ""}`,
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
