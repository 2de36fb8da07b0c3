import { type Bytes, readAtMost } from "../base/bytes.ts";
import { inTime, Waits } from "../base/waiting/waits.ts";
import { Refused } from "../domain/refusal.ts";

const BODY_BYTES_MAX = 64 * 1024;
const EMPTY = new Uint8Array();

/** The raw bytes, read once. Too many are refused before they are read to their end, as are slow ones. */
export function bodyReader(timeoutMs: number): (request: Request) => Bytes | Promise<Bytes> {
  const waits = new Waits(timeoutMs);
  return (request) => {
    const body = readBody(request);
    if (!(body instanceof Promise)) return body;
    return inTime(body, { waits, late: () => new Refused("body_too_slow") });
  };
}

function readBody(request: Request): Bytes | Promise<Bytes> {
  const told = request.headers.get("content-length");
  // Told twice it reads "3, 3", which is no number.
  if (told !== null && /^\d+$/.test(told)) {
    if (Number(told) > BODY_BYTES_MAX) throw new Refused("body_too_large");
    // No more comes than was told; looking at the stream first would make one.
    if (!request.headers.has("transfer-encoding")) return received(request.bytes());
  }
  return request.body === null ? EMPTY : readStream(request.body);
}

/** The platform has a dozen errors for a client that hangs up or breaks its own framing. */
function received<T>(body: Promise<T>): Promise<T> {
  return body.catch(() => {
    throw new Refused("body_incomplete");
  });
}

async function readStream(stream: ReadableStream<Bytes>): Promise<Bytes> {
  const whole = await received(readAtMost(stream, BODY_BYTES_MAX));
  if (!whole) throw new Refused("body_too_large");
  return whole;
}
