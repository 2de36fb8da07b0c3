import type { Component } from "../../base/html.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import { transactionList } from "../../store/reads/pages/page.ts";
import type { TransactionRow } from "../../store/tables/transactions.ts";
import { topHeights } from "../../store/reads/pages/transactions.ts";
import { BASE, type Visit } from "../visit.ts";
import { accountColumn, AMOUNT, NETWORK } from "./columns.tsx";
import { Age, Card } from "./facts.tsx";
import { confirmationsOf } from "./movements.tsx";
import { Table } from "./table.tsx";

const SHOWN = 5;
const ANY = { network: null, currency: null, txHash: null, addressIds: null, cursor: null };

/** Unconfirmed deposits, newest first, with their progress. */
interface Confirming {
  readonly rows: readonly TransactionRow[];
  readonly progress: ReadonlyMap<number, string>;
}

export async function confirmingFor(
  { deps: { db }, accountId }: Visit,
  catalog: Catalog,
): Promise<Confirming> {
  const wanted = { direction: "deposit", status: "detected", isBelowMinimum: false };
  const [{ rows }, heights] = await Promise.all([
    transactionList(db, { ...ANY, ...wanted, accountId, limit: SHOWN }),
    topHeights(db),
  ]);
  const progress = rows.map((row) => {
    const needed = catalog.network(row.network)?.minConfirmations;
    return [row.id, `${confirmationsOf(row, heights)} of ${needed} blocks`] as const;
  });
  return { rows, progress: new Map(progress) };
}

export const ConfirmingCard: Component<{ visit: Visit; confirming: Confirming }> = (
  { visit, confirming: { rows, progress } },
) => {
  if (rows.length === 0) return null;
  const all = <a href={`${BASE}/deposits?status=detected`}>All confirming deposits</a>;
  return (
    <Card title="Confirming now" actions={all}>
      <Table
        caption="Confirming now"
        rows={rows}
        empty=""
        columns={[
          { title: "Id", cell: ({ id }) => <a href={`${BASE}/deposits/${id}`}>{id}</a> },
          {
            title: "Detected",
            at: "age",
            cell: ({ createdAtMs }) => <Age atMs={createdAtMs} nowMs={visit.nowMs} />,
          },
          ...accountColumn<TransactionRow>(visit),
          NETWORK,
          AMOUNT,
          {
            title: "Progress",
            isNumber: true,
            cell: ({ id }) => <span id={figureId(id)}>{progress.get(id)}</span>,
          },
        ]}
      />
    </Card>
  );
};

/** For an open page. */
export function confirmingFigures({ progress }: Confirming): Record<string, string> {
  return Object.fromEntries([...progress].map(([id, text]) => [figureId(id), text]));
}

function figureId(id: number): string {
  return `confirming-${id}`;
}
