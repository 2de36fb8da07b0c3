import { confirmationsOf } from "../../deposits/rules/transaction_moves.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import type { TransactionRow } from "../../deposits/tables/transactions.ts";
import { addressUrl, transactionUrl } from "../explorers.ts";
import { BASE, type Visit } from "../visit.ts";
import { type Payers, paymentName } from "../words/orders.ts";
import { accountColumn, AMOUNT, isAmongOthers, NETWORK } from "./columns.tsx";
import { Hash, Name, Status, Time } from "./facts.tsx";
import type { Column } from "./table.tsx";

interface Seen {
  readonly visit: Visit;
  readonly catalog: Catalog;
  readonly topHeights: ReadonlyMap<string, number>;
}

/** Without payers for all directions, with them for deposits only. */
export function movementColumns(seen: Seen, payers?: Payers): Column<TransactionRow>[] {
  const { visit, catalog } = seen;
  return [
    ...payers ? [nameColumn(payers)] : [ID, TYPE],
    AMOUNT,
    { title: "Status", at: "state", cell: (row) => <MovementStatus row={row} seen={seen} /> },
    {
      ...{ title: "Detected", isOrder: true, at: "age" },
      cell: ({ createdAtMs }) => <Time atMs={createdAtMs} />,
    },
    ...accountColumn<TransactionRow>(visit),
    { ...NETWORK, isMinor: true },
    {
      title: "Transaction",
      at: "none",
      cell: ({ network, txHash }) => (
        <Hash text={txHash} href={transactionUrl(catalog.network(network), txHash)} />
      ),
    },
    ...isAmongOthers(visit) ? [] : [addressColumn(catalog)],
    ...payers ? [ID] : [],
  ];
}

function addressColumn(catalog: Catalog): Column<TransactionRow> {
  return {
    title: "Address",
    isMinor: true,
    cell: ({ network, toAddress }) => (
      <Hash text={toAddress} href={addressUrl(catalog.network(network), toAddress)} />
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

const MovementStatus = ({ row, seen }: { row: TransactionRow; seen: Seen }) => (
  <>
    <Status value={row.status} /> <Progress row={row} seen={seen} />
    {row.isBelowMinimum && <Status value="below minimum" />}
  </>
);

/** Shown until it is final. */
const Progress = ({ row, seen }: { row: TransactionRow; seen: Seen }) => {
  const network = seen.catalog.network(row.network);
  if (row.status !== "detected" || !network) return null;
  const depth = confirmationsOf(seen.topHeights.get(row.network) ?? 0, row);
  return <span class="quiet small">{`${depth} of ${network.minConfirmations} blocks`}</span>;
};
