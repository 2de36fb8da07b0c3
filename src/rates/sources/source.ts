import type { Deps } from "../../deps/deps.ts";
import * as kind from "../../domain/kinds.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import type { Pair } from "../rules/rate_of.ts";
import type { Reading } from "../rules/reading.ts";
import { MAX_AGE_S } from "../rules/schedule.ts";
import type { RateSourceRow } from "../table.ts";

/**
 * A kind of source: what it needs, and how its price is read. The flags of `rate source add`, the
 * form, proposals and the schedule follow from it.
 */
export interface SourceKind<
  N extends string = string,
  F extends Fields = Fields,
  O extends Place = Place,
> {
  /** Stored with each of its sources, so it never changes. */
  readonly name: N;
  /** "a web page with JSON" */
  readonly what: string;
  /** In the list of sources. */
  readonly short: string;
  /** By the names of the flags. What several kinds need is one field, such as `MAX_AGE`. */
  readonly fields: F;
  /** What the form has at first, and an example that differs from the field's. */
  readonly usual: { readonly [name in keyof F]?: string };
  /** What can be chosen in the form, by field, if the field doesn't say it. */
  choices?(catalog: Catalog): Readonly<Record<string, readonly Choice[]>>;
  /** What is stored of it. Proposals have it too, so its shape never changes. */
  order(given: Given<F>): O;
  /** Refuses what can't work, and spells the rest as it is stored. */
  checked(deps: Deps, order: Pair & O): O | Promise<O>;
  /** Where it has its prices from, in a few words. */
  originOf(order: Pair & O): string;
  /**
   * Undefined: its price is the one that it was added with, which doesn't get old. It names only the
   * columns that it uses, without `Pair`, or the compiler takes `O` from here.
   */
  readonly reads?: Reads<Pair & O>;
  /** Those that are read without being added. */
  presets?(catalog: Catalog): readonly (Pair & O)[];
}

export interface Reads<S> {
  /** What its price is stored as; sources with the same share it. If absent, each has its own. */
  readAs?(source: S): string;
  /** Sources with the same are read at once. It is logged. If absent, each is read alone. */
  together?(source: S): string;
  /** If absent, twice within the age that counts. */
  readonly everyMs?: number;
  /** One price or fault for each. */
  prices(deps: Deps, sources: readonly S[]): Promise<readonly Reading[]>;
}

/** The columns of a source that are its kind's; the others are null. */
export type Place = { readonly [column in keyof typeof NOTHING]?: RateSourceRow[column] };

export const NOTHING = {
  ...{ value: null, network: null, feed: null, url: null, pointer: null, maxAgeMs: null },
};

type Fields = Readonly<Record<string, Field>>;

interface Field {
  readonly kind: kind.Kind<unknown>;
  readonly help: string;
  readonly example: string;
  /** What the form calls it; if not given, by its name. */
  readonly label?: string;
  readonly hint?: string;
  readonly charsMax?: number;
  readonly isOptional?: true;
}

type Given<F> = { readonly [name in keyof F]: ValueOf<F[name]> };

type ValueOf<F> = F extends { readonly kind: kind.Kind<infer T> }
  ? F extends { readonly isOptional: true } ? T | undefined : T
  : never;

interface Choice {
  readonly value: string;
  readonly label: string;
}

const SECONDS = kind.integer(MAX_AGE_S);

/** In milliseconds, as it is stored. */
const AGE: kind.Kind<number> = {
  ...SECONDS,
  read: (text) => {
    const seconds = SECONDS.read(text);
    return seconds === undefined ? undefined : seconds * 1000;
  },
};

export const MAX_AGE = {
  kind: AGE,
  help: "a price older than this many seconds doesn't count; pages are read every half of it",
  example: "3600",
  label: "Oldest price that counts, in seconds",
};

/** Checked, with the types of its own fields. */
export function sourceKind<const N extends string, const F extends Fields, O extends Place>(
  declared: SourceKind<N, F, O>,
): SourceKind<N, F, O> {
  return declared;
}
