import * as kind from "../../domain/kinds.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { isPrice } from "../rules/price.ts";
import { sourceKind } from "./source.ts";

export const MANUAL = sourceKind({
  name: "manual",
  what: "a price that you set",
  short: "Set by hand",
  fields: {
    value: {
      kind: kind.amount,
      help: "what one unit is worth",
      example: "3000",
      label: "What one unit is worth",
      hint: "It counts until you remove it",
    },
  },
  usual: {},
  order: ({ value }) => ({ value }),
  checked: (_, order) => {
    if (!isPrice(order.value)) throw refuse("rate_value_wrong", { value: order.value });
    return order;
  },
  originOf: ({ value }) => `the price ${value}, which doesn't get old`,
});
