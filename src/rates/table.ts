import { defineTable, int, type RowOf, text } from "../store/tables/table.ts";

/** Only ever added and removed. */
export const RateSources = defineTable("rate_sources", {
  columns: {
    id: int(),
    base: text(),
    quote: text(),
    /** One of `sources/`. */
    kind: text(),
    value: text().orNull(),
    network: text().orNull(),
    feed: text().orNull(),
    url: text().orNull(),
    pointer: text().orNull(),
    /** Null: a price that somebody set doesn't get old. */
    maxAgeMs: int().orNull(),
    createdAtMs: int(),
  },
  primary: ["id"],
  isSerial: true,
  isGuarded: true,
  sealedExcept: [],
});
export type RateSourceRow = RowOf<typeof RateSources>;

/** The newest price of a feed or source. One that fails keeps its last price, which gets old. */
export const RateReadings = defineTable("rate_readings", {
  columns: {
    /** "ETH/0x5f4e…" for a feed, which several sources may use, or "http/3". */
    source: text(),
    value: text().orNull(),
    atMs: int().orNull(),
    error: text().orNull(),
    failingSinceMs: int().orNull(),
  },
  primary: ["source"],
  sealedExcept: [],
});
export type RateReadingRow = RowOf<typeof RateReadings>;

export const RATE_TABLES = [RateSources, RateReadings];
