import { confirmationsOf } from "../../deposits/rules/transaction_moves.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import type { TransactionRow } from "../../deposits/tables/transactions.ts";
import { transactionUrl } from "../explorers.ts";
import { BASE, type Visit } from "../visit.ts";
import { type Payers, paymentName } from "../words/orders.ts";
import { accountColumn, isAmongOthers } from "./columns.tsx";
import { Hash, Name, Status, Time } from "./facts.tsx";
import { type Known, stateIn } from "./payers.ts";
import type { Column } from "./table.tsx";
import { worthColumn } from "./worths.tsx";

interface Seen {
  readonly visit: Visit;
  readonly catalog: Catalog;
  readonly topHeights: ReadonlyMap<string, number>;
}

/** With what is known of payments for deposits only, without it for all directions. */
export function movementColumns(seen: Seen, known?: Known): Column<TransactionRow>[] {
  const { visit, catalog } = seen;
  return [
    known ? nameColumn(known) : TYPE,
    worthColumn<TransactionRow>(visit, known?.worths ?? new Map()),
    {
      ...{ title: "Status", at: "state" },
      cell: (row) => <MovementStatus row={row} seen={seen} known={known} />,
    },
    {
      ...{ title: "When", isOrder: true, at: "age" },
      cell: ({ createdAtMs }) => <Time atMs={createdAtMs} />,
    },
    ...accountColumn<TransactionRow>(visit),
    ...isAmongOthers(visit) ? [] : [transactionColumn(catalog)],
    ID,
  ];
}

function transactionColumn(catalog: Catalog): Column<TransactionRow> {
  return {
    title: "Transaction",
    isMinor: true,
    at: "none",
    cell: ({ network, txHash }) => (
      <Hash text={txHash} href={transactionUrl(catalog.network(network), txHash)} />
    ),
  };
}

function nameColumn(payers: Payers): Column<TransactionRow> {
  return {
    title: "Payment",
    at: "title",
    cell: (row) => <Name text={paymentName(row, payers)} href={`${BASE}/deposits/${row.id}`} />,
  };
}

const ID: Column<TransactionRow> = {
  title: "Id",
  isNumber: true,
  at: "none",
  cell: (row) => <DepositLink row={row} />,
};

const TYPE: Column<TransactionRow> = {
  title: "Type",
  at: "title",
  cell: (row) => <DirectionLink row={row} />,
};

const DepositLink = ({ row: { id, direction } }: { row: TransactionRow }) =>
  direction === "deposit" ? <a href={`${BASE}/deposits/${id}`}>{id}</a> : id;

const DirectionLink = (
  { row: { id, direction, withdrawalId, sweepId } }: { row: TransactionRow },
) => {
  const text = direction.replaceAll("_", " ");
  const path = direction === "deposit"
    ? `/deposits/${id}`
    : withdrawalId !== null
    ? `/withdrawals/${withdrawalId}`
    : sweepId !== null && `/sweeps/${sweepId}`;
  return path ? <a class="row-link" href={BASE + path}>{text}</a> : <>{text}</>;
};

const MovementStatus = (
  { row, seen, known }: { row: TransactionRow; seen: Seen; known: Known | undefined },
) => (
  <>
    <Status value={stateOf(row, known)} /> <Progress row={row} seen={seen} />
    {row.isBelowMinimum && <Status value="below minimum" />}
  </>
);

/** What isn't a payment to the owner isn't paid. */
function stateOf(row: TransactionRow, known: Known | undefined): string {
  const { direction, status } = row;
  if (direction === "deposit") return known ? stateIn(known, row) : status;
  return status === "confirmed" ? "done" : status;
}

/** Shown until it is final. */
const Progress = ({ row, seen }: { row: TransactionRow; seen: Seen }) => {
  const network = seen.catalog.network(row.network);
  if (row.status !== "detected" || !network) return null;
  const depth = confirmationsOf(seen.topHeights.get(row.network) ?? 0, row);
  return <span class="quiet small">{`${depth} of ${network.minConfirmations} blocks`}</span>;
};
