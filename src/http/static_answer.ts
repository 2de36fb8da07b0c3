import { type Bytes, utf8 } from "../base/bytes.ts";
import { inParts } from "../base/net/streamed.ts";
import { sha256Hex } from "../base/secrets/crypto.ts";

type Answer = (request: Request) => Response;

/** For what doesn't change while the program runs. Who has it already gets a 304. */
export function staticAnswer(
  content: string | Bytes,
  { headers, status = 200 }: { headers: Readonly<Record<string, string>>; status?: number },
): Answer {
  const body = typeof content === "string" ? utf8(content) : content;
  const etag = `"${sha256Hex(body).slice(0, 32)}"`;
  const all = {
    ...headers,
    etag,
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
  };
  return (request) => {
    if (status === 200 && isKnown(request.headers.get("if-none-match"), etag)) {
      return new Response(null, { status: 304, headers: all });
    }
    return inParts(body, { status, headers: new Headers(all) });
  };
}

/** A proxy that compresses answers calls their tags weak. */
function isKnown(tags: string | null, etag: string): boolean {
  if (tags === null) return false;
  return tags.split(",").map((tag) => tag.trim()).some((tag) =>
    tag === "*" || tag === etag || tag === `W/${etag}`
  );
}
