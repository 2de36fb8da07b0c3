import { type ErrorDetail, type FieldFault, NoAnswerError, RefusedError } from "./errors.ts";
import { signatureOf } from "./sign.ts";

interface Call {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
  /** What makes repeating it safe, as its body says. */
  readonly reference?: string | undefined;
}

interface Answer {
  readonly data: unknown;
  readonly nextCursor: number | string | null;
  /** Null unless an earlier request had the same reference. */
  readonly replay: string | null;
  readonly detail: ErrorDetail;
}

/** How to reach one gateway, with one key. */
export interface Line {
  readonly url: string;
  readonly keyId: string;
  readonly key: Promise<CryptoKey>;
  readonly timeoutMs: number;
  readonly attempts: number;
}

interface Envelope {
  readonly success?: boolean;
  readonly message?: string;
  readonly data?: unknown;
  readonly next_cursor?: number | string | null;
  readonly error?: {
    readonly code: string;
    readonly fields?: readonly FieldFault[];
    readonly details?: Readonly<Record<string, string | number>>;
  };
}

const FIRST_WAIT_MS = 500;
const WAIT_MAX_MS = 30_000;

/**
 * Repeats after a lost connection, a 429 or a 503, and only what can't happen twice: reads, writes
 * with a reference, and what got a 429.
 */
export async function send(line: Line, call: Call): Promise<Answer> {
  for (let attempt = 1;; attempt++) {
    try {
      return await sendOnce(line, call);
    } catch (error) {
      if (attempt >= line.attempts || !mayRepeat(call, error)) throw error;
      const wantedMs = error instanceof RefusedError ? error.refusal.retryAfterS * 1000 : 0;
      const waitMs = Math.max(wantedMs, FIRST_WAIT_MS * 2 ** (attempt - 1));
      if (waitMs > WAIT_MAX_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

function mayRepeat({ method, reference }: Call, error: unknown): boolean {
  const isSafe = method === "GET" || reference !== undefined;
  if (error instanceof RefusedError && error.status === 429) return true;
  if (!isSafe || !(error instanceof NoAnswerError || error instanceof RefusedError)) return false;
  return error.status === undefined || error.status === 503;
}

async function sendOnce(line: Line, call: Call): Promise<Answer> {
  const { reference } = call;
  const { target, init } = await signed(line, call);
  let response: Response;
  let text: string;
  try {
    const signal = AbortSignal.timeout(line.timeoutMs);
    response = await fetch(line.url + target, { ...init, signal });
    text = await response.text();
  } catch (cause) {
    throw new NoAnswerError(`No answer from ${line.url}`, { cause, reference });
  }
  const detail = { reference, requestId: response.headers.get("x-request-id") ?? undefined };
  const answer = readEnvelope(text);
  if (isUndecided(response, answer)) {
    const { status } = response;
    throw new NoAnswerError(`No answer from ${line.url}, but status ${status}`, {
      ...detail,
      status,
    });
  }
  if (!response.ok) throw refusalOf(response, { answer, detail });
  return {
    data: answer?.data,
    nextCursor: answer?.next_cursor ?? null,
    replay: response.headers.get("x-cpg-replay"),
    detail,
  };
}

/** Each attempt gets a time and a nonce of its own, so that none is taken for a copy. */
async function signed(line: Line, { method, path, query = {}, body }: Call) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) parameters.append(name, String(value));
  }
  if (method !== "GET") parameters.append("nonce", crypto.randomUUID());
  const search = parameters.toString();
  const text = body === undefined ? "" : JSON.stringify(body);
  const timestampS = Math.floor(Date.now() / 1000);
  const signature = await signatureOf(await line.key, {
    method,
    path,
    query: search,
    body: text,
    timestampS,
  });
  const headers: Record<string, string> = {
    "X-CPG-Key": line.keyId,
    "X-CPG-Timestamp": String(timestampS),
    "X-CPG-Signature": signature,
  };
  if (text !== "") headers["Content-Type"] = "application/json";
  // Workers know no redirect: "error".
  const init = { method, headers, redirect: "manual" as const };
  return {
    target: search === "" ? path : `${path}?${search}`,
    init: text === "" ? init : { ...init, body: text },
  };
}

/** A proxy that gives up, or a gateway that fails midway, doesn't know what was done. */
function isUndecided({ ok, status }: Response, answer: Envelope | undefined): boolean {
  if (ok) return answer?.success !== true;
  return status === 500 || (status > 500 && answer?.error?.code === undefined);
}

/** Undefined if something else answered, such as a proxy. */
function readEnvelope(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function refusalOf(
  { status, headers }: Response,
  { answer, detail }: { answer: Envelope | undefined; detail: ErrorDetail },
): RefusedError {
  const refusal = {
    status,
    code: answer?.error?.code ?? "unknown",
    fields: answer?.error?.fields ?? [],
    details: answer?.error?.details ?? {},
    data: answer?.data,
    retryAfterS: Number(headers.get("retry-after") ?? 0) || 0,
  };
  const faults = refusal.fields.map(({ field, message }) => ` (${field}: ${message})`);
  return new RefusedError(
    [answer?.message ?? describe(status, headers.get("location")), ...faults].join(""),
    refusal,
    detail,
  );
}

/** What answered wasn't the gateway. */
function describe(status: number, location: string | null): string {
  if (location === null) return `Status ${status}`;
  return `The url redirects to ${location}, which isn't followed: give the gateway's own url`;
}
