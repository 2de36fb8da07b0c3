import { NodeError } from "../chain.ts";

/**
 * `unsent` is the only kind after which it is certain that the node never saw the request. `silent`: it
 * answered until now, and was not waited for to the end.
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
    /** How long the node asks to be left alone. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** The node answered this call with an `error` member. */
export class RpcReplyError extends NodeError {
  override name = "RpcReplyError";
  /** The node's own words: what went wrong has to be read out of them. */
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

/** Some nodes say it with HTTP 200 and one of these. */
export function isLimitCode(code: unknown): boolean {
  return code === -32005 || code === 429;
}
