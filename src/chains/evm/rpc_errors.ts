import { NodeError } from "../chain.ts";

/** `unsent` is the only kind after which it is certain that the node never saw the request. */
export type FailureKind =
  | "unsent"
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
  constructor(readonly kind: FailureKind, message: string) {
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
