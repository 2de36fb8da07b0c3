import type { DepositRequestStatus } from "../rules/deposit_request.ts";
import type { Db } from "../../store/engine/db.ts";
import { type DepositRequestRow, DepositRequests } from "../../wallets/tables/addresses.ts";
import { type TransactionRow, Transactions } from "../tables/transactions.ts";
import { type Fact, isWithin, type Listing } from "../../store/lists/listing.ts";

export const DEPOSIT_REQUESTS_LISTED: Listing<DepositRequestRow> = {
  table: DepositRequests,
  time: "created_at_ms",
  narrow: [[{ index: "deposit_requests_address", columns: ["address_id", "currency"] }]],
  ways: [[{ index: "deposit_requests_asset", columns: ["account_id", "network", "currency"] }]],
};

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

/** As it is now. */
export function isRequestInState(status: DepositRequestStatus, nowMs: number): Fact[] {
  const asked = (...others: NonNullable<Fact["others"]>) => ({ columns: [], values: [], others });
  if (status === "settled") return [asked([IS_CREDITED])];
  const isActive = status === "active";
  const shown = { fromMs: isActive ? nowMs + 1 : null, untilMs: isActive ? null : nowMs + 1 };
  return [asked([`NOT (${IS_CREDITED})`]), ...isWithin("display_expires_at_ms", shown)];
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
