import { NodeError } from "../chains/faults.ts";
import { apiRefusalText, isUsage, refusalText } from "../operations/words/refusals.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import {
  type FieldFault,
  NoRecord,
  OperatorError,
  Refused,
  TooManyTries,
} from "../domain/refusal.ts";
import { type ActionRefusalCode, ActionRefused } from "../domain/refusals/refuse.ts";
import { answerOf } from "../http/error_table.ts";
import { UsageError } from "../operations/operation.ts";

export interface RefusalAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly fields?: readonly FieldFault[];
  readonly retryAfterS?: number;
}

/** What is there already. */
const THERE: ReadonlySet<ActionRefusalCode> = new Set<ActionRefusalCode>([
  "user_taken",
  "network_taken",
  "currency_taken",
  "native_coin_taken",
  "contract_taken",
  "reference_taken",
  "withdrawal_reference_taken",
  "payee_listed",
]);

/** What names no record, though its code sounds so. */
const NO_RECORDS: ReadonlySet<ActionRefusalCode> = new Set<ActionRefusalCode>([
  "coins_unknown",
  "policy_quote_unknown",
  "invoice_currency_unknown",
]);

/**
 * The refusals that a command tells people, for programs; undefined: a fault of ours. An account
 * doesn't learn which nodes there are, nor what somebody changed in the database.
 */
export function refusalOf(
  error: unknown,
  { isOwn }: { readonly isOwn: boolean },
): RefusalAnswer | undefined {
  if (error instanceof UsageError) return usage(error.message);
  if (error instanceof ActionRefused) {
    const message = refusalText(error);
    if (isUsage(error)) return usage(message);
    return { status: statusOf(error.code), code: error.code, message };
  }
  if (error instanceof Refused) return apiRefusal(error);
  if (error instanceof TooManyTries) {
    const { retryAfterS, message } = error;
    return { status: 429, code: "rate_limited", message, retryAfterS };
  }
  if (error instanceof NoRecord) return { status: 404, code: "not_found", message: error.message };
  if (error instanceof TamperedRow) {
    const { message } = isOwn ? answerOf(error) : error;
    return { status: 503, code: "unavailable", message };
  }
  if (error instanceof NodeError) {
    const message = isOwn ? "A node of the network gave no answer" : error.message;
    return { status: 502, code: "node_unavailable", message };
  }
  if (error instanceof OperatorError) {
    return { status: 400, code: "refused", message: error.message };
  }
  return undefined;
}

function statusOf(code: ActionRefusalCode): number {
  if (THERE.has(code)) return 409;
  return code.endsWith("_unknown") && !NO_RECORDS.has(code) ? 404 : 400;
}

/** A command's flags are fields here. */
function usage(message: string): RefusalAnswer {
  const named = [...message.matchAll(/--([a-z][a-z-]*)/g)].map(([, name = ""]) =>
    name.replaceAll("-", "_")
  );
  const fields = [...new Set(named)].map((field) => ({ field, message }));
  return { status: 422, code: "validation_failed", message, fields };
}

/** These words are about requests, and say what a command couldn't. */
const OF_REQUESTS: ReadonlySet<string> = new Set([
  "validation_failed",
  "role_denied",
  "permission_denied",
]);

function apiRefusal(error: Refused): RefusalAnswer {
  const { status, code, message } = answerOf(error);
  const { fields, retryAfterS } = error.detail;
  const isWorded = OF_REQUESTS.has(error.code) || apiRefusalText(error) === error.code;
  return {
    ...{ status, code, message: isWorded ? message : apiRefusalText(error) },
    ...fields ? { fields } : status === 422 ? { fields: [] } : {},
    ...retryAfterS === undefined ? {} : { retryAfterS },
  };
}
