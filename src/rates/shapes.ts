import type { KnownSource } from "./known.ts";
import type { ListedRate } from "./list.ts";
import { isFresh } from "./rules/rate_of.ts";
import { originInWords } from "./sources/kinds.ts";
import { isoUtc, isoUtcOrNull } from "../domain/time.ts";

export function rateShape({ base, quote, rate, sources, isTest }: ListedRate) {
  const at = isoUtcOrNull(rate?.atMs ?? null);
  return { base, quote, value: rate?.value ?? null, at, sources, test: isTest };
}

export function sourceShape(source: KnownSource, { nowMs }: { nowMs: number }) {
  const { price, error, failingSinceMs, maxAgeMs } = source;
  const origin = originInWords(source);
  return {
    source_id: source.id,
    base: source.base,
    quote: source.quote,
    kind: source.kind,
    preset: source.isPreset,
    network: source.network,
    feed: source.feed,
    url: source.url,
    pointer: source.pointer,
    ...origin === undefined ? {} : { origin },
    max_age_seconds: maxAgeMs === null ? null : maxAgeMs / 1000,
    value: price?.value ?? null,
    at: price && isoUtc(price.atMs),
    fresh: isFresh(source, nowMs),
    test: source.isTest,
    last_error: error,
    failing_since: isoUtcOrNull(failingSinceMs),
  };
}
