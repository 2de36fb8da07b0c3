import type { Context } from "hono";
import { z } from "zod";
import { PAY_OUT } from "../../accounts/rules/usable.ts";
import type { Deps } from "../../deps/deps.ts";
import { broadcastWithdrawal } from "../broadcast.ts";
import { createWithdrawal as holdWithdrawal } from "../create.ts";
import { genuine } from "../../books/tampered.ts";
import type { Bytes } from "../../base/bytes.ts";
import { Refused } from "../../domain/refusal.ts";
import {
  CLIENT_REFERENCE_MAX,
  EXAMPLE,
  type Given,
  type Payout,
  type PayoutOrder,
  STATUS,
  SUBMITTED,
} from "../rules/fields.ts";
import { isUnpaid } from "../rules/moves.ts";
import { type WithdrawalRow, Withdrawals } from "../table.ts";
import { amount, parseBody, text } from "../../http/body_schema.ts";
import { accountOf, idParam, owned, signedCaller } from "../../http/caller.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import type { HttpEnv } from "../../http/request_state.ts";
import { withdrawalReplay } from "../../http/replay_header.ts";
import { ok, okReplay } from "../../http/reply.ts";

/** Less than the 10 s that a caller waits at most. */
const BROADCAST_BUDGET_MS = 8_500;

export const WithdrawalBody = z.object({
  currency: text({ min: 1, max: 32 }),
  network: text({ min: 1, max: 32 }),
  to_address: text({ min: 10, max: 256 }),
  amount: amount.meta({
    description: "What the recipient gets. Digits beyond the currency's `decimals` are cut off.",
  }),
  client_reference: text({ max: CLIENT_REFERENCE_MAX }).optional().meta({
    description:
      "Your own name for this withdrawal. A repeated request with the same name never pays twice, so always give one.",
  }),
});

export const SubmittedWithdrawal = SUBMITTED.schema.meta({ id: "SubmittedWithdrawal" });
export const Withdrawal = STATUS.schema.meta({ id: "Withdrawal" });

/** Spec 4.6 */
export const createWithdrawal: Endpoint = {
  method: "POST",
  path: "/v1/withdrawals",
  operationId: "createWithdrawal",
  permission: "withdraw",
  tag: "Withdrawals",
  summary: "Pay out",
  description:
    "Holds the amount and the fee, sends the payment, and then responds. Repeating the request with the same `client_reference` pays nothing: the response is the first withdrawal as it is now, whatever else the request says.\n\nThat response has the fields of `GET /v1/withdrawals/{withdrawal_id}`: `id`, `amount` and `fee` instead of `withdrawal_id`, `amount_decimal` and `fee_decimal`. Its header `X-CPG-Replay` is `same`, or `different` if the first request asked for something else.",
  body: WithdrawalBody,
  reference: "client_reference",
  data: z.union([SubmittedWithdrawal, Withdrawal]),
  refusals: [
    "validation_failed",
    "replayed_request",
    ...PAY_OUT.refusals,
    "invalid_address",
    "amount_below_minimum",
    "insufficient_balance",
    "withdrawals_paused",
    "policy_refused",
    "currency_paused",
    "hot_wallet_missing",
    "broadcast_rejected",
  ],
  example: {
    body: {
      network: EXAMPLE.network,
      currency: EXAMPLE.currency,
      to_address: EXAMPLE.toAddress,
      amount: EXAMPLE.amount,
      client_reference: EXAMPLE.clientReference,
    },
    data: SUBMITTED.of(EXAMPLE),
  },
  handle: (deps) => async (c) => {
    const caller = signedCaller(c);
    const order = readWithdrawalOrder(c.env.state.body);
    const made = await holdWithdrawal(deps, { caller, ...order });
    return await answerFor(deps, c, { ...made, order, isAlike: true });
  },
};

interface Asked {
  readonly row: WithdrawalRow;
  readonly isReplay: boolean;
  readonly order: PayoutOrder;
  /** Whether an earlier request with this reference was of the same kind. */
  readonly isAlike: boolean;
}

/** Sends a new withdrawal. Of a repeated request, what the first one created. */
export async function answerFor(
  deps: Deps,
  c: Context<HttpEnv>,
  { row, isReplay, order, isAlike }: Asked,
): Promise<Response> {
  if (isReplay) {
    const catalog = await deps.catalog.current();
    const replay = isAlike ? withdrawalReplay(catalog, { asked: order, row }) : "different";
    return okReplay(c, STATUS.of(row), replay);
  }
  if (row.approval === "waiting") return ok(c, SUBMITTED.of(row));
  const actor = `api:${signedCaller(c).keyId}`;
  const sent = await broadcastWithdrawal(deps, row, { actor, budgetMs: BROADCAST_BUDGET_MS });
  // An operator may have cancelled it meanwhile.
  if (isUnpaid(sent.status)) throw failedBroadcast(sent);
  return ok(c, SUBMITTED.of(sent));
}

export function readWithdrawalOrder(bytes: Bytes): PayoutOrder {
  return orderOf(parseBody(bytes, WithdrawalBody));
}

export function orderOf(body: z.output<typeof WithdrawalBody>): Payout & Required<Given> {
  return {
    network: body.network,
    currency: body.currency,
    toAddress: body.to_address,
    amount: body.amount,
    clientReference: body.client_reference ?? null,
  };
}

function failedBroadcast(row: WithdrawalRow): Refused {
  const code = row.failureReason === "no_hot_wallet" ? "hot_wallet_missing" : "broadcast_rejected";
  return new Refused(code, { data: STATUS.of(row) });
}

/** Spec 4.7 */
export const readWithdrawal: Endpoint = {
  method: "GET",
  path: "/v1/withdrawals/{withdrawal_id}",
  operationId: "readWithdrawal",
  permission: "read_withdrawal_status",
  tag: "Withdrawals",
  summary: "Read a withdrawal",
  description: "Returns its current state. While it is `broadcasted`, its `tx_hash` may change.",
  data: Withdrawal,
  refusals: ["not_found"],
  example: {
    path: { withdrawal_id: EXAMPLE.id },
    data: STATUS.of(EXAMPLE),
  },
  handle: (deps) => async (c) => {
    const found = await deps.db.find(Withdrawals, [idParam(c, "withdrawal_id")]);
    const row = owned(found, accountOf(c));
    await genuine(deps, Withdrawals, [row]);
    return ok(c, STATUS.of(row));
  },
};
