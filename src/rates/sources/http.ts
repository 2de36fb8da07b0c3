import * as kind from "../../domain/kinds.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { refusalText } from "../../webhooks/post/send.ts";
import { isPointer } from "../rules/price.ts";
import { onPages, PAGE_AGE } from "./on_page.ts";
import { MAX_AGE, sourceKind } from "./source.ts";

export const HTTP = sourceKind({
  name: "http",
  what: "a web page with JSON",
  short: "Web page",
  fields: {
    url: {
      kind: kind.webUrl,
      charsMax: 2_000,
      help: "where the JSON is",
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
  usual: PAGE_AGE,
  order: ({ url, pointer, "max-age": maxAgeMs }) => ({ url, pointer, maxAgeMs }),
  checked: (deps, order) => {
    const { url, pointer } = order;
    if (!isPointer(pointer)) throw refuse("rate_pointer_wrong", { pointer });
    const why = deps.pages.refusalOf(url);
    if (why !== undefined) throw refuse("rate_url_refused", { url, why: refusalText(url, why) });
    return order;
  },
  originOf: ({ url, pointer }) => `${pointer} of ${url}`,
  reads: onPages(({ url, pointer }: { url: string; pointer: string }) => ({ url, price: pointer })),
});
