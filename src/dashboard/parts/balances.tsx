import type { Component } from "../../base/html.ts";
import type { AssetBalance, TotalBalances } from "../../accounts/total_balances.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { available } from "../../domain/money/balance.ts";
import { isoUtc } from "../../domain/time.ts";
import { BASE, type Visit } from "../visit.ts";
import { networkColumn } from "./columns.tsx";
import { Card, Money } from "./facts.tsx";
import { type Column, Table } from "./table.tsx";

const TOTALLED_ID = "balances-at";

const columnsFor = (visit: Visit): readonly Column<AssetBalance>[] => [
  { title: "Currency", cell: ({ currency }) => <strong>{currency}</strong> },
  networkColumn(visit),
  {
    title: "Balance",
    isNumber: true,
    isMixed: true,
    cell: (row) => <Money amount={row.balance} id={figureId("balance", row)} />,
  },
  {
    title: "Held",
    isNumber: true,
    isMixed: true,
    cell: (row) => <Money amount={row.held} id={figureId("held", row)} />,
  },
  {
    title: "Available",
    isNumber: true,
    isMixed: true,
    cell: (row) => <Money amount={availableOf(row)} id={figureId("available", row)} />,
  },
];

export const BalanceTable: Component<{ visit: Visit; rows: readonly AssetBalance[] }> = (
  { visit, rows },
) => <Table caption="Balances" rows={rows} empty="No balances yet" columns={columnsFor(visit)} />;

export function availableOf(row: AssetBalance): string {
  const name = assetOf(row);
  const [balance, held] = [Amount.parse(row.balance, name), Amount.parse(row.held, name)];
  return available({ balance, held }).toString();
}

export const BalanceCard: Component<{ visit: Visit; balances: TotalBalances }> = (
  { visit, balances },
) => {
  const totalled = totalledText(balances);
  return (
    <Card
      title="Balances"
      actions={totalled && <span class="quiet" id={TOTALLED_ID}>{totalled}</span>}
    >
      {balances.rows ? <BalanceTable visit={visit} rows={balances.rows} /> : (
        <p>
          There are too many to add up here. Open an <a href={`${BASE}/accounts`}>account</a>{" "}
          to see its balances.
        </p>
      )}
    </Card>
  );
};

/** If there are many, the sum is not current, so its time is shown. */
function totalledText({ rows, atMs }: TotalBalances): string | undefined {
  if (!rows || atMs === undefined) return undefined;
  return `As of ${isoUtc(atMs).slice(11, 19)} UTC`;
}

/** The same figures by element id, for an open page. */
export function balanceFigures(balances: TotalBalances): Record<string, string> {
  const figures = (balances.rows ?? []).flatMap((row) => [
    [figureId("balance", row), row.balance],
    [figureId("held", row), row.held],
    [figureId("available", row), availableOf(row)],
  ]);
  return { ...Object.fromEntries(figures), [TOTALLED_ID]: totalledText(balances) ?? "" };
}

function figureId(name: string, row: AssetBalance): string {
  return `${name}-${assetOf(row)}`;
}
