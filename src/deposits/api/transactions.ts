import { z } from "zod";
import { last } from "../../base/lists.ts";
import { genuine } from "../../books/tampered.ts";
import { type FieldFault, Refused } from "../../domain/refusal.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import { confirmationsOf, DIRECTIONS, TRANSACTION_STATUSES } from "../rules/transaction_moves.ts";
import { type TransactionRow, Transactions } from "../tables/transactions.ts";
import { rowsOf } from "../../operations/lists/list.ts";
import { TRANSACTIONS } from "../lists/transactions.ts";
import { topHeights } from "../reads/transactions.ts";
import { accountOf } from "../../http/caller.ts";
import type { Endpoint } from "../../http/endpoint.ts";
import { answerList } from "../../http/lists/list.ts";
import { type Query, queryOf } from "../../http/request_state.ts";
import * as wire from "../../domain/wire.ts";

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 200;

const Transaction = z.object({
  id: wire.Id,
  tx_hash: wire.TxHash,
  direction: z.enum(DIRECTIONS),
  status: z.enum(TRANSACTION_STATUSES),
  currency: wire.Currency,
  network: wire.Network,
  from_address: z.string(),
  to_address: z.string(),
  amount_decimal: wire.Amount,
  confirmations: wire.Confirmations,
  block_number: wire.BlockNumber,
  created_at: wire.Time,
  confirmed_at: wire.Time.nullable(),
}).meta({ id: "Transaction" });

/** Spec 4.8: newest first, by cursor. */
export const listTransactions: Endpoint = {
  method: "GET",
  path: "/v1/transactions",
  operationId: "listTransactions",
  permission: "list_transactions",
  tag: "Account",
  summary: "List transactions",
  description: "Everything that moved the account's money on a chain, newest first.",
  query: z.object({
    direction: z.enum(DIRECTIONS).optional(),
    status: z.enum(TRANSACTION_STATUSES).optional(),
    network: wire.NetworkFilter.optional(),
    currency: wire.CurrencyFilter.optional(),
    cursor: z.int().optional().meta({ description: "The `next_cursor` of the previous page." }),
    limit: z.int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT),
  }),
  data: Transaction,
  list: "pages",
  refusals: ["validation_failed"],
  example: {
    query: { direction: "deposit", limit: 50 },
    data: {
      id: 4711,
      tx_hash: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
      direction: "deposit",
      status: "swept",
      currency: "USDT",
      network: "ETH",
      from_address: "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
      to_address: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
      amount_decimal: "25",
      confirmations: 214,
      block_number: 24312001,
      created_at: "2026-01-31T12:04:11+00:00",
      confirmed_at: "2026-01-31T12:06:35+00:00",
    },
  },
  handle: (deps) => async (c) => {
    const { db } = deps;
    const query = queryOf(c.env.state.target);
    const page = parsePage(query);
    const { cursor, limit, ...values } = page;
    const asked = { accountId: accountOf(c), values, cursor, limit };
    const readPage = async () => {
      const found = await rowsOf(deps, TRANSACTIONS, asked);
      const rows = await genuine(deps, Transactions, found.rows);
      const heights = rows.length === 0 ? new Map<string, number>() : await topHeights(db);
      const has_more = rows.length === limit;
      return {
        texts: rows.map((row) =>
          JSON.stringify(transactionEntry(row, heights.get(row.network) ?? 0))
        ),
        count: rows.length,
        page: { next_cursor: has_more ? last(rows).id : null, has_more },
      };
    };
    return await answerList(deps, c, (place) => place.turn(readPage));
  },
};

/** Codes match in any case; an unknown code matches nothing. */
function parsePage(query: Query) {
  const faults: FieldFault[] = [];
  const limitOf = (text: string | null) => {
    if (text === null) return LIMIT_DEFAULT;
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= 1 && value <= LIMIT_MAX) return value;
    faults.push({ field: "limit", message: `Must be an integer from 1 to ${LIMIT_MAX}` });
    return LIMIT_DEFAULT;
  };
  // Every id is below this limit, so a larger cursor means the same.
  const cursorOf = (text: string | null) => {
    if (text === null) return null;
    if (/^-?\d+$/.test(text)) return Math.min(Math.max(Number(text), 0), Number.MAX_SAFE_INTEGER);
    faults.push({ field: "cursor", message: "Must be an integer" });
    return null;
  };
  const oneOf = (field: string, allowed: readonly string[]) => {
    const text = query.get(field);
    if (text !== null && !allowed.includes(text)) {
      faults.push({ field, message: `Must be one of ${allowed.join(", ")}` });
    }
    return text ?? undefined;
  };
  const page = {
    direction: oneOf("direction", DIRECTIONS),
    status: oneOf("status", TRANSACTION_STATUSES),
    network: query.get("network") ?? undefined,
    currency: query.get("currency") ?? undefined,
    cursor: cursorOf(query.get("cursor")),
    limit: limitOf(query.get("limit")),
  };
  if (faults.length > 0) throw new Refused("validation_failed", { fields: faults });
  return page;
}

function transactionEntry(
  row: TransactionRow,
  topHeight: number,
): z.input<typeof Transaction> {
  return {
    id: row.id,
    tx_hash: row.txHash,
    direction: row.direction,
    status: row.status,
    currency: row.currency,
    network: row.network,
    from_address: row.fromAddress,
    to_address: row.toAddress,
    amount_decimal: row.amount,
    confirmations: confirmationsOf(topHeight, row),
    block_number: row.blockNumber,
    created_at: isoUtc(row.createdAtMs),
    confirmed_at: isoUtcOrNull(row.confirmedAtMs),
  };
}
