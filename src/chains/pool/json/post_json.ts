import { readAtMost } from "../../../base/bytes.ts";
import { type AnswerLimits, parseBounded } from "./bounded_json.ts";
import { RpcFailure } from "../node_errors.ts";

const decoder = new TextDecoder();

interface HttpOptions {
  readonly url: string;
  readonly host: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly limits: AnswerLimits;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses that mean "too fast", besides 429. */
  readonly limitStatuses?: readonly number[];
  /** JSON.parse by default. */
  readonly parse?: (text: string) => unknown;
}

/** Throws an `RpcFailure` that says exactly what failed. */
export async function postJson(body: string, options: HttpOptions): Promise<unknown> {
  const text = await exchange(body, options).catch((error) => {
    throw error instanceof RpcFailure ? error : networkFailure(error, options);
  });
  const { host, parse = JSON.parse, limits: { depthMax, valuesMax } } = options;
  try {
    return await parseBounded(text, { host, depthMax, valuesMax, parse });
  } catch (error) {
    if (error instanceof RpcFailure) throw error;
    throw new RpcFailure("not_json", `${host} answered no JSON: ${excerpt(text)}`);
  }
}

async function exchange(body: string, options: HttpOptions): Promise<string> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const response = await options.fetch(options.url, {
    method: "POST",
    headers: { ...options.headers, "content-type": "application/json" },
    body,
    redirect: "manual",
    signal: options.signal ? AbortSignal.any([timeout, options.signal]) : timeout,
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    const text = `${options.host} answered HTTP ${response.status}`;
    const pauseMs = retryAfterMs(response);
    const isLimit = response.status === 429 || (response.status === 503 && pauseMs !== undefined) ||
      options.limitStatuses?.includes(response.status) === true;
    throw new RpcFailure(isLimit ? "rate_limited" : "http_status", text, pauseMs);
  }
  return await readText(response, options);
}

/** Whole seconds only: the date form is rare, and other clocks can't be trusted. */
function retryAfterMs({ headers }: Response): number | undefined {
  const given = headers.get("retry-after") ?? "";
  return /^\d{1,9}$/.test(given) ? Number(given) * 1000 : undefined;
}

async function readText(
  response: Response,
  { host, limits: { bytesMax } }: HttpOptions,
): Promise<string> {
  if (!response.body || isKnownShort(response.headers, bytesMax)) return await response.text();
  const bytes = await readAtMost(response.body, bytesMax);
  if (bytes) return decoder.decode(bytes);
  throw new RpcFailure("too_large", `${host} answered more than ${bytesMax} bytes`);
}

/** True only if nothing but the length ends the answer and it isn't compressed. */
function isKnownShort(headers: Headers, bytesMax: number): boolean {
  const length = headers.get("content-length");
  return length !== null && /^\d+$/.test(length) && Number(length) <= bytesMax &&
    !headers.has("transfer-encoding") && !headers.has("content-encoding");
}

function networkFailure(error: unknown, { host, timeoutMs }: HttpOptions): RpcFailure {
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return new RpcFailure("timeout", `${host} did not answer within ${timeoutMs} ms`);
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  // Deno puts the whole normalised URL into its messages, and a paid node's URL contains its key.
  const message = String(cause instanceof Error ? cause.message : cause);
  const text = message.replaceAll(/(?:[a-z][a-z\d+.-]{0,30})?:\/\/[^\s)]*/gi, host);
  const kind = text.includes("client error (Connect)") ? "unsent" : "connection";
  return new RpcFailure(kind, `${host}: ${text}`);
}

function excerpt(text: string): string {
  return JSON.stringify(text.slice(0, 120));
}
