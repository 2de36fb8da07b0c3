import type { Component } from "../../base/html.ts";
import { Amount, assetOf } from "../../domain/amount.ts";
import { available } from "../../domain/balance.ts";
import type { BalanceRow } from "../../store/rows.ts";
import { Money } from "./facts.tsx";
import { Table } from "./table.tsx";

export type AssetBalance = Pick<BalanceRow, "network" | "currency" | "balance" | "held">;

export const BalanceTable: Component<{ rows: readonly AssetBalance[] }> = ({ rows }) => (
  <Table
    caption="Balances"
    rows={rows}
    empty="Nothing was credited yet"
    columns={[
      { title: "Currency", cell: ({ currency }) => <strong>{currency}</strong> },
      { title: "Network", cell: ({ network }) => network },
      {
        title: "Balance",
        isNumber: true,
        cell: (row) => <Money amount={row.balance} id={figureId("balance", row)} />,
      },
      {
        title: "Held",
        isNumber: true,
        cell: (row) => <Money amount={row.held} id={figureId("held", row)} />,
      },
      {
        title: "Available",
        isNumber: true,
        cell: (row) => <Money amount={availableOf(row)} id={figureId("available", row)} />,
      },
    ]}
  />
);

export function availableOf(row: AssetBalance): string {
  const name = assetOf(row);
  const [balance, held] = [Amount.parse(row.balance, name), Amount.parse(row.held, name)];
  return available({ balance, held }).toString();
}

/** The same under the same ids, for a page that is open. */
export function balanceFigures(rows: readonly AssetBalance[]): Record<string, string> {
  return Object.fromEntries(rows.flatMap((row) => [
    [figureId("balance", row), row.balance],
    [figureId("held", row), row.held],
    [figureId("available", row), availableOf(row)],
  ]));
}

/** All accounts together, exactly. */
export function sumByAsset(rows: readonly BalanceRow[]): AssetBalance[] {
  const groups = Map.groupBy(rows, assetOf);
  return [...groups].map(([name, some]) => {
    const sum = (pick: "balance" | "held") =>
      some.reduce((total, row) => total.plus(Amount.parse(row[pick], name)), Amount.zero(name));
    const { network, currency } = some[0]!;
    const [balance, held] = [sum("balance").toString(), sum("held").toString()];
    return { network, currency, balance, held };
  }).toSorted((a, b) => assetOf(a) < assetOf(b) ? -1 : 1);
}

function figureId(name: string, row: AssetBalance): string {
  return `${name}-${assetOf(row)}`;
}
