import { RESOLVE_ALERT } from "../operations.ts";
import { RETRY_SWEEP } from "../../sweeps/operations.ts";
import { ALERT_KINDS } from "../rules/alert_kinds.ts";
import { ALERTS } from "../list.ts";
import { pageOf } from "../../operations/lists/list.ts";
import type { AlertRow } from "../table.ts";
import { AlertPlace, creditUrl } from "../../dashboard/parts/alerts.tsx";
import { Card, NamedAccount, Status, Time } from "../../dashboard/parts/facts.tsx";
import { ChoiceFilter } from "../../dashboard/parts/filters.tsx";
import { Check, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Filter, PagedTable } from "../../dashboard/parts/table.tsx";
import { formOf } from "../../dashboard/asking.ts";
import { page } from "../../dashboard/routes.ts";
import { adviceText } from "../../dashboard/words/advice.ts";
import type { Visit } from "../../dashboard/visit.ts";

const ROWS = 25;

const alertsPage = page({
  path: "/alerts",
  ability: "see_gateway",
  nav: { label: "Alerts", group: "Gateway" },
  show: async (visit) => {
    const isAll = visit.query.has("all");
    const kind = visit.wanted("kind", ALERT_KINDS) ?? undefined;
    const values = { kind, open: isAll ? undefined : true };
    const asked = { accountId: null, values, ...visit.paging, limit: ROWS };
    const found = await pageOf(visit.deps, ALERTS, asked);
    return (
      <Page visit={visit} title="Alerts">
        <Card>
          <Filter visit={visit}>
            <ChoiceFilter visit={visit} name="kind" label="Kind" choices={ALERT_KINDS} />
            <Check visit={visit} name="all" label="Include resolved" isOn={isAll} />
          </Filter>
          <PagedTable
            visit={visit}
            caption="Alerts"
            found={found}
            empty="Nothing needs attention"
            columns={columnsFor(visit)}
          />
        </Card>
      </Page>
    );
  },
});

function columnsFor(visit: Visit): Column<AlertRow>[] {
  return [
    { title: "Since", isOrder: true, cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
    { title: "Kind", cell: ({ kind }) => <Status value={kind} /> },
    { title: "Message", cell: (row) => <AlertText visit={visit} row={row} /> },
    {
      title: "Actions",
      isTitleHidden: true,
      cell: (row) => <AlertAction visit={visit} row={row} />,
    },
  ];
}

const AlertText = ({ visit, row }: { visit: Visit; row: AlertRow }) => {
  const { message, advice, subject } = row;
  const accountId = accountOfAlert(row);
  return (
    <>
      <span class="whole">{message}</span> {advice && <span>{adviceText(advice)}</span>}{" "}
      <span class="quiet small whole">{subject}</span>
      {accountId !== null && (
        <div class="small">
          Account: <NamedAccount visit={visit} id={accountId} />
        </div>
      )}
    </>
  );
};

function accountOfAlert({ accountId, subject }: AlertRow): number | null {
  const [, named] = /\baccount:(\d{1,15})\b/.exec(subject) ?? [];
  return accountId ?? (named === undefined ? null : Number(named));
}

const AlertAction = ({ visit, row }: { visit: Visit; row: AlertRow }) => {
  if (row.open === null) return <Time atMs={row.resolvedAtMs} />;
  const sweepId = /^sweep:(\d+)$/.exec(row.subject)?.[1];
  return (
    <div class="actions">
      <AlertPlace row={row} />
      {row.kind === "deposit_surplus" && visit.isAble("operate") && (
        <a href={creditUrl(row)}>Credit</a>
      )}
      {row.kind === "sweep_parked" && sweepId && (
        <Form visit={visit} action={`/alerts/sweeps/${sweepId}/retry`} isInline>
          <Submit tone="plain">Retry</Submit>
        </Form>
      )}
      {row.kind !== "stopped" && (
        <Form visit={visit} action={`/alerts/${row.id}/resolve`} isInline>
          <Submit tone="plain">Resolve</Submit>
        </Form>
      )}
    </div>
  );
};

const resolveAct = formOf(RESOLVE_ALERT, {
  path: "/alerts/:id/resolve",
  on: alertsPage,
  to: "/alerts",
  said: () => "Resolved. If it happens again, a new alert opens",
});

const retryAct = formOf(RETRY_SWEEP, {
  path: "/alerts/sweeps/:id/retry",
  on: alertsPage,
  to: "/alerts",
  said: () => "The sweep will be retried",
});

export const ALERT_ROUTES = [alertsPage, resolveAct, retryAct];
