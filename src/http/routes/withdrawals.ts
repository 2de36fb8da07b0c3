import type { Handler } from "hono";
import { z } from "zod";
import { broadcastWithdrawal } from "../../actions/withdrawals/broadcast.ts";
import { createWithdrawal } from "../../actions/withdrawals/create.ts";
import type { WithdrawalInput } from "../../actions/withdrawals/hold.ts";
import type { Deps } from "../../actions/deps.ts";
import { genuine } from "../../actions/books/tampered.ts";
import type { Bytes } from "../../base/bytes.ts";
import { Refused } from "../../domain/refusal.ts";
import { withdrawalStatusShape, withdrawalSubmissionShape } from "../../domain/shapes.ts";
import { type WithdrawalRow, Withdrawals } from "../../store/tables/withdrawals.ts";
import { amount, parseBody, text } from "../body_schema.ts";
import { accountOf, idParam, owned, signedCaller } from "../caller.ts";
import { ok } from "../reply.ts";
import type { HttpEnv } from "../request_state.ts";

/** Less than the 10 s that a caller waits at most. */
const BROADCAST_BUDGET_MS = 8_500;

const WithdrawalBody = z.object({
  currency: text({ min: 1, max: 32 }),
  network: text({ min: 1, max: 32 }),
  to_address: text({ min: 10, max: 256 }),
  amount,
  client_reference: text({ max: 128 }).optional(),
});

/** Spec 4.6 */
export function postWithdrawal(deps: Deps): Handler<HttpEnv> {
  return async (c) => {
    const caller = signedCaller(c);
    const order = readWithdrawalOrder(c.env.state.body);
    const { row, isReplay } = await createWithdrawal(deps, { caller, ...order });
    if (isReplay) return ok(c, withdrawalStatusShape(row));
    const actor = `api:${caller.keyId}`;
    const sent = await broadcastWithdrawal(deps, row, { actor, budgetMs: BROADCAST_BUDGET_MS });
    // An operator may have cancelled it meanwhile.
    if (sent.status === "failed" || sent.status === "cancelled") throw failedBroadcast(sent);
    return ok(c, withdrawalSubmissionShape(sent));
  };
}

export function readWithdrawalOrder(bytes: Bytes): Omit<WithdrawalInput, "caller"> {
  const body = parseBody(bytes, WithdrawalBody);
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
  return new Refused(code, { data: withdrawalStatusShape(row) });
}

/** Spec 4.7 */
export function readWithdrawal(deps: Deps): Handler<HttpEnv> {
  return async (c) => {
    const found = await deps.db.find(Withdrawals, [idParam(c, "withdrawal_id")]);
    const row = owned(found, accountOf(c));
    await genuine(deps, Withdrawals, [row]);
    return ok(c, withdrawalStatusShape(row));
  };
}
