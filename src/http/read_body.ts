import type { Bytes } from "../base/bytes.ts";
import { Refused } from "../domain/refusal.ts";

export const BODY_BYTES_MAX = 64 * 1024;
const EMPTY = new Uint8Array();

/** The raw bytes, read once. Too many are refused before they are read to their end. */
export async function readBody(request: Request): Promise<Bytes> {
  const told = request.headers.get("content-length");
  if (Number(told ?? 0) > BODY_BYTES_MAX) throw new Refused("body_too_large");
  // Told twice it reads "3, 3", which is no number.
  const isTold = told !== null && /^\d+$/.test(told);
  // No more comes than was told; looking at the stream first would make one.
  if (isTold && !request.headers.has("transfer-encoding")) return await request.bytes();
  if (request.body === null) return EMPTY;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw new Refused("body_too_large");
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
