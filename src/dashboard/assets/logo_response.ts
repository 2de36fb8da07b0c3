import type { Picture } from "../../checkout/checkout.ts";
import { fromBase64 } from "../../base/bytes.ts";

/** Even if somebody opens it alone, it runs and loads nothing. */
export function logoResponse({ mediaType, body }: Picture): Response {
  return new Response(fromBase64(body), {
    headers: {
      "content-type": mediaType,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "private, max-age=60",
    },
  });
}
