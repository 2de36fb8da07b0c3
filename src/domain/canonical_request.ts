/** A signed write is remembered for as long as its timestamp could still be accepted. */
export const TIMESTAMP_TOLERANCE_S = 300;

export const BODY_BYTES_MAX = 64 * 1024;

interface SignedRequest {
  readonly timestamp: string;
  readonly method: string;
  /** Path and query exactly as sent. */
  readonly target: string;
  readonly bodyHashHex: string;
}

/** The five lines to sign (spec 5.2). */
export function canonicalRequest(request: SignedRequest): string {
  const mark = request.target.indexOf("?");
  const path = mark < 0 ? request.target : request.target.slice(0, mark);
  const query = mark < 0 ? "" : request.target.slice(mark + 1);
  return `${request.timestamp}\n${request.method}\n${path}\n${query}\n${request.bodyHashHex}`;
}

export function isTimely(timestamp: string, nowMs: number): boolean {
  if (!/^\d{1,15}$/.test(timestamp)) return false;
  return Math.abs(nowMs / 1000 - Number(timestamp)) <= TIMESTAMP_TOLERANCE_S;
}
