import { first } from "../base/lists.ts";
import { findSource, listRates, listSources } from "./list.ts";
import { assertHasPrice, rateSourceAdd, rateSourceRemove } from "./manage.ts";
import { readSources } from "./read_sources.ts";
import * as kind from "../domain/kinds.ts";
import { kindOfNew, type NewSource, SOURCE_KINDS } from "./sources/kinds.ts";
import type { SourceKind } from "./sources/source.ts";
import {
  type Flag,
  type Flags,
  type FlagValues,
  operation,
  optional,
  required,
  UsageError,
} from "../operations/operation.ts";
import { changeOrPropose } from "../operations/propose.ts";
import { rateShape, sourceShape } from "./shapes.ts";

interface AddFlags extends Flags {
  readonly base: Flag<string, "required">;
  readonly quote: Flag<string, "required">;
  readonly kind: Flag<string, "required">;
  readonly force: Flag<boolean, "optional">;
}

const OWN_FLAGS = ownFlags();
const ADD_FLAGS: AddFlags = {
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
  kind: required(kind.choice(SOURCE_KINDS.map(({ name }) => name)), {
    help: anyOf(SOURCE_KINDS.map(({ what }) => what)),
    example: "chainlink",
  }),
  ...OWN_FLAGS,
  force: optional(kind.present, {
    help: "also if it has no price now",
    example: "",
    label: "Even if there is no price yet",
  }),
};

/** Of one kind each, then those that several kinds share. */
function ownFlags(): Flags {
  const fields = SOURCE_KINDS.flatMap(({ name: of, fields }) =>
    Object.entries(fields).map(([name, field]) => ({ name, of, field }))
  );
  const flags = Array.from(Map.groupBy(fields, ({ name }) => name), ([name, uses]) => ({
    ...{ name, uses: uses.length, field: first(uses).field },
    of: allOf(uses.map(({ of }) => of)),
  }));
  const inOrder = flags.toSorted((a, b) => Math.min(a.uses, 2) - Math.min(b.uses, 2));
  return Object.fromEntries(inOrder.map(({ name, of, field: { kind, ...text } }) => [
    name,
    optional(kind, { ...text, help: `${of}: ${text.help}` }),
  ]));
}

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
  examples: SOURCE_KINDS.map(exampleOf),
  run: async (context, { flags }) => {
    const deps = await context.deps();
    const wanted = sourceIn(flags);
    if (!flags.force) await assertHasPrice(deps, wanted);
    return await changeOrPropose(context, rateSourceAdd, {
      wanted,
      shape: async (row) => {
        await readSources(deps, [row]);
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

export const REMOVE_RATE_SOURCE = operation({
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
      shape: (row) => ({ removed: id, ...row && { base: row.base, quote: row.quote } }),
    });
  },
});

export const RATE_COMMANDS = [LIST_RATES, ADD_RATE_SOURCE, LIST_RATE_SOURCES, REMOVE_RATE_SOURCE];

/** "a, b and c" */
function allOf(names: readonly string[]): string {
  return new Intl.ListFormat("en-GB").format(names);
}

/** "a, b, or c" */
function anyOf(names: readonly string[]): string {
  return new Intl.ListFormat("en-US", { type: "disjunction" }).format(names);
}

function exampleOf({ name, fields, usual }: SourceKind): string {
  const needed = Object.entries(fields).filter(([, { isOptional }]) => !isOptional);
  const flags = needed.map(([flag, { example }]) => `--${flag} ${usual[flag] ?? example}`);
  return ["rate source add --base ETH --quote USD --kind", name, ...flags].join(" ");
}

/** Each kind has flags of its own. */
function sourceIn(flags: FlagValues<AddFlags>): NewSource {
  const { base, quote } = flags;
  const { name: kind, fields, order } = kindOfNew(flags);
  for (const flag of Object.keys(OWN_FLAGS)) {
    const field = fields[flag];
    const isGiven = flags[flag] !== undefined;
    if (isGiven && !field) throw new UsageError(`--kind ${kind} has no --${flag}`);
    if (!isGiven && field && !field.isOptional) {
      throw new UsageError(`--kind ${kind} needs --${flag}`);
    }
  }
  for (const [flag, { charsMax = Infinity }] of Object.entries(fields)) {
    if (String(flags[flag]).length <= charsMax) continue;
    throw new UsageError(`--${flag} has more than ${charsMax} characters`);
  }
  return { base, quote, kind, ...order(flags) } as NewSource;
}
