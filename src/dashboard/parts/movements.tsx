import { confirmationsOf } from "../../domain/states/transaction_moves.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import type { TransactionRow } from "../../store/tables/transactions.ts";
import { addressUrl, transactionUrl } from "../explorers.ts";
import { customerPath } from "../paths.ts";
import { BASE, type Visit } from "../visit.ts";
import { accountColumn, AMOUNT, isAmongOthers, NETWORK } from "./columns.tsx";
import { Hash, Long, Status, Time, Unnamed } from "./facts.tsx";
import type { Column } from "./table.tsx";

interface Seen {
  readonly visit: Visit;
  readonly catalog: Catalog;
  readonly topHeights: ReadonlyMap<string, number>;
}

/** Without `users` for all directions, with them for deposits only. */
export function movementColumns(
  seen: Seen,
  { users }: { users?: ReadonlyMap<number, string> } = {},
): Column<TransactionRow>[] {
  const { visit, catalog } = seen;
  return [
    {
      title: "Id",
      isNumber: true,
      at: users ? "open" : "none",
      cell: (row) => <DepositLink row={row} />,
    },
    {
      ...{ title: "Detected", isOrder: true, at: "age" },
      cell: ({ createdAtMs }) => <Time atMs={createdAtMs} />,
    },
    ...accountColumn<TransactionRow>(visit),
    users ? userColumn(users) : TYPE,
    { ...NETWORK, isMinor: true },
    AMOUNT,
    { title: "Status", at: "state", cell: (row) => <MovementStatus row={row} seen={seen} /> },
    {
      title: "Transaction",
      at: "none",
      cell: ({ network, txHash }) => (
        <Hash text={txHash} href={transactionUrl(catalog.network(network), txHash)} />
      ),
    },
    ...isAmongOthers(visit) ? [] : [addressColumn(catalog)],
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

function userColumn(users: ReadonlyMap<number, string>): Column<TransactionRow> {
  return {
    title: "User",
    at: "title",
    cell: ({ id, addressId, accountId }) => {
      const user = users.get(addressId ?? 0);
      if (user === undefined) return <Unnamed onPhones={`Payment ${id}`} />;
      return (
        <a href={BASE + customerPath({ accountId, userIdentifier: user })}>
          <Long text={user} />
        </a>
      );
    },
  };
}

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
