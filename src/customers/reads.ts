import { Amount, assetOf } from "../domain/money/amount.ts";
import { CREDITED_STATUSES } from "../deposits/rules/transaction_moves.ts";
import type { SqlRow } from "../store/connection/connection.ts";
import type { Db } from "../store/engine/db.ts";
import { idsBeyond, type Paged } from "../store/lists/order.ts";
import {
  Addresses,
  type AddressRow,
  type DepositRequestRow,
  DepositRequests,
} from "../wallets/tables/addresses.ts";

const CREDITED: ReadonlySet<string> = new Set(CREDITED_STATUSES);
const CUSTOMERS_ADDRESSES_MAX = 200;
/** More payments than this aren't added up for a page. */
export const ADDED_UP_MAX = 5_000;

/** Exactly this name; one address on each network. */
export function addressesOfCustomer(
  db: Db,
  { accountId, userIdentifier }: { accountId: number; userIdentifier: string },
): Promise<AddressRow[]> {
  return db.rows(
    Addresses,
    `INDEXED BY addresses_sticky
WHERE account_id = ? AND network IN (SELECT code FROM networks) AND user_identifier = ?
ORDER BY id
LIMIT ${CUSTOMERS_ADDRESSES_MAX}`,
    [accountId, userIdentifier],
  );
}

/** One row for each of a customer's addresses. */
export function customerPage(
  db: Db,
  { accountId, ...paged }: Paged & { accountId: number | null },
): Promise<AddressRow[]> {
  const beyond = idsBeyond(paged);
  const [index, owned, args] = accountId === null
    ? ["addresses_newest_customers", "", []]
    : ["addresses_account_newest_customers", "AND account_id = ?", [accountId]];
  return db.rows(
    Addresses,
    `INDEXED BY ${index}
WHERE user_identifier IS NOT NULL ${owned} AND ${beyond.sql}`,
    [...args, ...beyond.args],
  );
}

/** The newest that got this address. */
export function requestsOfAddress(
  db: Db,
  { addressId, limit }: { addressId: number; limit: number },
): Promise<DepositRequestRow[]> {
  return db.rows(
    DepositRequests,
    `INDEXED BY deposit_requests_owner
WHERE address_id = ?
ORDER BY created_at_ms DESC, id DESC
LIMIT ?`,
    [addressId, limit],
  );
}

export interface ReceivedSum {
  readonly addressId: number;
  readonly network: string;
  readonly currency: string;
  /** What is credited, or still confirming. */
  readonly credited: Amount;
  readonly confirming: Amount;
  readonly payments: number;
}

/** Of each address and currency, exactly; `isCut` if there are more payments than were added up. */
export async function receivedAt(
  db: Db,
  addressIds: readonly number[],
): Promise<{ sums: ReceivedSum[]; isCut: boolean }> {
  const rows = await db.query(
    `SELECT address_id, network, currency, status, amount
FROM transactions INDEXED BY transactions_address_newest
WHERE address_id IN (SELECT value FROM json_each(?)) AND direction = 'deposit'
LIMIT ?`,
    [JSON.stringify(addressIds), ADDED_UP_MAX],
  );
  const sums = new Map<string, ReceivedSum>();
  for (const row of rows) {
    const key = `${row.address_id} ${row.network} ${row.currency}`;
    sums.set(key, withPayment(sums.get(key) ?? nothingAt(row), row));
  }
  return { sums: [...sums.values()], isCut: rows.length === ADDED_UP_MAX };
}

function nothingAt(row: SqlRow): ReceivedSum {
  const [network, currency] = [String(row.network), String(row.currency)];
  const zero = Amount.zero(assetOf({ network, currency }));
  const addressId = Number(row.address_id);
  return { addressId, network, currency, credited: zero, confirming: zero, payments: 0 };
}

function withPayment(sum: ReceivedSum, row: SqlRow): ReceivedSum {
  const { credited, confirming, payments } = sum;
  const amount = Amount.parse(String(row.amount), credited.asset);
  return {
    ...sum,
    credited: CREDITED.has(String(row.status)) ? credited.plus(amount) : credited,
    confirming: row.status === "detected" ? confirming.plus(amount) : confirming,
    payments: payments + 1,
  };
}
