/** What is wrong with a request, whatever it asks for. */
export type RequestCode =
  | "missing_authentication"
  | "invalid_signature"
  | "timestamp_out_of_window"
  | "replayed_request"
  | "ip_not_allowed"
  | "permission_denied"
  | "role_denied"
  | "role_missing"
  | "rate_limited"
  | "validation_failed"
  | "invalid_host"
  | "invalid_token"
  | "body_incomplete"
  | "body_not_object"
  | "body_too_large"
  | "body_too_slow"
  | "method_not_allowed";

/** Every reason to refuse a caller. `http/error_table.ts` gives each its status and message. */
export type RefusalCode =
  | RequestCode
  | "not_found"
  | "network_not_found"
  | "currency_not_found"
  | "deposits_disabled"
  | "withdrawals_disabled"
  | "invalid_address"
  | "amount_below_minimum"
  | "refund_too_high"
  | "refund_too_small"
  | "insufficient_balance"
  | "hot_wallet_missing"
  | "hot_wallet_not_allocated"
  | "broadcast_rejected"
  | "account_suspended"
  | "withdrawals_paused"
  | "currency_paused"
  | "policy_refused"
  | "rate_unavailable"
  | "invoice_final"
  | "quota_exceeded"
  | "idempotency_conflict"
  | "outcome_unknown"
  | "unavailable";

export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** The caller's problem, and expected: never logged as a fault. */
export class Refused extends Error {
  override name = "Refused";

  constructor(readonly code: RefusalCode, readonly detail: RefusalDetail = {}) {
    super(detail.text ?? code);
  }
}

interface RefusalDetail {
  readonly fields?: readonly FieldFault[];
  /** For the operator, or the name at the end of the message. */
  readonly text?: string;
  readonly retryAfterS?: number;
  /** The path's methods. */
  readonly allow?: string;
  readonly data?: unknown;
  /** The numbers behind the refusal, for programs. */
  readonly details?: Readonly<Record<string, string | number>>;
}

/** The operator's mistake in a command or setting, reported in one clear line. */
export class OperatorError extends Error {
  override name = "OperatorError";
}

/** There is no such thing. */
export class NoRecord extends OperatorError {
  override name = "NoRecord";
}

export class TooManyTries extends OperatorError {
  override name = "TooManyTries";

  constructor(readonly retryAfterS: number) {
    const [count, unit] = retryAfterS < 60
      ? [retryAfterS, "second"]
      : [Math.ceil(retryAfterS / 60), "minute"];
    super(`Too many attempts. Try again in ${count} ${unit}${count === 1 ? "" : "s"}`);
  }
}
