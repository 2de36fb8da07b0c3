import { first } from "../base/lists.ts";
import { findNetwork } from "../books/find.ts";
import { familyOf } from "../chains/registry.ts";
import type { Kind } from "../domain/kinds.ts";
import { calendarPeriod, monthOf } from "../domain/money/period.ts";
import { aboutText } from "../domain/money/written.ts";
import { operation, optional, type Screen, UsageError } from "../operations/operation.ts";
import { renderAnswer } from "../operations/screen/render.ts";
import { paragraph } from "../operations/screen/screen.ts";
import { type CostsShape, type CurrencyShape, type NodeShape, shownCosts } from "./shapes.ts";
import { basisText, wayText } from "./rules/ways.ts";

const MONTH: Kind<string> = {
  word: "YYYY-MM",
  is: "a month such as 2026-11",
  read: (text) => text.length === 7 && calendarPeriod(text) ? text : undefined,
};

export const NETWORK_COSTS = operation({
  words: ["network", "costs"],
  reads: "see_gateway",
  summary: "Shows what the sweeps of a month cost, and how many calls a day each node answers",
  positionals: [{ name: "CODE", help: "the network's code, such as ETH" }],
  flags: {
    month: optional(MONTH, { help: "in UTC; this month if not given", example: "2026-11" }),
  },
  examples: ["network costs ETH", "network costs ETH --month 2026-11"],
  run: async (context, { flags, positionals }) => {
    const deps = await context.deps();
    const network = await findNetwork(deps, first(positionals));
    const now = monthOf(deps.clock.nowMs());
    const month = flags.month ?? now;
    if (month > now) throw new UsageError(`${month} hasn't begun: this month is ${now} (UTC)`);
    const { shape, isBehind } = await shownCosts(deps, { network, month });
    if (isBehind) context.warn("not everything is added up yet: ask again in a minute");
    const { besides } = familyOf(network.family).usualSweeps;
    context.answer(shape, (screen) => costsText(shape, { besides, screen }));
  },
});

function costsText(shape: CostsShape, { besides, screen }: { besides: string; screen: Screen }) {
  const { network, month, symbol, currencies, nodes, value } = shape;
  const [cost, upkeep, gas] = [shape.cost, shape.upkeep, shape.gas_on_addresses].map((amount) =>
    `${aboutText(amount)} ${symbol}`
  );
  const worth = value === null ? "" : `, worth ${aboutText(value)} ${shape.value_currency} now`;
  const others = currencies.flatMap((row) => {
    const { currency, other_mode: mode, other_cost: other } = row;
    if (mode === null || other === null) return [];
    const about = `about ${aboutText(other)} ${symbol} (${basisText(row)})`;
    return [`${currency}: all ${wayText(mode, row)}, they would have cost ${about}`];
  });
  const parts = [
    paragraph(`Collecting on ${network} in ${month} cost ${cost}${worth}`, screen),
    shape.upkeep === "0"
      ? ""
      : paragraph(`Of it, ${upkeep} was for other things, such as ${besides}`, screen),
    currencies.length === 0
      ? ""
      : renderAnswer(currencies.map(costRow), { columns: COST_COLUMNS, screen }),
    ...others.map((line) => paragraph(line, screen)),
    paragraph(`Gas left on deposit addresses: ${gas}`, screen),
    nodes.length === 0 ? "" : renderAnswer(nodes.map(callsRow), { columns: CALL_COLUMNS, screen }),
  ];
  return parts.filter((part) => part !== "").join("");
}

const COST_COLUMNS = ["currency", "sweeps", "deposits", "cost", "cost_per_deposit"];

function costRow({ cost, cost_per_deposit: each, ...row }: CurrencyShape) {
  return {
    ...row,
    cost: aboutText(cost),
    cost_per_deposit: each === null ? null : aboutText(each),
  };
}

const CALL_COLUMNS = ["node", "calls_a_day,_on_average", "busiest_day", "today"];

function callsRow({ node, calls_a_day, calls_most, calls_today }: NodeShape) {
  return {
    node,
    "calls_a_day,_on_average": calls_a_day,
    busiest_day: calls_most,
    today: calls_today,
  };
}
