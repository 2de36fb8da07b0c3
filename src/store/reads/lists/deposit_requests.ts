import type { DepositRequestStatus } from "../../../domain/states/deposit_request.ts";
import type { Db } from "../../engine/db.ts";
import { type DepositRequestRow, DepositRequests } from "../../tables/addresses.ts";
import { type TransactionRow, Transactions } from "../../tables/transactions.ts";
import { type Condition, equal, type PageOf } from "../pages/page.ts";
import { type Listed, ofAssets, windowOf } from "./listed.ts";
import type { Source } from "./_branches.ts";
import { walk } from "./walk.ts";

interface DepositRequestsAsked extends Listed {
  readonly status: DepositRequestStatus | null;
  /** For any of these. */
  readonly addressIds: readonly number[] | null;
  readonly nowMs: number;
}

/** The first credited deposit of a request `r`. */
const CREDITED = `coalesce(
  (
    SELECT t.id
    FROM transactions AS t INDEXED BY transactions_credited_address
    WHERE r.user_identifier IS NOT NULL AND t.address_id = r.address_id
      AND t.currency = r.currency AND t.confirmed_at_ms IS NOT NULL
    LIMIT 1
  ), (
    SELECT t.id
    FROM transactions AS t INDEXED BY transactions_credited_request
    WHERE r.user_identifier IS NULL AND t.deposit_request_id = r.id
      AND t.currency = r.currency AND t.confirmed_at_ms IS NOT NULL
    LIMIT 1))`;

const IS_CREDITED = `${CREDITED.replace(/\br\./g, "deposit_requests.")} IS NOT NULL`;

export function depositRequestsListed(
  db: Db,
  asked: DepositRequestsAsked,
): Promise<PageOf<DepositRequestRow>> {
  const { spans, status, nowMs, cursor, limit } = asked;
  const shown = status === "active"
    ? windowOf("display_expires_at_ms", { fromMs: nowMs + 1, untilMs: null })
    : [];
  return walk(db, { table: DepositRequests, spans }, {
    sources: [sourceOf(asked)],
    filters: [...addressFilter(asked), ...statusFilter(asked)],
    windows: [...windowOf("created_at_ms", asked), ...shown],
    cursor,
    limit,
  });
}

function sourceOf({ accountId, addressIds, assets }: DepositRequestsAsked): Source {
  if (addressIds) {
    const symbols = [...new Set(assets.map(({ symbol }) => symbol))];
    return {
      index: "deposit_requests_address",
      columns: ["address_id", "currency"],
      values: addressIds.flatMap((id) => symbols.map((symbol) => [id, symbol])),
    };
  }
  return {
    index: "deposit_requests_asset",
    columns: ["account_id", "network", "currency"],
    values: assets.map(({ network, symbol }) => [accountId, network, symbol]),
  };
}

function addressFilter({ addressIds, accountId, assets }: DepositRequestsAsked): Condition[] {
  return addressIds ? [...equal({ account_id: accountId }), ofAssets(assets)] : [];
}

function statusFilter({ status, nowMs }: DepositRequestsAsked): Condition[] {
  if (status === null) return [];
  if (status === "settled") return [[IS_CREDITED]];
  return [
    [`display_expires_at_ms ${status === "active" ? ">" : "<="} ?`, nowMs],
    [`NOT (${IS_CREDITED})`],
  ];
}

/** By request: a deposit that settled it. */
export async function creditsOf(
  db: Db,
  requests: readonly DepositRequestRow[],
): Promise<ReadonlyMap<number, TransactionRow>> {
  const found = await db.query(
    `SELECT r.id, ${CREDITED} AS credited
FROM deposit_requests AS r
WHERE r.id IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(requests.map(({ id }) => id))],
  );
  const ids = found.flatMap(({ credited }) => credited === null ? [] : [Number(credited)]);
  const rows = await db.rows(Transactions, "WHERE id IN (SELECT value FROM json_each(?))", [
    JSON.stringify(ids),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    found.flatMap(({ id, credited }) => {
      const row = byId.get(Number(credited));
      return row ? [[Number(id), row] as const] : [];
    }),
  );
}
