import { resolveAlert } from "../../actions/manage_alerts.ts";
import { retrySweep } from "../../actions/retry_sweep.ts";
import { alerts } from "../../store/list_reads.ts";
import type { AlertRow } from "../../store/rows.ts";
import { Card, Status, Time } from "../parts/facts.tsx";
import { Form, Submit } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { Table, withQuery } from "../parts/table.tsx";
import { act, done, OPERATORS, page } from "../routes.ts";
import { BASE, type Visit } from "../visit.ts";

const ROWS = 200;

const alertsPage = page({
  path: "/alerts",
  roles: OPERATORS,
  nav: { label: "Alerts", group: "Gateway" },
  show: async (visit) => {
    const isAll = visit.query.has("all");
    const rows = await alerts(visit.deps.db, { isOpen: !isAll, limit: ROWS });
    const other = withQuery(visit, { all: isAll ? null : "yes" });
    return (
      <Page
        visit={visit}
        title="Alerts"
        actions={
          <a class="button plain" href={other}>{isAll ? "Only open ones" : "Resolved ones too"}</a>
        }
      >
        <Card>
          <Table
            caption="Alerts"
            rows={rows}
            empty="Nothing waits for you"
            columns={[
              { title: "Since (UTC)", cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
              { title: "What", cell: ({ kind }) => <Status value={kind} /> },
              { title: "In words", cell: (row) => <AlertText row={row} /> },
              {
                title: "What to do",
                isTitleHidden: true,
                cell: (row) => <AlertAction visit={visit} row={row} />,
              },
            ]}
          />
        </Card>
      </Page>
    );
  },
});

const AlertText = ({ row: { message, subject } }: { row: AlertRow }) => (
  <>
    <span>{message}</span> <span class="quiet small">{subject}</span>
  </>
);

const AlertAction = ({ visit, row }: { visit: Visit; row: AlertRow }) => {
  if (row.open === null) return <Time atMs={row.resolvedAtMs} />;
  const sweepId = /^sweep:(\d+)$/.exec(row.subject)?.[1];
  return (
    <div class="actions">
      {row.kind === "deposit_surplus" && <a href={creditUrl(row)}>Credit it</a>}
      {row.kind === "sweep_parked" && sweepId && (
        <Form visit={visit} action={`/alerts/sweeps/${sweepId}/retry`} isInline>
          <Submit tone="plain">Try again</Submit>
        </Form>
      )}
      <Form visit={visit} action={`/alerts/${row.id}/resolve`} isInline>
        <Submit tone="plain">Seen to</Submit>
      </Form>
    </div>
  );
};

/** "ETH/USDT 0x…" is what such an alert is about. */
function creditUrl({ subject }: AlertRow): string {
  const [asset = "", address = ""] = subject.split(" ");
  const [network = "", currency = ""] = asset.split("/");
  return `${BASE}/deposits/credit?${new URLSearchParams({ network, currency, address })}`;
}

const resolveAct = act({
  path: "/alerts/:id/resolve",
  on: alertsPage,
  run: async (visit) => {
    await resolveAlert(visit.deps, { id: visit.id(), actor: visit.actor });
    return done("/alerts", "Resolved. What comes up again raises a new one");
  },
});

const retryAct = act({
  path: "/alerts/sweeps/:id/retry",
  on: alertsPage,
  run: async (visit) => {
    await retrySweep(visit.deps, { id: visit.id(), actor: visit.actor });
    return done("/alerts", "The sweep is taken up again");
  },
});

export const ALERT_ROUTES = [alertsPage, resolveAct, retryAct];
