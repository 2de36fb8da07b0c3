import { last } from "../../base/lists.ts";
import { rejectedRequests, type RequestCursor, requestTotals } from "../reads.ts";
import { NOBODY, type RequestLogRow } from "../table.ts";
import type { AccountRow } from "../../store/tables/setup.ts";
import { AccountChoice, accountOf } from "../../dashboard/parts/account.tsx";
import { storedOf } from "../../books/quota.ts";
import { StoredToday } from "../../dashboard/parts/stored.tsx";
import { Card, Time } from "../../dashboard/parts/facts.tsx";
import { MomentPresets, momentsWanted } from "../../dashboard/parts/lists/moments.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, PagedTable, withQuery } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { Rejected, shownRequest } from "./_rejected.tsx";
import { RequestFilters } from "./_filters.tsx";
import { Totals } from "./_totals.tsx";

const ROWS = 25;
const KEPT_MS = 7 * 24 * 3_600_000;
const HOUR_MS = 3_600_000;

const requestsPage = page({
  path: "/requests",
  ability: "see",
  nav: { label: "Request log", group: "Developers" },
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page visit={visit} title="Request log">
        <AccountChoice visit={visit} account={account} />
        {visit.seesAll && <Strangers visit={visit} />}
        {account && <Log visit={visit} account={account} />}
      </Page>
    );
  },
});

function wanted(visit: Visit, { id }: { id: number }) {
  const otherwise = { fromMs: visit.nowMs - KEPT_MS, untilMs: visit.nowMs + 60_000 };
  const said = (name: string) => visit.query.get(name)?.trim() || null;
  return {
    ...momentsWanted(visit, { otherwise }),
    accountId: id,
    keyId: said("key"),
    code: said("code"),
    path: said("path"),
  };
}

const Log = async ({ visit, account }: { visit: Visit; account: AccountRow }) => {
  const { db } = visit.deps;
  const { isMisread, ...filter } = wanted(visit, account);
  const [rows, totals, shown, stored] = await Promise.all([
    rejectedRequests(db, { ...filter, ...visit.paging, cursor: cursorOf(visit), limit: ROWS + 1 }),
    requestTotals(db, { ...filter, fromMs: filter.fromMs - filter.fromMs % HOUR_MS }),
    shownRequest(visit),
    storedOf(visit.deps, account),
  ]);
  return (
    <>
      {shown && <Rejected visit={visit} row={shown} />}
      <Totals rows={totals} filter={filter} />
      <p class="quiet">
        Stored today:{" "}
        <StoredToday stored={stored} />. Beyond it, requests that store anything new are answered
        429 quota_exceeded.
      </p>
      <Card title="Rejected requests">
        <MomentPresets visit={visit} otherwise="7d" />
        {isMisread && <p class="message fault">A time was not understood and is ignored</p>}
        <RequestFilters visit={visit} account={account} />
        <Rows visit={visit} rows={rows} />
      </Card>
    </>
  );
};

/** One row more than is shown says that there are more. */
const Rows = ({ visit, rows }: { visit: Visit; rows: readonly RequestLogRow[] }) => {
  const shown = rows.slice(0, ROWS);
  const next = rows.length > ROWS ? cursorText(last(shown)) : null;
  return (
    <PagedTable
      visit={visit}
      caption="Rejected requests"
      found={{ rows: shown, next }}
      columns={columnsFor(visit)}
      empty="No rejected requests. They are kept here for 7 days"
    />
  );
};

function columnsFor(visit: Visit): Column<RequestLogRow>[] {
  return [
    { title: "Time", isOrder: true, cell: ({ atMs }) => <Time atMs={atMs} /> },
    {
      title: "Request",
      cell: ({ id, method, path }) => (
        <a class="whole row-link" href={withQuery(visit, { show: String(id) })}>
          {`${method} ${path}`}
        </a>
      ),
    },
    { title: "Status", isNumber: true, cell: ({ status }) => status },
    { title: "Reason", cell: ({ reason }) => reason.replaceAll("_", " ") },
    { title: "Key", isMinor: true, cell: ({ keyId }) => <code class="whole">{keyId}</code> },
    { title: "From", isMinor: true, cell: ({ ip }) => <code class="whole">{ip}</code> },
  ];
}

/** Nobody's requests are shown to nobody: operators see how many there are. */
const Strangers = async ({ visit }: { visit: Visit }) => {
  const { fromMs, untilMs } = wanted(visit, { id: NOBODY });
  const asked = { accountId: NOBODY, fromMs: fromMs - fromMs % HOUR_MS, untilMs };
  const [row] = await requestTotals(visit.deps.db, asked);
  return (
    <p class="quiet">
      {`${row?.rejected ?? 0} requests with unknown keys, or without any, belong to no account.`}
    </p>
  );
};

function cursorOf({ query }: Visit): RequestCursor | null {
  const [, atMs, id] = /^(\d{1,15})-(\d{1,15})$/.exec(query.get("cursor") ?? "") ?? [];
  return atMs === undefined ? null : { atMs: Number(atMs), id: Number(id) };
}

function cursorText({ atMs, id }: RequestCursor): string {
  return `${atMs}-${id}`;
}

export const REQUEST_ROUTES = [requestsPage];
