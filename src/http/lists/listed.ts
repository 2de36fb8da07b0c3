import { z } from "zod";
import type { Deps } from "../../deps/deps.ts";
import {
  type Filter,
  filtersOf,
  type List,
  rowsOf,
  type Values,
} from "../../operations/lists/list.ts";
import { text } from "../body_schema.ts";
import type { Endpoint } from "../endpoint.ts";
import type { AnyRow } from "../../store/tables/table.ts";
import * as wire from "../../domain/wire.ts";
import * as fields from "./fields.ts";
import { list } from "./list.ts";

type About = Parameters<typeof list>[0];

interface Listed<Row> extends Omit<About, "query" | "page"> {
  readonly of: List<Row & AnyRow>;
  readonly entries: (
    deps: Deps,
    rows: readonly Row[],
    values: Values,
  ) => readonly object[] | Promise<readonly object[]>;
}

/** A declared list, with those of its filters that the API has. */
export function listed<Row extends { readonly id: number }>(
  { of, entries, ...about }: Listed<Row>,
): Endpoint {
  const named = filtersOf(of).filter(([, { api }]) => api !== undefined);
  const query = named.map(([, filter]) => [filter.api!, schemaOf(filter)] as const);
  return list({
    ...about,
    query: z.object(Object.fromEntries(query)),
    page: async (deps, { query, ...asked }) => {
      const said = query as Values;
      const values = Object.fromEntries(named.map(([name, { api }]) => [name, said[api!]]));
      const { rows, next } = await rowsOf(deps, of, { ...asked, values });
      return { rows: await entries(deps, rows, values), next };
    },
  });
}

function schemaOf({ kind, about = "" }: Filter<unknown>): z.ZodType {
  switch (kind.type) {
    case "choice":
      return fields.oneOf(kind.values ?? []);
    case "network":
      return wire.NetworkFilter.optional();
    case "currency":
      return wire.CurrencyFilter.optional();
    case "from":
      return fields.from;
    case "until":
      return fields.until;
    case "address":
      return fields.address;
    case "hash":
      return fields.txHash;
    case "linked":
      return fields.invoiceId;
    case "text":
      return text({ max: kind.max! }).optional().meta({ description: about });
    case "search":
    case "flag":
      throw new Error("The API has no such filters");
  }
}
