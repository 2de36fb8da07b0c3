import type { Handler } from "hono";
import { z } from "zod";
import { allocateDepositAddress } from "../../actions/deposits/allocate_address.ts";
import type { Deps } from "../../actions/deps.ts";
import { genuine } from "../../actions/books/tampered.ts";
import { confirmationsOf } from "../../domain/states/chain_follow.ts";
import { depositRequestStatus } from "../../domain/states/deposit_request.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import { depositsOfRequest } from "../../store/reads/deposits.ts";
import { type DepositRequestRow, DepositRequests } from "../../store/tables/addresses.ts";
import { type TransactionRow, Transactions } from "../../store/tables/transactions.ts";
import { NetworkCursors } from "../../store/tables/following.ts";
import { parseBody, text } from "../body_schema.ts";
import { accountOf, idParam, owned, signedCaller } from "../caller.ts";
import { ok } from "../reply.ts";
import type { HttpEnv } from "../request_state.ts";

const AllocationBody = z.object({
  currency: text({ min: 1, max: 32 }),
  network: text({ min: 1, max: 32 }),
  user_identifier: text({ max: 256 }).optional(),
  idempotency_key: text({ max: 128 }).optional(),
});

/** Spec 4.4 */
export function postDepositAddress(deps: Deps): Handler<HttpEnv> {
  return async (c) => {
    const body = parseBody(c.env.state.body, AllocationBody);
    const row = await allocateDepositAddress(deps, {
      caller: signedCaller(c),
      network: body.network,
      currency: body.currency,
      userIdentifier: body.user_identifier ?? null,
      idempotencyKey: body.idempotency_key ?? null,
    });
    return ok(c, {
      request_id: row.id,
      address: row.address,
      network: row.network,
      currency: row.currency,
      contract_address: row.contractAddress,
      user_identifier: row.userIdentifier,
      display_expires_at: isoUtc(row.displayExpiresAtMs),
      created_at: isoUtc(row.createdAtMs),
    });
  };
}

/** Spec 4.5 */
export function readDepositRequest(deps: Deps): Handler<HttpEnv> {
  const { db, clock } = deps;
  return async (c) => {
    const row = owned(await db.find(DepositRequests, [idParam(c, "request_id")]), accountOf(c));
    await genuine(deps, DepositRequests, [row]);
    const [deposits, cursor] = await Promise.all([
      depositsOfRequest(db, row),
      db.find(NetworkCursors, [row.network]),
    ]);
    await genuine(deps, Transactions, deposits);
    return ok(
      c,
      statusShape(row, { deposits, topHeight: cursor?.topHeight ?? 0, nowMs: clock.nowMs() }),
    );
  };
}

function statusShape(
  row: DepositRequestRow,
  facts: { deposits: readonly TransactionRow[]; topHeight: number; nowMs: number },
) {
  const hasCredited = facts.deposits.some((deposit) => deposit.confirmedAtMs !== null);
  const { displayExpiresAtMs } = row;
  return {
    request_id: row.id,
    address: row.address,
    network: row.network,
    currency: row.currency,
    user_identifier: row.userIdentifier,
    status: depositRequestStatus({ displayExpiresAtMs, hasCredited }, facts.nowMs),
    display_expires_at: isoUtc(displayExpiresAtMs),
    created_at: isoUtc(row.createdAtMs),
    transactions: facts.deposits.map((deposit) => ({
      tx_hash: deposit.txHash,
      amount_decimal: deposit.amount,
      confirmations: confirmationsOf(facts.topHeight, {
        height: deposit.blockNumber,
        isAnchored: deposit.blockHash !== null,
      }),
      status: deposit.status,
      block_number: deposit.blockNumber,
      detected_at: isoUtc(deposit.createdAtMs),
      confirmed_at: isoUtcOrNull(deposit.confirmedAtMs),
    })),
  };
}
