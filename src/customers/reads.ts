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

/** Of each customer the newest are counted; the list of invoices adds up all. */
export const INVOICES_COUNTED_MAX = 100;

interface Counted {
  readonly currency: string;
  readonly status: string;
  readonly amount: string;
}

/** Whom an account's invoices name as their customer. */
export interface InvoiceCustomer {
  /** Of the customer's first invoice. */
  readonly id: number;
  readonly accountId: number;
  /** Empty if a program left it so. */
  readonly customer: string;
  /** The newest, up to `INVOICES_COUNTED_MAX`. */
  readonly invoices: readonly Counted[];
}

/**
 * By name, and of all accounts account by account. It steps from name to name, so the cost doesn't
 * grow with the invoices that each has.
 */
export async function invoiceCustomers(
  db: Db,
  { accountId, cursor, limit }: {
    /** Null: of all accounts. */
    readonly accountId: number | null;
    /** The id of the last row of the page before; null: from the start. */
    readonly cursor: number | null;
    readonly limit: number;
  },
): Promise<InvoiceCustomer[]> {
  const isOfAll = accountId === null;
  const firstWhere = (condition: string) =>
    `(SELECT n.id
    FROM invoices AS n INDEXED BY invoices_customer
    WHERE n.customer IS NOT NULL AND ${condition}
    ORDER BY n.account_id, n.customer, n.id
    LIMIT 1)`;
  // Not compared as pairs: the database would read all that equal the pair before.
  const nextTo = (row: "b" | "i") => {
    const own = firstWhere(`n.account_id = ${row}.account_id AND n.customer > ${row}.customer`);
    return isOfAll ? `coalesce(${own}, ${firstWhere(`n.account_id > ${row}.account_id`)})` : own;
  };
  const first = cursor === null
    ? `SELECT ${firstWhere(isOfAll ? "n.account_id > 0" : "n.account_id = ?1")}, 1`
    : `SELECT ${nextTo("b")}, 1
  FROM invoices AS b
  WHERE b.id = ?2${isOfAll ? "" : " AND b.account_id = ?1"}`;
  const rows = await db.query(
    `WITH RECURSIVE steps (id, step) AS (
  ${first}
  UNION ALL
  SELECT ${nextTo("i")}, s.step + 1
  FROM steps AS s
  CROSS JOIN invoices AS i ON i.id = s.id
  WHERE s.step < ?3
)
SELECT i.id, i.account_id, i.customer, (
  SELECT json_group_array(json_array(currency, status, amount))
  FROM (
    SELECT c.currency, c.status, c.amount
    FROM invoices AS c INDEXED BY invoices_customer
    WHERE c.account_id = i.account_id AND c.customer = i.customer
    ORDER BY c.id DESC
    LIMIT ?4)) AS rows
FROM steps AS s
CROSS JOIN invoices AS i ON i.id = s.id
ORDER BY s.step`,
    [accountId, cursor, limit, INVOICES_COUNTED_MAX],
  );
  return rows.map(customerIn);
}

function customerIn({ id, account_id, customer, rows }: SqlRow): InvoiceCustomer {
  const found: [currency: string, status: string, amount: string][] = JSON.parse(String(rows));
  return {
    id: Number(id),
    accountId: Number(account_id),
    customer: String(customer),
    invoices: found.map(([currency, status, amount]) => ({ currency, status, amount })),
  };
}
