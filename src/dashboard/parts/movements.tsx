import type { Catalog } from "../../store/engine/catalog.ts";
import type { TransactionRow } from "../../store/tables/transactions.ts";
import { addressUrl, transactionUrl } from "../explorers.ts";
import { BASE, type Visit } from "../visit.ts";
import { Hash, Money, Status, Time } from "./facts.tsx";
import type { Column } from "./table.tsx";

interface Seen {
  readonly visit: Visit;
  readonly catalog: Catalog;
  readonly topHeights: ReadonlyMap<string, number>;
}

/** Shown to operators only. */
export function accountColumn<Row extends { readonly accountId: number | null }>(
  visit: Visit,
): Column<Row>[] {
  if (!visit.isOperator) return [];
  return [{
    title: "Account",
    isMinor: true,
    cell: ({ accountId }) =>
      accountId === null ? "–" : <a href={`${BASE}/accounts/${accountId}`}>{accountId}</a>,
  }];
}

/** Without `users` for all directions, with them for deposits only. */
export function movementColumns(
  { visit, catalog, topHeights }: Seen,
  { users }: { users?: ReadonlyMap<number, string> } = {},
): Column<TransactionRow>[] {
  const user: Column<TransactionRow> = {
    title: "User",
    isMinor: true,
    cell: ({ addressId }) => users?.get(addressId ?? 0) ?? <span class="quiet">–</span>,
  };
  return [
    {
      title: "Id",
      isMinor: users === undefined,
      isNumber: true,
      cell: ({ id, direction }) =>
        direction === "deposit" ? <a href={`${BASE}/deposits/${id}`}>{id}</a> : id,
    },
    { title: "Detected (UTC)", cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
    ...accountColumn<TransactionRow>(visit),
    users ? user : { title: "Type", cell: (row) => <DirectionLink row={row} /> },
    { title: "Network", isMinor: true, cell: ({ network }) => network },
    {
      title: "Amount",
      isNumber: true,
      cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    },
    {
      title: "Status",
      cell: (row) => (
        <>
          <Status value={row.status} />{" "}
          <Progress row={row} catalog={catalog} topHeights={topHeights} />
          {row.isBelowMinimum && <Status value="below minimum" />}
        </>
      ),
    },
    {
      title: "Transaction",
      cell: ({ network, txHash }) => (
        <Hash text={txHash} href={transactionUrl(catalog.network(network), txHash)} />
      ),
    },
    {
      title: "Address",
      isMinor: true,
      cell: ({ network, toAddress }) => (
        <Hash text={toAddress} href={addressUrl(catalog.network(network), toAddress)} />
      ),
    },
  ];
}

const DirectionLink = (
  { row: { id, direction, withdrawalId, sweepId } }: { row: TransactionRow },
) => {
  const text = direction.replaceAll("_", " ");
  if (direction === "deposit") return <a href={`${BASE}/deposits/${id}`}>{text}</a>;
  if (withdrawalId !== null) return <a href={`${BASE}/withdrawals/${withdrawalId}`}>{text}</a>;
  return sweepId === null ? <>{text}</> : <a href={`${BASE}/sweeps/${sweepId}`}>{text}</a>;
};

/** Shown until it is final. */
const Progress = (
  { row, catalog, topHeights }: {
    row: TransactionRow;
    catalog: Catalog;
    topHeights: ReadonlyMap<string, number>;
  },
) => {
  const network = catalog.network(row.network);
  if (row.status !== "detected" || !network) return null;
  const depth = confirmationsOf(row, topHeights);
  return <span class="quiet small">{`${depth} of ${network.minConfirmations} blocks`}</span>;
};

export function confirmationsOf(
  { blockHash, blockNumber, network }: TransactionRow,
  topHeights: ReadonlyMap<string, number>,
): number {
  const top = topHeights.get(network);
  return blockHash === null || top === undefined ? 0 : Math.max(0, top - blockNumber + 1);
}
