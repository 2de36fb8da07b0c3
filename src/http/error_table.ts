import { type RefusalCode, Refused } from "../domain/refusal.ts";
import { TamperedRow } from "../actions/books/tampered.ts";
import { Unavailable } from "../store/connection/faults.ts";

export interface ErrorAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** The one place where a refusal gets its status and the spec's message (section 7). */
const ANSWERS: Readonly<Record<RefusalCode, Omit<ErrorAnswer, "code"> & { code?: string }>> = {
  missing_authentication: { status: 401, message: "Missing authentication headers" },
  invalid_signature: { status: 401, message: "Invalid signature" },
  timestamp_out_of_window: { status: 401, message: "Timestamp outside the allowed window" },
  replayed_request: { status: 401, message: "Request already processed" },
  ip_not_allowed: { status: 403, message: "Source IP not allowed" },
  permission_denied: { status: 403, message: "Missing permission" },
  rate_limited: { status: 429, message: "Rate limit exceeded" },
  validation_failed: { status: 422, message: "Invalid fields" },
  invalid_token: { status: 401, message: "Invalid token", code: "missing_authentication" },
  invalid_host: { status: 400, message: "Invalid Host header", code: "validation_failed" },
  body_incomplete: {
    status: 400,
    message: "Request body is incomplete",
    code: "validation_failed",
  },
  body_not_object: {
    status: 422,
    message: "Request body must be a JSON object",
    code: "validation_failed",
  },
  body_too_large: { status: 413, message: "Request body too large" },
  body_too_slow: { status: 408, message: "Request body took too long" },
  not_found: { status: 404, message: "Not found" },
  method_not_allowed: { status: 405, message: "Method not allowed" },
  network_not_found: { status: 404, message: "Network not found" },
  currency_not_found: { status: 404, message: "Currency not found" },
  deposits_disabled: {
    status: 403,
    message: "Deposits for this currency are not enabled for this account",
  },
  withdrawals_disabled: {
    status: 403,
    message: "Withdrawals for this currency are not enabled for this account",
  },
  invalid_address: { status: 400, message: "The address format is invalid for this network" },
  amount_below_minimum: { status: 400, message: "Withdrawal amount is below the minimum allowed" },
  insufficient_balance: {
    status: 400,
    message: "Insufficient available balance for this withdrawal",
  },
  hot_wallet_missing: { status: 502, message: "No hot wallet configured for this network" },
  hot_wallet_not_allocated: {
    status: 404,
    message:
      "Hot wallet has not been allocated for this network. Enable at least one currency first.",
  },
  broadcast_rejected: { status: 502, message: "Failed to broadcast withdrawal transaction" },
  account_suspended: { status: 403, message: "Account suspended" },
  withdrawals_paused: { status: 503, message: "Withdrawals are paused" },
  currency_paused: {
    status: 503,
    message: "Withdrawals are paused for this currency",
    code: "unavailable",
  },
  unavailable: { status: 503, message: "Service temporarily unavailable" },
};

export const INTERNAL: ErrorAnswer = {
  status: 500,
  code: "internal_error",
  message: "Internal error",
};

export function refusalAnswer(code: RefusalCode): ErrorAnswer {
  return { code, ...ANSWERS[code] };
}

export function answerOf(error: unknown): ErrorAnswer {
  if (error instanceof Unavailable || error instanceof TamperedRow) {
    return refusalAnswer("unavailable");
  }
  if (!(error instanceof Refused)) return INTERNAL;
  return { ...refusalAnswer(error.code), message: messageOf(error) };
}

function messageOf(refused: Refused): string {
  const { message } = ANSWERS[refused.code];
  const { text, fields } = refused.detail;
  if (refused.code === "permission_denied") return `${message}: ${text}`;
  if (refused.code === "unavailable" && text) return text;
  if (refused.code === "validation_failed" && fields) {
    return `${message}: ${[...new Set(fields.map(({ field }) => field))].join(", ")}`;
  }
  return message;
}
