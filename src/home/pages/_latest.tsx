import { rowsOf } from "../../operations/lists/list.ts";
import { DEPOSITS } from "../../deposits/lists/transactions.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import { confirmationsOf } from "../../deposits/rules/transaction_moves.ts";
import { usersOf } from "../../deposits/reads/page.ts";
import { ordersOf } from "../../invoices/reads/orders.ts";
import { topHeights } from "../../deposits/reads/transactions.ts";
import type { TransactionRow } from "../../deposits/tables/transactions.ts";
import { AMOUNT } from "../../dashboard/parts/columns.tsx";
import { Age, Card, EmptyState, Name, Status } from "../../dashboard/parts/facts.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { type Payers, paymentName } from "../../dashboard/words/orders.ts";

const SHOWN = 6;

/** The newest payments, with the progress of those that are confirming. */
interface Latest extends Payers {
  readonly rows: readonly TransactionRow[];
  readonly progress: ReadonlyMap<number, string>;
}

export async function latestFor(
  { deps }: Visit,
  { catalog, accountId }: { catalog: Catalog; accountId: number | null },
): Promise<Latest> {
  const { db } = deps;
  const [{ rows }, heights] = await Promise.all([
    rowsOf(deps, DEPOSITS, { accountId, values: {}, cursor: null, limit: SHOWN }),
    topHeights(db),
  ]);
  const confirming = rows.filter(({ status }) => status === "detected");
  const progress = confirming.map((row) => {
    const needed = catalog.network(row.network)?.minConfirmations;
    return [
      row.id,
      `${confirmationsOf(heights.get(row.network) ?? 0, row)} of ${needed} blocks`,
    ] as const;
  });
  const [users, orders] = await Promise.all([usersOf(db, rows), ordersOf(db, rows)]);
  return { rows, users, orders, progress: new Map(progress) };
}

export const LatestCard = ({ visit, latest }: { visit: Visit; latest: Latest }) => (
  <Card title="Latest payments" actions={<a href={`${BASE}/deposits`}>All payments</a>}>
    <Table
      caption="Latest payments"
      rows={latest.rows}
      columns={columnsFor(visit, latest)}
      empty={
        <EmptyState
          title="No payments yet"
          next={visit.may("GET", "/invoices/new") && (
            <a class="button" href={`${BASE}/invoices/new`}>Create an invoice</a>
          )}
        >
          An invoice has a page where customers pay. Its payments show up here at once.
        </EmptyState>
      }
    />
  </Card>
);

function columnsFor(visit: Visit, { progress, ...payers }: Latest): Column<TransactionRow>[] {
  return [
    {
      title: "Payment",
      at: "title",
      cell: (row) => <Name text={paymentName(row, payers)} href={`${BASE}/deposits/${row.id}`} />,
    },
    AMOUNT,
    {
      title: "Status",
      at: "state",
      cell: ({ id, status }) => (
        <>
          <Status value={status} />{" "}
          {progress.has(id) && <span class="quiet small" id={figureId(id)}>{progress.get(id)}
          </span>}
        </>
      ),
    },
    {
      title: "Age",
      at: "age",
      isNumber: true,
      cell: ({ createdAtMs }) => <Age atMs={createdAtMs} nowMs={visit.nowMs} />,
    },
  ];
}

/** For an open page; another row or status loads it again. */
export function latestFigures({ progress }: Latest): Record<string, string> {
  return Object.fromEntries([...progress].map(([id, text]) => [figureId(id), text]));
}

export function latestKey({ rows }: Latest): string {
  return rows.map(({ id, status }) => `${id} ${status}`).join();
}

function figureId(id: number): string {
  return `confirming-${id}`;
}
