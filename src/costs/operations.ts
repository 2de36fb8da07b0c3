import { first } from "../base/lists.ts";
import { findNetwork } from "../books/find.ts";
import type { Kind } from "../domain/kinds.ts";
import { calendarPeriod, monthOf } from "../domain/money/period.ts";
import { operation, optional, type Screen } from "../operations/operation.ts";
import { renderAnswer } from "../operations/screen/render.ts";
import { paragraph } from "../operations/screen/screen.ts";
import { type CostsShape, shownCosts } from "./shapes.ts";
import { wayText } from "./rules/ways.ts";

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
    const month = flags.month ?? monthOf(deps.clock.nowMs());
    const { shape, isBehind } = await shownCosts(deps, { network, month });
    if (isBehind) context.warn("not everything is added up yet: ask again in a minute");
    context.answer(shape, (screen) => costsText(shape, screen));
  },
});

function costsText(shape: CostsShape, screen: Screen): string {
  const { network, month, symbol, currencies, nodes, upkeep, cost, gas_on_addresses } = shape;
  const worth = shape.value === null ? "" : `, ${shape.value} ${shape.value_currency} now`;
  const columns = ["currency", "sweeps", "deposits", "cost", "cost_per_deposit"];
  const others = currencies.flatMap((row) => {
    const { currency, other_mode: mode, other_cost, other_basis } = row;
    if (mode === null) return [];
    const by = other_basis === "measured" ? "what such sweeps cost this month" : "usual figures";
    return [
      `${currency}: ${
        wayText(mode, row)
      }, they would have cost about ${other_cost} ${symbol}, by ${by}`,
    ];
  });
  const parts = [
    paragraph(`Sweeps on ${network} in ${month} cost ${cost} ${symbol}${worth}`, screen),
    currencies.length === 0 ? "" : renderAnswer(currencies, { columns, screen }),
    ...others.map((line) => paragraph(line, screen)),
    upkeep === "0" ? "" : paragraph(`Of it, ${upkeep} ${symbol} were for no currency`, screen),
    paragraph(`On deposit addresses lie ${gas_on_addresses} ${symbol} as gas`, screen),
    nodes.length === 0 ? "" : renderAnswer(nodes, {
      columns: ["node", "calls_a_day", "calls_most", "calls_today"],
      screen,
    }),
  ];
  return parts.filter((part) => part !== "").join("");
}
