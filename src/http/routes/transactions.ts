import type { Handler } from "hono";
import type { Deps } from "../../actions/deps.ts";
import { confirmationsOf } from "../../domain/chain_follow.ts";
import { type FieldFault, Refused } from "../../domain/refusal.ts";
import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import { DIRECTIONS, TRANSACTION_STATUSES } from "../../domain/transaction_moves.ts";
import type { Catalog } from "../../store/catalog.ts";
import type { TransactionRow } from "../../store/rows.ts";
import {
  topHeights,
  type TransactionFilter,
  transactionPage,
} from "../../store/transaction_reads.ts";
import { accountOf } from "../caller.ts";
import { okList } from "../reply.ts";
import { type HttpEnv, type Query, queryOf } from "../request_state.ts";

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 200;

/** Spec 4.8: newest first, by cursor. */
export function listTransactions({ db, catalog }: Deps): Handler<HttpEnv> {
  return async (c) => {
    const query = queryOf(c.env.state.target);
    const page = parsePage(query);
    const known = await catalog.current();
    const filter = { accountId: accountOf(c), ...filterOf(query, known), ...page };
    const rows = await transactionPage(db, filter, known.currencies);
    const heights = rows.length === 0 ? new Map<string, number>() : await topHeights(db);
    const hasMore = rows.length === page.limit;
    return okList(c, rows.map((row) => transactionEntry(row, heights.get(row.network) ?? 0)), {
      next_cursor: hasMore ? rows.at(-1)!.id : null,
      has_more: hasMore,
    });
  };
}

interface Page {
  readonly limit: number;
  readonly cursor: number | null;
  readonly direction: string | null;
  readonly status: string | null;
}

function parsePage(query: Query): Page {
  const faults: FieldFault[] = [];
  const integer = (
    field: string,
    { min, max, fallback }: { min: number; max: number; fallback: number | null },
  ) => {
    const text = query.get(field);
    if (text === null) return fallback;
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= min && value <= max) return value;
    const rule = max === LIMIT_MAX
      ? `Must be an integer from ${min} to ${max}`
      : "Must be an integer";
    faults.push({ field, message: rule });
    return fallback;
  };
  const oneOf = (field: string, allowed: readonly string[]) => {
    const text = query.get(field);
    if (text !== null && !allowed.includes(text)) {
      faults.push({ field, message: `Must be one of ${allowed.join(", ")}` });
    }
    return text;
  };
  const page = {
    direction: oneOf("direction", DIRECTIONS),
    status: oneOf("status", TRANSACTION_STATUSES),
    cursor: integer("cursor", { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: null }),
    limit: integer("limit", { min: 1, max: LIMIT_MAX, fallback: LIMIT_DEFAULT })!,
  };
  if (faults.length > 0) throw new Refused("validation_failed", { fields: faults });
  return page;
}

/** Codes match whatever their case; one nobody knows matches nothing. */
function filterOf(
  query: Query,
  catalog: Catalog,
): Pick<TransactionFilter, "network" | "currencies"> {
  const network = query.get("network");
  const currency = query.get("currency")?.toLowerCase();
  const symbols = catalog.currencies.map((row) => row.symbol)
    .filter((symbol) => symbol.toLowerCase() === currency);
  return {
    network: network === null ? null : catalog.network(network)?.code ?? "",
    currencies: currency === undefined ? null : [...new Set(symbols)],
  };
}

function transactionEntry(row: TransactionRow, topHeight: number) {
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
    confirmations: confirmationsOf(topHeight, {
      height: row.blockNumber,
      isAnchored: row.blockHash !== null,
    }),
    block_number: row.blockNumber,
    created_at: isoUtc(row.createdAtMs),
    confirmed_at: isoUtcOrNull(row.confirmedAtMs),
  };
}
