import { z } from "zod";
import { allocateDepositAddress } from "../allocate_address.ts";
import { PAY_IN } from "../../accounts/rules/usable.ts";
import { genuine } from "../../books/tampered.ts";
import { DEPOSIT_REQUEST_STATUSES, depositRequestStatus } from "../rules/deposit_request.ts";
import { confirmationsOf, TRANSACTION_STATUSES } from "../rules/transaction_moves.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import { depositsOfRequest } from "../reads/deposits.ts";
import { type DepositRequestRow, DepositRequests } from "../../wallets/tables/addresses.ts";
import { type TransactionRow, Transactions } from "../tables/transactions.ts";
import { NetworkCursors } from "../../following/table.ts";
import { parseBody, text } from "../../http/body_schema.ts";
import { accountOf, idParam, owned, signedCaller } from "../../http/caller.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { depositReplay } from "../../http/replay_header.ts";
import { ok, okReplay } from "../../http/reply.ts";
import * as wire from "../../domain/wire.ts";

const AllocationBody = z.object({
  currency: text({ min: 1, max: 32 }),
  network: text({ min: 1, max: 32 }),
  user_identifier: text({ max: 256 }).optional().meta({
    description:
      "Your name for the customer, who then always gets the same address on this network.",
  }),
  idempotency_key: text({ max: 128 }).optional().meta({
    description: "Repeating a request with the same key returns what the first one created.",
  }),
});

const UserIdentifier = z.string().nullable().meta({
  description: "Null for addresses from the pool.",
});

const RequestedAddress = z.object({
  request_id: wire.Id,
  address: z.string().meta({ description: "Where the customer sends the money." }),
  network: wire.Network,
  currency: wire.Currency,
  contract_address: z.string().nullable().meta({ description: "Null for the network's own coin." }),
  user_identifier: UserIdentifier,
  display_expires_at: wire.Time.describe(
    "When to stop showing the address. What arrives later is still credited.",
  ),
  created_at: wire.Time,
}).meta({ id: "RequestedAddress" });

export const ListedDeposit = z.object({
  tx_hash: wire.TxHash,
  amount_decimal: wire.Amount,
  confirmations: wire.Confirmations,
  status: z.enum(TRANSACTION_STATUSES),
  block_number: wire.BlockNumber,
  detected_at: wire.Time,
  confirmed_at: wire.Time.nullable(),
}).meta({ id: "ListedDeposit" });

export const DepositRequest = RequestedAddress.omit({ contract_address: true }).extend({
  status: z.enum(DEPOSIT_REQUEST_STATUSES),
  transactions: z.array(ListedDeposit),
}).meta({ id: "DepositRequest" });

const EXAMPLE = {
  request_id: 17,
  address: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  network: "ETH",
  currency: "USDT",
  user_identifier: "customer-7",
  display_expires_at: "2026-01-31T15:00:00+00:00",
  created_at: "2026-01-31T12:00:00+00:00",
};

/** Spec 4.4 */
export const createDepositAddress: Endpoint = {
  method: "POST",
  path: "/v1/deposit-addresses",
  operationId: "createDepositAddress",
  permission: "request_deposit_address",
  tag: "Deposits",
  summary: "Get an address for a payment",
  description:
    "With `user_identifier`, you get the customer's own address. Without it, you get one from a pool, which is reused for other requests later.",
  body: AllocationBody,
  reference: "idempotency_key",
  data: RequestedAddress,
  refusals: ["validation_failed", ...PAY_IN.refusals],
  example: {
    body: { network: "ETH", currency: "USDT", user_identifier: "customer-7" },
    data: { ...EXAMPLE, contract_address: "0xdAC17F958D2ee523a2206206994597C13D831ec7" },
  },
  handle: (deps) => async (c) => {
    const body = parseBody(c.env.state.body, AllocationBody);
    const asked = {
      network: body.network,
      currency: body.currency,
      userIdentifier: body.user_identifier ?? null,
    };
    const { row, isReplay } = await allocateDepositAddress(deps, {
      caller: signedCaller(c),
      ...asked,
      idempotencyKey: body.idempotency_key ?? null,
    });
    if (isReplay) return okReplay(c, addressEntry(row), depositReplay(asked, row));
    return ok(c, addressEntry(row));
  },
};

function addressEntry(row: DepositRequestRow): z.input<typeof RequestedAddress> {
  return { ...requestFacts(row), contract_address: row.contractAddress };
}

/** Spec 4.5 */
export const readDepositRequest: Endpoint = {
  method: "GET",
  path: "/v1/deposit-requests/{request_id}",
  operationId: "readDepositRequest",
  permission: "read_deposit_status",
  tag: "Deposits",
  summary: "Read a deposit request",
  description: "Includes the payments received for it: to its address, in its currency.",
  data: DepositRequest,
  refusals: ["not_found"],
  example: {
    path: { request_id: 17 },
    data: {
      ...EXAMPLE,
      status: "settled",
      transactions: [{
        tx_hash: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
        amount_decimal: "25",
        confirmations: 14,
        status: "confirmed",
        block_number: 24312001,
        detected_at: "2026-01-31T12:04:11+00:00",
        confirmed_at: "2026-01-31T12:06:35+00:00",
      }],
    },
  },
  handle: (deps) => async (c) => {
    const { db, clock } = deps;
    const row = owned(await db.find(DepositRequests, [idParam(c, "request_id")]), accountOf(c));
    await genuine(deps, DepositRequests, [row]);
    const [deposits, cursor] = await Promise.all([
      depositsOfRequest(db, row),
      db.find(NetworkCursors, [row.network]),
    ]);
    await genuine(deps, Transactions, deposits);
    return ok(
      c,
      requestEntry(row, { deposits, topHeight: cursor?.topHeight ?? 0, nowMs: clock.nowMs() }),
    );
  },
};

function requestEntry(
  row: DepositRequestRow,
  facts: { deposits: readonly TransactionRow[]; topHeight: number; nowMs: number },
): z.input<typeof DepositRequest> {
  const hasCredited = facts.deposits.some((deposit) => deposit.confirmedAtMs !== null);
  const { displayExpiresAtMs } = row;
  return {
    ...requestFacts(row),
    status: depositRequestStatus({ displayExpiresAtMs, hasCredited }, facts.nowMs),
    transactions: facts.deposits.map((deposit) => listedDeposit(deposit, facts.topHeight)),
  };
}

export function requestFacts(row: DepositRequestRow) {
  return {
    request_id: row.id,
    address: row.address,
    network: row.network,
    currency: row.currency,
    user_identifier: row.userIdentifier,
    display_expires_at: isoUtc(row.displayExpiresAtMs),
    created_at: isoUtc(row.createdAtMs),
  };
}

export function listedDeposit(
  row: TransactionRow,
  topHeight: number,
): z.input<typeof ListedDeposit> {
  return {
    tx_hash: row.txHash,
    amount_decimal: row.amount,
    confirmations: confirmationsOf(topHeight, row),
    status: row.status,
    block_number: row.blockNumber,
    detected_at: isoUtc(row.createdAtMs),
    confirmed_at: isoUtcOrNull(row.confirmedAtMs),
  };
}
