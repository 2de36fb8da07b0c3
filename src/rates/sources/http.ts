import type { Deps } from "../../deps/deps.ts";
import * as kind from "../../domain/kinds.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { refusalText } from "../../webhooks/post/send.ts";
import type { Reading } from "../rules/feed_round.ts";
import { isPointer, priceIn } from "../rules/price.ts";
import { MAX_AGE, sourceKind } from "./source.ts";

export const HTTP = sourceKind({
  name: "http",
  what: "a web page with JSON",
  short: "Web page",
  fields: {
    url: {
      kind: kind.webUrl,
      charsMax: 2_000,
      help: "where the JSON is; read every half max-age",
      example: "https://prices.example.com/eth",
      label: "Address",
    },
    pointer: {
      kind: kind.text({ max: 200, word: "POINTER" }),
      help: "the JSON pointer of the price in it",
      example: "/result/price",
      label: "JSON pointer of the price",
      hint: "Such as /result/price",
    },
    "max-age": MAX_AGE,
  },
  usual: { "max-age": "120" },
  order: ({ url, pointer, "max-age": seconds }) => ({ url, pointer, maxAgeMs: seconds * 1000 }),
  checked: (deps, order) => {
    const { url, pointer } = order;
    if (!isPointer(pointer)) throw refuse("rate_pointer_wrong", { pointer });
    const why = deps.pages.refusalOf(url);
    if (why !== undefined) throw refuse("rate_url_refused", { url, why: refusalText(url, why) });
    return order;
  },
  originOf: ({ url, pointer }) => `${pointer} of ${url}`,
  reads: {
    prices: (deps, sources) => Promise.all(sources.map((source) => priceOn(deps, source))),
  },
});

/** The price is as old as the request for it. */
async function priceOn(
  deps: Deps,
  { url, pointer }: { url: string; pointer: string },
): Promise<Reading> {
  const atMs = deps.clock.nowMs();
  const found = await deps.pages.read(url).then(
    (document) => priceIn(document, pointer),
    (error) => ({ fault: error instanceof Error ? error.message : String(error) }),
  );
  return "value" in found ? { ...found, atMs } : found;
}
