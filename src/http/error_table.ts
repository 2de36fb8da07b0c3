import { keysOf } from "../base/lists.ts";
import { type RefusalCode, Refused } from "../domain/refusal.ts";
import { TooBusy } from "../base/waiting/turns.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { Unavailable } from "../store/connection/faults.ts";

export interface ErrorAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** What the caller can do about it. */
  readonly advice: string;
}

/** The one place where a refusal gets its status, the spec's message (section 7), and advice. */
const ANSWERS: Readonly<Record<RefusalCode, Omit<ErrorAnswer, "code"> & { code?: string }>> = {
  missing_authentication: {
    status: 401,
    message: "Missing authentication headers",
    advice: "Send all three signature headers with each request.",
  },
  invalid_signature: {
    status: 401,
    message: "Invalid signature",
    advice:
      "Sign the bytes exactly as you send them. `/docs/sign` and the request log in the dashboard show what is wrong.",
  },
  timestamp_out_of_window: {
    status: 401,
    message: "Timestamp outside the allowed window",
    advice: "Correct your clock: it may differ by 300 seconds at most.",
  },
  replayed_request: {
    status: 401,
    message: "Request already processed",
    advice:
      "Sign each attempt again, with a new timestamp. Equal requests within a second need a `nonce` in the query, which is otherwise ignored.",
  },
  ip_not_allowed: {
    status: 403,
    message: "Source IP not allowed",
    advice: "Send it from an IP address that the key allows, or ask the operator to allow yours.",
  },
  permission_denied: {
    status: 403,
    message: "Missing permission",
    advice: "The message names the permission. Use a key that has it, or ask the operator for it.",
  },
  role_denied: {
    status: 403,
    message: "The role may not do this",
    advice:
      "The message names the role of whoever made the key, who may not do this either. Use a key that a merchant, somebody of finance or the operator made.",
  },
  role_missing: {
    status: 403,
    message: "Missing role",
    code: "role_denied",
    advice: "Use a key with a role: `key create --role` makes one.",
  },
  rate_limited: {
    status: 429,
    message: "Rate limit exceeded",
    advice: "Wait for the number of seconds in `Retry-After`.",
  },
  validation_failed: {
    status: 422,
    message: "Invalid fields",
    advice: "`fields` lists each invalid field and what is wrong with it.",
  },
  invalid_token: {
    status: 401,
    message: "Invalid token",
    code: "missing_authentication",
    advice: "Send the operator's token for `/metrics`, or none.",
  },
  invalid_host: {
    status: 400,
    message: "Invalid Host header",
    code: "validation_failed",
    advice: "Send one Host header, with the gateway's host name.",
  },
  body_incomplete: {
    status: 400,
    message: "Request body is incomplete",
    code: "validation_failed",
    advice: "The connection broke before the whole body arrived: send it again.",
  },
  body_not_object: {
    status: 422,
    message: "Request body must be a JSON object",
    code: "validation_failed",
    advice:
      "Send a JSON object in UTF-8. `details` says where it goes wrong: `position` in bytes from 0, `line` and `column` from 1.",
  },
  body_too_large: {
    status: 413,
    message: "Request body too large",
    advice: "Send 64 KiB at most.",
  },
  body_too_slow: {
    status: 408,
    message: "Request body took too long",
    advice: "The body took too long to arrive: send it again, over a faster connection.",
  },
  not_found: {
    status: 404,
    message: "Not found",
    advice: "The record doesn't exist, or belongs to another account.",
  },
  method_not_allowed: {
    status: 405,
    message: "Method not allowed",
    advice: "Use one of the methods in the `Allow` header.",
  },
  network_not_found: {
    status: 404,
    message: "Network not found",
    advice: "Use a `network` that `GET /v1/currencies` lists.",
  },
  currency_not_found: {
    status: 404,
    message: "Currency not found",
    advice:
      "Use a `currency` that `GET /v1/currencies` lists for this network. An invoice can also be in a currency with rates, which the message then names.",
  },
  deposits_disabled: {
    status: 403,
    message: "Deposits for this currency are not enabled for this account",
    advice: "Ask the operator to enable the currency for deposits.",
  },
  withdrawals_disabled: {
    status: 403,
    message: "Withdrawals for this currency are not enabled for this account",
    advice: "Ask the operator to enable the currency for withdrawals.",
  },
  invalid_address: {
    status: 400,
    message: "The address format is invalid for this network",
    advice:
      "Ask your customer for another address. Where its form is right, as of one of the gateway's own wallets, `details` has the `reason`.",
  },
  amount_below_minimum: {
    status: 400,
    message: "Withdrawal amount is below the minimum allowed",
    advice:
      "`details` has the `minimum`, which is the currency's `min_withdrawal_amount` in `GET /v1/currencies`, and the `amount` after what goes beyond its `decimals` was cut off.",
  },
  refund_too_high: {
    status: 400,
    message: "Refund is higher than what is left of the payments",
    advice:
      "Refund at most what was credited for the invoice in this currency, minus its `refunds` that neither failed nor were cancelled.",
  },
  refund_too_small: {
    status: 400,
    message: "Refund is worth less than its network fee",
    advice:
      "Refund more at once, or all that is left of what was credited for the invoice in this currency.",
  },
  insufficient_balance: {
    status: 400,
    message: "Insufficient available balance for this withdrawal",
    advice:
      "The amount and the fee together exceed `available` in `GET /v1/balances`. `details` has `amount`, `fee`, `total` and `available`.",
  },
  hot_wallet_missing: {
    status: 502,
    message: "No hot wallet configured for this network",
    advice:
      "Nothing was paid. Ask the operator to set up the hot wallet, then use a new reference.",
  },
  hot_wallet_not_allocated: {
    status: 404,
    message:
      "Hot wallet has not been allocated for this network. Enable at least one currency first.",
    advice: "Ask the operator to enable a currency of this network.",
  },
  broadcast_rejected: {
    status: 502,
    message: "Failed to broadcast withdrawal transaction",
    advice:
      "Nothing was paid. `error_message` names the cause. Once the operator or the recipient has fixed it, use a new reference.",
  },
  account_suspended: {
    status: 403,
    message: "Account suspended",
    advice: "The account is read-only. Ask the operator why.",
  },
  withdrawals_paused: {
    status: 503,
    message: "Withdrawals are paused",
    advice: "The operator paused all withdrawals. Retry later with the same reference.",
  },
  policy_refused: {
    status: 403,
    message: "Withdrawal refused by policy",
    advice: "A rule forbids it; nothing was paid. Ask whoever set the rule that the message names.",
  },
  rate_unavailable: {
    status: 503,
    message: "No rate",
    advice: "The message names the pair. Retry later, or offer other coins in `methods`.",
  },
  invoice_final: {
    status: 409,
    message: "The invoice can no longer be changed",
    advice: "It is paid or cancelled, or nothing has been credited that could be accepted.",
  },
  idempotency_conflict: {
    status: 409,
    message: "The idempotency key was used for another request",
    advice: "Use a new key for each request, and the same key and body to repeat it.",
  },
  outcome_unknown: {
    status: 409,
    message: "The first request with this idempotency key was not answered",
    advice:
      "The gateway may have stopped while it did this: look whether it was done before you send it with another key.",
  },
  quota_exceeded: {
    status: 429,
    message: "Storage quota exceeded",
    advice:
      "The account has stored as much as it may in a day. Wait until the time in the message, as `Retry-After` says, or ask the operator for a larger quota.",
  },
  currency_paused: {
    status: 503,
    message: "Withdrawals are paused for this currency",
    code: "unavailable",
    advice: "Ask the operator why, and retry later with the same reference.",
  },
  unavailable: {
    status: 503,
    message: "Service temporarily unavailable",
    advice:
      'Retry with the same reference after the seconds in `Retry-After`. If the message says "paused", ask the operator.',
  },
};

export const INTERNAL: ErrorAnswer = {
  status: 500,
  code: "internal_error",
  message: "Internal error",
  advice: "Retry with the same reference, and report the `request_id` to the operator.",
};

export function refusalAnswer(code: RefusalCode): ErrorAnswer {
  return { code, ...ANSWERS[code] };
}

/** Everything that a request may be answered instead of what was asked, by status. */
export function refusalAnswers(): ErrorAnswer[] {
  const codes = keysOf(ANSWERS).filter((code) => code !== "invalid_token");
  return [...codes.map(refusalAnswer), INTERNAL].toSorted((a, b) => a.status - b.status);
}

export function answerOf(error: unknown): ErrorAnswer {
  if (error instanceof Unavailable || error instanceof TamperedRow) {
    return refusalAnswer("unavailable");
  }
  if (error instanceof TooBusy) return refusalAnswer("rate_limited");
  if (!(error instanceof Refused)) return INTERNAL;
  return { ...refusalAnswer(error.code), message: messageOf(error) };
}

/** Their text is the whole message, if they have one. */
const OWN_TEXT: ReadonlySet<RefusalCode> = new Set([
  "unavailable",
  "invoice_final",
  "quota_exceeded",
]);

function messageOf(refused: Refused): string {
  const { message } = ANSWERS[refused.code];
  const { text, fields } = refused.detail;
  if (refused.code === "permission_denied" || refused.code === "policy_refused") {
    return `${message}: ${text}`;
  }
  if (refused.code === "role_denied" && text) return `The role ${text} may not do this`;
  if (refused.code === "currency_not_found" && text) return `${message}: ${text}`;
  if (refused.code === "rate_unavailable") return `${message} for ${text}`;
  if (OWN_TEXT.has(refused.code) && text) return text;
  if (refused.code === "validation_failed" && fields) {
    return `${message}: ${[...new Set(fields.map(({ field }) => field))].join(", ")}`;
  }
  return message;
}
