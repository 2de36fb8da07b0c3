import { NodeError } from "../faults.ts";

/**
 * Only after `unsent` is it certain that the node never saw the request. `silent`: it answered
 * other questions until now, and we stopped waiting for this one.
 */
export type FailureKind =
  | "unsent"
  | "silent"
  | "timeout"
  | "connection"
  | "http_status"
  | "rate_limited"
  | "too_large"
  | "not_json"
  | "bad_reply"
  | "batch_refused";

/** No usable answer came back. */
export class RpcFailure extends NodeError {
  override name = "RpcFailure";
  constructor(
    readonly kind: FailureKind,
    message: string,
    /** The pause that the node asked for. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** The node answered this call with an `error` member. */
export class RpcReplyError extends NodeError {
  override name = "RpcReplyError";
  /** The node's own text, the only place that says what went wrong. */
  readonly text: string;
  readonly code: number;
  constructor(host: string, { text, code }: { text: string; code: number }) {
    super(`${host}: ${text}`);
    this.text = text;
    this.code = code;
  }
}

export function isRateLimit(error: unknown): error is RpcFailure | RpcReplyError {
  return error instanceof RpcFailure
    ? error.kind === "rate_limited"
    : error instanceof RpcReplyError && isLimitCode(error.code);
}

/** Some nodes send these with HTTP 200. */
export function isLimitCode(code: unknown): boolean {
  return code === -32005 || code === 429;
}
