import { first } from "../base/lists.ts";
import { findSource, listRates, listSources } from "./list.ts";
import { assertHasPrice, rateSourceAdd, rateSourceRemove } from "./manage.ts";
import { readSource } from "./read_sources.ts";
import * as kind from "../domain/kinds.ts";
import type { NewSource } from "./rules/new_source.ts";
import { MAX_AGE_S } from "./rules/schedule.ts";
import { RATE_SOURCE_KINDS } from "./table.ts";
import { operation, optional, required, UsageError } from "../operations/operation.ts";
import { changeOrPropose } from "../operations/propose.ts";
import { rateShape, sourceShape } from "./shapes.ts";

const MAX_AGE = kind.integer(MAX_AGE_S);
const URL_CHARACTERS_MAX = 2_000;

const ADD_FLAGS = {
  base: required(kind.symbol, {
    help: "what is priced",
    example: "ETH",
    label: "Currency",
    hint: "Such as ETH",
  }),
  quote: required(kind.symbol, {
    help: "in which currency",
    example: "USD",
    label: "Priced in",
    hint: "Such as USD or EUR",
  }),
  kind: required(kind.choice(RATE_SOURCE_KINDS), {
    help: "a price that you set, a Chainlink feed, or a web page with JSON",
    example: "chainlink",
  }),
  value: optional(kind.amount, {
    help: "manual: what one unit is worth",
    example: "3000",
    label: "What one unit is worth",
    hint: "It counts until you remove it",
  }),
  network: optional(kind.networkCode, { help: "chainlink: where the feed is", example: "ETH" }),
  feed: optional(kind.text({ max: 64, word: "ADDRESS" }), {
    help: "chainlink: the address of the feed's proxy contract",
    example: "0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419",
    label: "Address of the feed's proxy contract",
    hint: "From Chainlink's own list of price feeds",
  }),
  url: optional(kind.webUrl, {
    help: "http: where the JSON is; read every half max-age",
    example: "https://prices.example.com/eth",
    label: "Address",
  }),
  pointer: optional(kind.text({ max: 200, word: "POINTER" }), {
    help: "http: the JSON pointer of the price in it",
    example: "/result/price",
    label: "JSON pointer of the price",
    hint: "Such as /result/price",
  }),
  "max-age": optional(MAX_AGE, {
    help: "chainlink and http: a price older than this many seconds doesn't count",
    example: "3600",
    label: "Oldest price that counts, in seconds",
  }),
  force: optional(kind.present, {
    help: "also if it has no price now",
    example: "",
    label: "Even if there is no price yet",
  }),
};

/** The flags of each kind, all of which it needs. */
export const NEEDED = {
  manual: ["value"],
  chainlink: ["network", "feed", "max-age"],
  http: ["url", "pointer", "max-age"],
} as const;
const OWN_FLAGS = ["value", "network", "feed", "url", "pointer", "max-age"] as const;

const LIST_RATES = operation({
  words: ["rate", "list"],
  reads: "see_gateway",
  summary: "Lists what coins are worth now, by the pairs that have sources",
  flags: {},
  examples: ["rate list"],
  columns: ["base", "quote", "value", "at", "sources"],
  run: async (context) => (await listRates(await context.deps())).map(rateShape),
});

export const ADD_RATE_SOURCE = operation({
  words: ["rate", "source", "add"],
  changes: "operate",
  summary: "Adds a source of prices and reads it once",
  flags: ADD_FLAGS,
  examples: [
    "rate source add --base ETH --quote USD --kind manual --value 3000",
    "rate source add --base ETH --quote USD --kind chainlink --network ETH --feed 0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419 --max-age 3900",
    "rate source add --base ETH --quote USD --kind http --url https://prices.example.com/eth --pointer /result/price --max-age 120",
  ],
  run: async (context, { flags }) => {
    const deps = await context.deps();
    const wanted = sourceIn(flags);
    if (!flags.force) await assertHasPrice(deps, wanted);
    return await changeOrPropose(context, rateSourceAdd, {
      wanted,
      shape: async (row) => {
        await readSource(deps, row);
        const source = await findSource(deps, row.id);
        if (source.error !== null) context.warn(`No price yet: ${source.error}`);
        return sourceShape(source, { nowMs: deps.clock.nowMs() });
      },
    });
  },
});

const LIST_RATE_SOURCES = operation({
  words: ["rate", "source", "list"],
  reads: "see_gateway",
  summary: "Lists the sources of prices, what each said last, and which fail",
  flags: {},
  examples: ["rate source list"],
  columns: [
    ...["source_id", "base", "quote", "kind", "network", "value", "at"],
    ...["fresh", "last_error"],
  ],
  run: async (context) => {
    const deps = await context.deps();
    const nowMs = deps.clock.nowMs();
    return (await listSources(deps)).map((source) => sourceShape(source, { nowMs }));
  },
});

const REMOVE_RATE_SOURCE = operation({
  words: ["rate", "source", "remove"],
  changes: "operate",
  summary: "Removes a source of prices",
  positionals: [{ name: "ID", help: "the source's id, as rate source list shows it" }],
  flags: {},
  examples: ["rate source remove 1"],
  run: async (context, { positionals }) => {
    const id = kind.recordId.read(first(positionals));
    if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a source's id`);
    return await changeOrPropose(context, rateSourceRemove, {
      wanted: { id },
      shape: () => ({ removed: id }),
    });
  },
});

export const RATE_COMMANDS = [LIST_RATES, ADD_RATE_SOURCE, LIST_RATE_SOURCES, REMOVE_RATE_SOURCE];

type Given =
  & {
    readonly [F in typeof OWN_FLAGS[number]]: string | number | undefined;
  }
  & Pick<NewSource, "base" | "quote" | "kind">;

/** Each kind has flags of its own. */
function sourceIn(flags: Given): NewSource {
  const { base, quote } = flags;
  const needed: readonly string[] = NEEDED[flags.kind];
  for (const name of OWN_FLAGS) {
    if (needed.includes(name) === (flags[name] !== undefined)) continue;
    const verb = needed.includes(name) ? "needs" : "has no";
    throw new UsageError(`--kind ${flags.kind} ${verb} --${name}`);
  }
  const text = (name: typeof OWN_FLAGS[number]) => String(flags[name]);
  const maxAgeMs = Number(flags["max-age"]) * 1000;
  if (flags.kind === "manual") return { base, quote, kind: "manual", value: text("value") };
  if (flags.kind === "chainlink") {
    const [network, feed] = [text("network"), text("feed")];
    return { base, quote, kind: "chainlink", network, feed, maxAgeMs };
  }
  if (text("url").length > URL_CHARACTERS_MAX) {
    throw new UsageError(`--url has more than ${URL_CHARACTERS_MAX} characters`);
  }
  return { base, quote, kind: "http", url: text("url"), pointer: text("pointer"), maxAgeMs };
}
