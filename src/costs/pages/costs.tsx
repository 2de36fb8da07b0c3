import { Card, Facts, Money } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Table, withQuery } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { separated } from "../../domain/money/written.ts";
import { calendarPeriod, monthOf } from "../../domain/money/period.ts";
import { theNetwork, upTo } from "../../networks/pages/network.tsx";
import { wayText } from "../rules/ways.ts";
import { type CostsShape, type CurrencyShape, type NodeShape, shownCosts } from "../shapes.ts";

const MONTHS_SHOWN = 4;

const costsPage = page({
  path: "/networks/:code/costs",
  ability: "see_gateway",
  show: async (visit) => {
    const network = await theNetwork(visit);
    const month = monthWanted(visit);
    const { shape, isBehind } = await shownCosts(visit.deps, { network, month });
    return (
      <Page
        visit={visit}
        title={`Costs on ${network.name}, ${calendarPeriod(month)?.name}`}
        up={upTo(network)}
      >
        <Months visit={visit} month={month} />
        {isBehind && <p class="message">Not everything is added up yet. Look again in a minute.</p>}
        <Card title="Sweeps">
          <Sums shape={shape} />
          <Table
            caption="Sweeps by currency"
            rows={shape.currencies}
            empty="Nothing was swept in this month"
            columns={columnsFor(shape)}
          />
          {shape.currencies.length > 0 && <p class="quiet">{EXPLAINED}</p>}
        </Card>
        <Card title="Calls that nodes answered">
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
  "equally. What the other way would have cost is an estimate: by what such sweeps cost in this " +
  "month if there were five, otherwise by what they usually take, at the price that was paid.";

function monthWanted({ query, nowMs }: Visit): string {
  const asked = query.get("month") ?? "";
  return asked.length === 7 && calendarPeriod(asked) ? asked : monthOf(nowMs);
}

const Months = ({ visit, month }: { visit: Visit; month: string }) => (
  <nav class="presets" aria-label="Month">
    {Array.from({ length: MONTHS_SHOWN }, (_, before) =>
      monthOf(visit.nowMs, before)).map((one) => (
        <a
          href={withQuery(visit, { month: one })}
          aria-current={one === month ? "true" : undefined}
        >
          {calendarPeriod(one)?.name}
        </a>
      ))}
  </nav>
);

const Sums = ({ shape }: { shape: CostsShape }) => {
  const { cost, value, value_currency, upkeep, gas_on_addresses, symbol } = shape;
  const worth = value !== null && value_currency !== null && (
    <>
      , now worth <Money amount={value} quote={value_currency} />
    </>
  );
  return (
    <Facts
      rows={[
        [
          "Cost",
          <>
            <Money amount={cost} currency={symbol} />
            {worth}
          </>,
        ],
        ["Of it, not for sweeps", <Money amount={upkeep} currency={symbol} />],
        ["Gas on addresses now", <Money amount={gas_on_addresses} currency={symbol} />],
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
      cell: ({ cost }) => <Money amount={cost} currency={symbol} />,
    },
    {
      title: "Per deposit",
      isNumber: true,
      cell: ({ cost_per_deposit: each }) => each === null ? "–" : <Money amount={each} />,
    },
    ...quote === null ? [] : [{
      title: "Worth now",
      isNumber: true,
      cell: ({ value }: CurrencyShape) => value && <Money amount={value} quote={quote} />,
    }],
    { title: "Deposits", isNumber: true, cell: ({ deposits }) => separated(`${deposits}`) },
    { title: "Sweeps", cell: sweepsText },
    { title: "The other way", cell: (row) => <Other row={row} symbol={symbol} /> },
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
  const { other_mode: mode, other_cost: cost, other_basis: basis } = row;
  if (mode === null || cost === null) return "–";
  return (
    <>
      {wayText(mode, row)} about <Money amount={cost} currency={symbol} />{" "}
      <small>{basis === "measured" ? "as measured" : "by usual figures"}</small>
    </>
  );
};

const NODE_COLUMNS: readonly Column<NodeShape>[] = [
  { title: "Node", at: "title", cell: ({ node }) => node },
  {
    title: "Calls a day",
    isNumber: true,
    at: "amount",
    cell: ({ calls_a_day: calls }) => countText(calls),
  },
  { title: "Most in a day", isNumber: true, cell: ({ calls_most: calls }) => countText(calls) },
  { title: "Today", isNumber: true, cell: ({ calls_today: calls }) => countText(calls) },
];

function countText(calls: number | null): string {
  return calls === null ? "–" : separated(`${calls}`);
}

export const COST_ROUTES = [costsPage];
