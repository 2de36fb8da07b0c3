import type { World } from "../networks/rules/world.ts";
import { Lru } from "../base/lru.ts";
import type { PricedSource, Rate } from "./rules/rate_of.ts";
import type { RateSourceRow } from "./table.ts";

/** A source as an operator added it, or as a network's preset has it. */
export interface KnownSource extends PricedSource {
  /** Null: a preset's. */
  readonly id: number | null;
  readonly kind: RateSourceRow["kind"];
  readonly network: string | null;
  readonly feed: string | null;
  readonly url: string | null;
  readonly pointer: string | null;
  /** What its prices are stored as; null: it has one price, which somebody set. */
  readonly readAs: string | null;
  readonly error: string | null;
  readonly failingSinceMs: number | null;
  /** A feed on a test network, whose prices only test coins have. */
  readonly isTest: boolean;
}

/** All sources with their newest prices, as of a moment ago. */
export interface KnownRates {
  readonly readAtMs: number;
  readonly sources: readonly KnownSource[];
  /** Those that count, by world. */
  readonly of: Readonly<Record<World, readonly KnownSource[]>>;
  /** All that any of these names, in capitals. */
  readonly symbols: Readonly<Record<World, ReadonlySet<string>>>;
}

export interface RatesMemory {
  /** What sources last said; undefined: to be read again. */
  known: KnownRates | undefined;
  reading: Promise<KnownRates> | undefined;
  /** The sources that the audit log knows, up to one of its rows. */
  added: { readonly toId: number; readonly ids: ReadonlySet<number> };
  /** Worked out once for all who ask for the same pair. */
  lately: RatesAt | undefined;
  /** By pair: when its missing rate was last reported. */
  readonly missing: Lru<string, number>;
}

/** The rates of a time in which no price becomes fresh or stale. */
interface RatesAt {
  readonly known: KnownRates;
  readonly fromMs: number;
  /** Exclusive. */
  readonly untilMs: number;
  /** By world and pair. */
  readonly rates: Map<string, Rate | null>;
}

const MISSING_MAX = 1_000;

export function createRatesMemory(): RatesMemory {
  return {
    known: undefined,
    reading: undefined,
    lately: undefined,
    added: { toId: 0, ids: new Set() },
    missing: new Lru(MISSING_MAX),
  };
}
