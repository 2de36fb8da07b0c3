import type { Deps } from "../../deps/deps.ts";
import { type Pointers, readingIn } from "../rules/price.ts";
import type { Reading } from "../rules/reading.ts";
import type { Reads } from "./source.ts";

interface Page extends Pointers {
  readonly url: string;
}

/** What its form has at first. */
export const PAGE_AGE = { "max-age": "120" };

/** How prices are read from pages with JSON, one of each. */
export function onPages<S>(pageOf: (source: S) => Page): Reads<S> {
  return {
    prices: (deps, sources) => Promise.all(sources.map((source) => readOn(deps, pageOf(source)))),
  };
}

async function readOn({ pages, clock }: Deps, { url, ...pointers }: Page): Promise<Reading> {
  const askedAtMs = clock.nowMs();
  return await pages.read(url).then(
    (document) => readingIn(document, pointers, { askedAtMs, nowMs: clock.nowMs() }),
    (error) => ({ fault: error instanceof Error ? error.message : String(error) }),
  );
}
