import { type Bytes, utf8 } from "../base/bytes.ts";
import { streamed } from "../base/net/streamed.ts";
import { sha256Hex } from "../base/secrets/crypto.ts";

/** What a client of HTTP/2 leaves unread stays in memory, 200 answers on each connection. */
const WHOLE_MAX = 64 * 1024;
const PART = 32 * 1024;

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
    if (body.length <= WHOLE_MAX) return new Response(body, { status, headers: all });
    const withLength = { ...all, "content-length": String(body.length) };
    return streamed(partsOf(body), { status, headers: withLength });
  };
}

function partsOf(body: Bytes): ReadableStream<Bytes> {
  let at = 0;
  return new ReadableStream({
    pull: (controller) => {
      if (at >= body.length) return controller.close();
      controller.enqueue(body.subarray(at, at += PART));
    },
  }, { highWaterMark: 0 });
}

/** A proxy that compresses answers calls their tags weak. */
function isKnown(tags: string | null, etag: string): boolean {
  if (tags === null) return false;
  return tags.split(",").map((tag) => tag.trim()).some((tag) =>
    tag === "*" || tag === etag || tag === `W/${etag}`
  );
}
