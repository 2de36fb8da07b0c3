import { Lru } from "../../base/lru.ts";
import { Waits } from "../../base/waiting/waits.ts";
import { Connections } from "./_connections.ts";
import { boundedLookups, type Resolve } from "./_lookups.ts";
import { ALLOWED_BY, malformedUrl, refusedUrl } from "./allowed_target.ts";
import { type AllowedTarget, Exchange, linesOf, type WebhookRequest } from "./_exchange.ts";

export interface Attempt {
  /** Null if no answer came. */
  readonly status: number | null;
  /** Why it doesn't count as delivered; null if it does. */
  readonly error: string | null;
  /** The beginning of the answer's body. */
  readonly response: string | null;
  readonly retryAfter: string | null;
  readonly latencyMs: number;
}

export interface WebhookSender {
  /** Why nothing may be sent there; undefined if it may, as far as the URL shows. */
  refusalOf(url: string): string | undefined;
  /** Never throws: failures are in the attempt's error. */
  send(request: WebhookRequest): Promise<Attempt>;
  close(): void;
}

export interface SenderOptions {
  readonly isPrivateAllowed: boolean;
  readonly resolve?: Resolve;
  readonly caCerts?: readonly string[];
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_KEPT = 1024;
const TARGETS_REMEMBERED = 1_000;
const decoder = new TextDecoder();

/** POSTs with a limit on everything: target, time, and bytes read. */
export function createSender(options: SenderOptions): WebhookSender {
  const { isPrivateAllowed, caCerts = [] } = options;
  const resolve = boundedLookups(options.resolve);
  const connections = new Connections({ isPrivateAllowed, resolve, caCerts });
  const running = new Set<Exchange>();
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const waits = new Waits(timeoutMs);
  const targets = new Lru<string, Target>(TARGETS_REMEMBERED);
  const refusalOf = (url: string) => refusedUrl(url, { isPrivateAllowed });
  return {
    refusalOf,
    send: async (request) => {
      const startedAtMs = performance.now();
      const target = targets.getOrMake(request.url, (url) => makeTarget(url, refusalOf(url)));
      const attempt = "refusal" in target
        ? failed(null, `not sent: ${target.refusal}`)
        : await sendOne(new Exchange(target, request, connections), { timeoutMs, waits, running });
      return { ...attempt, latencyMs: Math.round(performance.now() - startedAtMs) };
    },
    close: () => {
      for (const exchange of running) exchange.abort("the program ends");
      connections.close();
    },
  };
}

type Target = AllowedTarget | { readonly refusal: string };

function makeTarget(text: string, refusal: string | undefined): Target {
  if (refusal !== undefined) return { refusal: refusalText(text, refusal) };
  const url = new URL(text);
  const fields = {
    host: url.host,
    "content-type": "application/json",
    "user-agent": "CPG-Webhooks/1",
    accept: "*/*",
  };
  return { url, head: `POST ${url.pathname}${url.search} HTTP/1.1\r\n${linesOf(fields)}` };
}

/** With the setting that allows it, if one does. */
export function refusalText(url: string, refusal: string): string {
  return malformedUrl(url) === undefined ? `${refusal} (${ALLOWED_BY})` : refusal;
}

interface Sending {
  readonly timeoutMs: number;
  readonly waits: Waits;
  readonly running: Set<Exchange>;
}

async function sendOne(
  exchange: Exchange,
  { timeoutMs, waits, running }: Sending,
): Promise<Omit<Attempt, "latencyMs">> {
  running.add(exchange);
  const giveUp = waits.start(() => exchange.abort(`no whole answer within ${timeoutMs / 1000} s`));
  try {
    const { status, body, retryAfter } = await Promise.race([exchange.run(), exchange.aborted]);
    const isDelivered = status >= 200 && status < 300;
    return {
      status,
      error: isDelivered ? null : `HTTP ${status}`,
      response: decoder.decode(body.subarray(0, RESPONSE_BYTES_KEPT)),
      retryAfter,
    };
  } catch (error) {
    exchange.abort("it failed");
    return failed(exchange.status, messageOf(error));
  } finally {
    running.delete(exchange);
    giveUp();
  }
}

function failed(status: number | null, error: string): Omit<Attempt, "latencyMs"> {
  return { status, error, response: null, retryAfter: null };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
