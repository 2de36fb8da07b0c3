import type { RequestFilter, RequestTotals } from "../reads.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";

const SHOWN_MAX = 20;

interface TotalsProps {
  readonly rows: readonly RequestTotals[];
  readonly filter: Pick<RequestFilter, "keyId" | "path">;
}

/** How many succeeded, by endpoint. Those that are too many to keep are counted too. */
export const Totals = ({ rows, filter }: TotalsProps) => {
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

const COLUMNS: readonly Column<Total>[] = [
  { title: "Endpoint", cell: ({ route }) => <code class="whole">{said(route)}</code> },
  { title: "Succeeded", isNumber: true, cell: ({ succeeded }) => succeeded },
  { title: "Rejected", isNumber: true, cell: ({ rejected }) => rejected },
];

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
