import type { AccountRow } from "../../accounts/tables/accounts.ts";
import { last } from "../../base/lists.ts";
import { storedOf } from "../../books/quota.ts";
import { docsUrlOf } from "../../dashboard/environment.ts";
import { AccountChoice, accountOf } from "../../dashboard/parts/account.tsx";
import { Card, Facts, Hash, Time } from "../../dashboard/parts/facts.tsx";
import { ChoiceFilter } from "../../dashboard/parts/filters.tsx";
import { Field, Select } from "../../dashboard/parts/form.tsx";
import {
  MomentFilters,
  MomentPresets,
  momentsWanted,
} from "../../dashboard/parts/lists/moments.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { StoredToday } from "../../dashboard/parts/stored.tsx";
import {
  type Column,
  Filters,
  PagedTable,
  Table,
  withQuery,
} from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import { NotFound, type Visit } from "../../dashboard/visit.ts";
import { SIGNED_LINES } from "../../domain/signed_lines.ts";
import {
  rejectedRequests,
  type RequestCursor,
  type RequestFilter,
  type RequestTotals,
  requestTotals,
} from "../reads.ts";
import { NOBODY, RequestLog, type RequestLogRow } from "../table.ts";
import { apiKeys } from "../../store/reads/pages/lists.ts";

const SHOWN_MAX = 20;

const COLUMNS: readonly Column<Total>[] = [
  { title: "Endpoint", cell: ({ route }) => <code class="whole">{said(route)}</code> },
  { title: "Succeeded", isNumber: true, cell: ({ succeeded }) => succeeded },
  { title: "Rejected", isNumber: true, cell: ({ rejected }) => rejected },
];

const Rejected = ({ visit, row }: { visit: Visit; row: RequestLogRow }) => (
  <Card title={`${row.method} ${row.path}`} id="request">
    <p class="message warn">{`HTTP ${row.status}: ${row.message}. ${whyOf(row)}`}</p>
    {row.canonical !== null && <Canonical visit={visit} text={row.canonical} />}
    <Facts
      rows={[
        ["Time", <Time atMs={row.atMs} />],
        ["Query", row.query === "" ? "none" : <code class="whole">{row.query}</code>],
        ["Code", <code>{row.code}</code>],
        ["Key", <code class="whole">{row.keyId}</code>],
        ["From", <code class="whole">{row.ip}</code>],
        ["Request id", <Hash text={row.requestId} isWhole />],
        ["Body", <Body row={row} />],
      ]}
    />
  </Card>
);

/** What the signature was compared with. The signature itself is never kept. */
const Canonical = ({ visit, text }: { visit: Visit; text: string }) => {
  const docs = docsUrlOf(visit.facts);
  return (
    <>
      <div id="canonical">
        <Facts rows={text.split("\n").map((line, i) => [nameOf(i), <Line text={line} />])} />
      </div>
      <p>
        {docs && (
          <>
            Sign the same request on <a href={`${docs}/sign`}>/docs/sign</a> and compare the lines.
            {" "}
          </>
        )}
        If you sign the same five lines, the secret is wrong.
      </p>
    </>
  );
};

const CODES = [
  "invalid_signature",
  "timestamp_out_of_window",
  "ip_not_allowed",
  "permission_denied",
  "role_denied",
  "rate_limited",
  "quota_exceeded",
  "validation_failed",
  "not_found",
  "insufficient_balance",
  "invalid_address",
  "broadcast_rejected",
  "account_suspended",
  "unavailable",
  "internal_error",
];

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

interface FiltersProps {
  readonly visit: Visit;
  readonly account: AccountRow;
}

const RequestFilters = ({ visit, account }: FiltersProps) => (
  <Filters visit={visit}>
    {visit.seesAll && <input type="hidden" name="account" value={String(account.id)} />}
    <MomentFilters visit={visit} />
    <Field
      visit={visit}
      name="path"
      label="Path contains"
      isFilter
      value={visit.query.get("path") ?? ""}
    />
    <ChoiceFilter visit={visit} name="code" label="Code" choices={CODES} />
    <KeyFilter visit={visit} account={account} />
  </Filters>
);

const KeyFilter = async ({ visit, account }: FiltersProps) => {
  const keys = await apiKeys(visit.deps.db, account.id);
  const options = keys.map(({ keyId, label }) => ({ value: keyId, label: `${label}: ${keyId}` }));
  return (
    <Select
      visit={visit}
      name="key"
      label="Key"
      value={visit.query.get("key") ?? ""}
      options={[{ value: "", label: "All" }, ...options]}
    />
  );
};

/** The one that the query names; somebody else's is not found. */
async function shownRequest(visit: Visit): Promise<RequestLogRow | undefined> {
  const text = visit.query.get("show");
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new NotFound();
  return visit.own(await visit.deps.db.find(RequestLog, [Number(text)]));
}

/** In words, with what to do. */
function whyOf({ reason, skewS }: RequestLogRow): string {
  switch (reason) {
    case "bad_signature":
      return "These are the five lines that the signature should have covered, as they arrived here.";
    case "clock_skew":
      return skewS === null
        ? "The timestamp must be Unix time in seconds."
        : `The sender's clock was ${Math.abs(skewS)} s ${skewS > 0 ? "ahead" : "behind"}.`;
    case "revoked_key":
      return "The key has been revoked.";
    case "ip_not_listed":
      return "The key may not be used from this address.";
    default:
      return "";
  }
}

function nameOf(line: number): string {
  return `${line + 1}. ${SIGNED_LINES[line]?.[0] ?? "More"}`;
}

const Line = ({ text }: { text: string }) =>
  text === "" ? <span class="quiet">empty</span> : <code class="whole">{text}</code>;

const Body = ({ row: { body, bodyBytes } }: { row: RequestLogRow }) => {
  if (bodyBytes === 0) return "none";
  if (body === null) return `${bodyBytes} bytes that are no text`;
  return (
    <>
      <pre>{body}</pre>
      {bodyBytes > 2_048 && <p class="quiet small">{`The first 2 KiB of ${bodyBytes} bytes`}</p>}
    </>
  );
};

interface TotalsProps {
  readonly rows: readonly RequestTotals[];
  readonly filter: Pick<RequestFilter, "keyId" | "path">;
}

/** How many succeeded, by endpoint. Those that are too many to keep are counted too. */
const Totals = ({ rows, filter }: TotalsProps) => {
  const byRoute = Map.groupBy(rows.filter((row) => isWanted(row, filter)), ({ route }) => route);
  const totals = [...byRoute].map(([route, some]) => ({ route, ...sumOf(some) }))
    .toSorted((a, b) => b.succeeded + b.rejected - a.succeeded - a.rejected);
  const { succeeded, rejected } = sumOf(totals);
  return (
    <Card title="All requests">
      <p>{`${succeeded} succeeded, ${rejected} rejected`}</p>
      {totals.length > 0 && <ByEndpoint totals={totals.slice(0, SHOWN_MAX)} />}
    </Card>
  );
};

type Total = Omit<RequestTotals, "keyId">;

const ByEndpoint = ({ totals }: { totals: readonly Total[] }) => (
  <details>
    <summary>By endpoint</summary>
    <Table caption="Requests by endpoint" rows={totals} empty="None" columns={COLUMNS} />
  </details>
);

function sumOf(rows: readonly Pick<RequestTotals, "succeeded" | "rejected">[]) {
  return rows.reduce((sum, row) => ({
    succeeded: sum.succeeded + row.succeeded,
    rejected: sum.rejected + row.rejected,
  }), { succeeded: 0, rejected: 0 });
}

/** A path may be one of many that the endpoint's pattern stands for. */
function isWanted({ keyId, route }: RequestTotals, filter: TotalsProps["filter"]): boolean {
  if (filter.keyId !== null && filter.keyId !== keyId) return false;
  if (filter.path === null || route.includes(filter.path)) return true;
  const path = route.slice(route.indexOf(" ") + 1).split("/");
  const asked = filter.path.split("/");
  return asked.length === path.length &&
    path.every((part, i) => part.startsWith(":") || part === asked[i]);
}

function said(route: string): string {
  return route.replace(/ unknown$/, " (rejected before its path was looked at)");
}
