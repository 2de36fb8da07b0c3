import { Card, Facts, Money } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Table, withQuery } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { separated } from "../../domain/money/written.ts";
import { hasOutputs } from "../../networks/fitting.ts";
import { present } from "../../base/assert.ts";
import { familyOf } from "../../chains/registry.ts";
import { calendarPeriod, monthOf } from "../../domain/money/period.ts";
import { theNetwork, upTo } from "../../networks/pages/network.tsx";
import { monthsToShow } from "../of_month.ts";
import { basisText, wayText } from "../rules/ways.ts";
import { type CostsShape, type CurrencyShape, type NodeShape, shownCosts } from "../shapes.ts";

const costsPage = page({
  path: "/networks/:code/costs",
  ability: "see_gateway",
  show: async (visit) => {
    const network = await theNetwork(visit);
    const month = monthWanted(visit);
    const { deps, nowMs } = visit;
    const [{ shape, isBehind }, months] = await Promise.all([
      shownCosts(deps, { network, month }),
      monthsToShow(deps.db, { network: network.code, nowMs }),
    ]);
    const { name } = present(calendarPeriod(month), "A month was asked for");
    const { besides } = familyOf(network.family).usualSweeps;
    const hasGas = !hasOutputs(network);
    return (
      <Page
        visit={visit}
        title="Costs and calls"
        up={upTo(network)}
      >
        <Months visit={visit} months={months} month={month} />
        {isBehind && <p class="message">Not everything is added up yet. Look again in a minute.</p>}
        <Card title={`Sweeps in ${name}`}>
          <Sums shape={shape} besides={besides} hasGas={hasGas} />
          <Table
            caption="Sweeps by currency"
            rows={shape.currencies}
            empty="Nothing was swept in this month"
            columns={columnsFor(shape)}
          />
          {shape.currencies.length > 0 && (
            <p class="quiet">{hasGas ? EXPLAINED : EXPLAINED_JOINTLY}</p>
          )}
        </Card>
        <Card title={`Calls that nodes answered in ${name}`}>
          <Table
            caption="Calls that nodes answered"
            rows={shape.nodes}
            empty="None were counted in this month; days are kept for 40 days"
            columns={NODE_COLUMNS}
          />
        </Card>
      </Page>
    );
  },
});

const EXPLAINED =
  "A sweep costs its network fee and that of the gas sent for it; a shared transaction is divided " +
  "equally. What another way would have cost is an estimate.";

const EXPLAINED_JOINTLY =
  "A sweep costs its part of its transaction's fee. What another way would have cost is an estimate.";

function monthWanted({ query, nowMs }: Visit): string {
  const asked = query.get("month") ?? "";
  const now = monthOf(nowMs);
  return asked.length === 7 && calendarPeriod(asked) && asked < now ? asked : now;
}

interface MonthsProps {
  readonly visit: Visit;
  readonly months: readonly string[];
  readonly month: string;
}

const Months = ({ visit, months, month }: MonthsProps) => (
  <nav class="presets" aria-label="Month">
    {months.map((one) => (
      <a
        href={withQuery(visit, { month: one })}
        aria-current={one === month ? "true" : undefined}
      >
        {calendarPeriod(one)?.name}
      </a>
    ))}
  </nav>
);

interface SumsProps {
  readonly shape: CostsShape;
  readonly besides: string;
  /** Sweeps are sent gas. */
  readonly hasGas: boolean;
}

const Sums = ({ shape, besides, hasGas }: SumsProps) => {
  const { cost, value, value_currency, upkeep, gas_on_addresses, symbol } = shape;
  const worth = value !== null && value_currency !== null && (
    <>
      , now worth <Money amount={value} quote={value_currency} isRounded />
    </>
  );
  return (
    <Facts
      rows={[
        [
          "Cost",
          <>
            <Money amount={cost} currency={symbol} isRounded />
            {worth}
          </>,
        ],
        ...upkeep === "0" ? [] : [
          [
            "Of it, not for sweeps",
            <>
              <Money amount={upkeep} currency={symbol} isRounded />, such as {besides}
            </>,
          ] as const,
        ],
        ...hasGas
          ? [
            [
              "Gas left on deposit addresses",
              <Money amount={gas_on_addresses} currency={symbol} />,
            ] as const,
          ]
          : [],
      ]}
    />
  );
};

function columnsFor({ symbol, value_currency: quote }: CostsShape): Column<CurrencyShape>[] {
  return [
    { title: "Currency", at: "title", cell: ({ currency }) => <strong>{currency}</strong> },
    {
      title: "Cost",
      isNumber: true,
      at: "amount",
      cell: ({ cost }) => <Money amount={cost} currency={symbol} isRounded />,
    },
    {
      title: "Per deposit",
      isNumber: true,
      cell: ({ cost_per_deposit: each }) =>
        each === null ? "–" : <Money amount={each} currency={symbol} isRounded />,
    },
    ...quote === null ? [] : [{
      title: "Worth now",
      isNumber: true,
      cell: ({ value }: CurrencyShape) => value && <Money amount={value} quote={quote} isRounded />,
    }],
    { title: "Deposits", isNumber: true, cell: ({ deposits }) => separated(`${deposits}`) },
    { title: "Sweeps", cell: sweepsText },
    { title: "Instead", cell: (row) => <Other row={row} symbol={symbol} /> },
  ];
}

function sweepsText(row: CurrencyShape): string {
  const { single, batch, lent } = row;
  const parts = [["single", single], ["batch", batch], ["lent", lent]] as const;
  return parts.filter(([, count]) => count > 0)
    .map(([way, count]) => `${separated(`${count}`)} ${wayText(way, row)}`)
    .join(", ") || "–";
}

const Other = ({ row, symbol }: { row: CurrencyShape; symbol: string }) => {
  const { other_mode: mode, other_cost: cost } = row;
  if (mode === null || cost === null) return "–";
  return (
    <>
      All {wayText(mode, row)}: about <Money amount={cost} currency={symbol} isRounded />{" "}
      <small>{basisText(row)}</small>
    </>
  );
};

const NODE_COLUMNS: readonly Column<NodeShape>[] = [
  { title: "Node", at: "title", cell: ({ node }) => node },
  {
    title: "A day, on average",
    isNumber: true,
    cell: ({ calls_a_day: calls }) => countText(calls),
  },
  { title: "Busiest day", isNumber: true, cell: ({ calls_most: calls }) => countText(calls) },
  { title: "Today", isNumber: true, cell: ({ calls_today: calls }) => countText(calls) },
];

function countText(calls: number | null): string {
  return calls === null ? "–" : separated(`${calls}`);
}

export const COST_ROUTES = [costsPage];
