import { type Bytes, readAtMost } from "../base/bytes.ts";
import { inTime, Waits } from "../base/waiting/waits.ts";
import { BODY_BYTES_MAX } from "../domain/canonical_request.ts";
import { Refused } from "../domain/refusal.ts";

const EMPTY = new Uint8Array();

/** The raw bytes, read once. Bodies that are too large or too slow are refused before their end. */
export function bodyReader(timeoutMs: number): (request: Request) => Bytes | Promise<Bytes> {
  const waits = new Waits(timeoutMs);
  return (request) => {
    const body = readBody(request);
    if (!(body instanceof Promise)) return body;
    return inTime(body, { waits, late, failed });
  };
}

function late(): Refused {
  return new Refused("body_too_slow");
}

/** The platform has a dozen errors for clients that disconnect or break the framing. */
function failed(error: unknown): Refused {
  return error instanceof Refused ? error : new Refused("body_incomplete");
}

function readBody(request: Request): Bytes | Promise<Bytes> {
  const announced = request.headers.get("content-length");
  // Sent twice, the header reads "3, 3", which is no number.
  if (announced !== null && /^\d+$/.test(announced)) {
    if (Number(announced) > BODY_BYTES_MAX) throw new Refused("body_too_large");
    // Never more than the announced length; looking at the stream first would create one.
    if (!request.headers.has("transfer-encoding")) return request.bytes();
  }
  return request.body === null ? EMPTY : readStream(request.body);
}

async function readStream(stream: ReadableStream<Bytes>): Promise<Bytes> {
  const whole = await readAtMost(stream, BODY_BYTES_MAX);
  if (!whole) throw new Refused("body_too_large");
  return whole;
}
