import { type ApiKeyRow, ApiKeys } from "../../access/tables/keys.ts";
import { type UserRow, Users } from "../../access/tables/users.ts";
import { type AccountRow, Accounts } from "../../accounts/tables/accounts.ts";
import { foldAscii } from "../../base/fold_ascii.ts";
import { type InvoiceRow, Invoices } from "../../invoices/tables/invoices.ts";
import type { SearchOrder } from "./codes.ts";
import type { Db } from "../../store/engine/db.ts";
import type { AnyRow, Table } from "../../store/tables/table.ts";
import {
  Addresses,
  type AddressRow,
  type DepositRequestRow,
  DepositRequests,
} from "../../wallets/tables/addresses.ts";
import { type WebhookEndpointRow, WebhookEndpoints } from "../../webhooks/tables/webhooks.ts";
import { ENDED, type WithdrawalRow, Withdrawals } from "../../withdrawals/table.ts";

const LAST = "\u{10FFFF}";
/** Of one account. It has few, and any part of a label is found among them. */
const LABELS_MAX = 500;

interface Texts<Row extends AnyRow> {
  readonly table: Table<Row>;
  readonly column: string;
  /** An index of all accounts, and one that begins with the account. */
  readonly all: string;
  readonly own: string;
  readonly where: string;
}

/** Addresses by their customers. */
export const customersLike = beginningWith<AddressRow>({
  ...{ table: Addresses, column: "user_identifier", where: "user_identifier IS NOT NULL" },
  ...{ all: "addresses_customer", own: "addresses_account_customer" },
});

export const requestsLike = beginningWith<DepositRequestRow>({
  ...{ table: DepositRequests, column: "idempotency_key", where: "idempotency_key IS NOT NULL" },
  ...{ all: "deposit_requests_key", own: "deposit_requests_account_key" },
});

/** Withdrawals that have ended, by their references. */
export const referencesLike = beginningWith<WithdrawalRow>({
  ...{ table: Withdrawals, column: "client_reference" },
  ...{ all: "withdrawals_text", own: "withdrawals_account_text" },
  where: `client_reference IS NOT NULL AND ${ENDED}`,
});

/** Invoices by their references, and by whom they are for. */
export const invoicesLike = beginningWith<InvoiceRow>({
  ...{ table: Invoices, column: "reference", where: "reference IS NOT NULL" },
  ...{ all: "invoices_text", own: "invoices_account_text" },
});

export const payersLike = beginningWith<InvoiceRow>({
  ...{ table: Invoices, column: "customer", where: "customer IS NOT NULL" },
  ...{ all: "invoices_customer_text", own: "invoices_account_customer_text" },
});

/** No index knows the middle of a text, so only so many of the newest invoices are looked through. */
export const DESCRIBED_MAX = 2_000;
const DESCRIBED_MIN = 2;

/** Invoices by any part of what they are for, newest first. */
export async function describedLike(
  db: Db,
  { term: { folded, isWhole }, accountId, limit }: SearchOrder,
): Promise<InvoiceRow[]> {
  if (isWhole || folded.length < DESCRIBED_MIN) return [];
  const newest = accountId === null
    ? "WHERE id > 0"
    : "INDEXED BY invoices_account\n    WHERE account_id = ?";
  return await db.rows(
    Invoices,
    `WHERE id IN (
  SELECT id
  FROM (
    SELECT id, description
    FROM invoices ${newest}
    ORDER BY id DESC
    LIMIT ${DESCRIBED_MAX}
  )
  WHERE instr(lower(description), ?) > 0
  ORDER BY id DESC
  LIMIT ?
)
ORDER BY id DESC`,
    [...accountId === null ? [] : [accountId], folded, limit],
  );
}

function beginningWith<Row extends AnyRow>(
  { table, column, all, own, where }: Texts<Row>,
): (db: Db, order: SearchOrder) => Promise<Row[]> {
  return (db, { term: { folded }, accountId, limit }) => {
    const [index, owned] = accountId === null ? [all, ""] : [own, "AND account_id = ?"];
    return db.rows(
      table,
      `INDEXED BY ${index}
WHERE ${where} AND lower(${column}) >= ? AND lower(${column}) < ? ${owned}
ORDER BY lower(${column}), id
LIMIT ?`,
      [folded, `${folded}${LAST}`, ...accountId === null ? [] : [accountId], limit],
    );
  };
}

export function accountsNamed(db: Db, { term, limit }: SearchOrder): Promise<AccountRow[]> {
  return byLabel(db, Accounts, {
    ...{ index: "accounts_name", expression: "lower(name)", folded: term.folded, limit },
  });
}

export function usersNamed(db: Db, { term, limit }: SearchOrder): Promise<UserRow[]> {
  return byLabel(db, Users, {
    ...{ index: "users_email", expression: "email", folded: term.folded, limit },
  });
}

/** By label or key id. */
export async function keysLike(
  db: Db,
  { term: { folded }, accountId, limit }: SearchOrder,
): Promise<ApiKeyRow[]> {
  if (accountId !== null) {
    const rows = await db.rows(ApiKeys, `WHERE account_id = ? LIMIT ${LABELS_MAX}`, [accountId]);
    return rows.filter(({ label, keyId }) =>
      foldAscii(label).includes(folded) || foldAscii(keyId).startsWith(folded)
    );
  }
  const found = await Promise.all([
    byLabel(db, ApiKeys, {
      ...{ index: "api_keys_search", expression: "lower(key_id)", folded, limit },
    }),
    byLabel(db, ApiKeys, {
      ...{ index: "api_keys_label", expression: "lower(label)", folded, limit },
    }),
  ]);
  return found.flat();
}

const HOST = "replace(replace(lower(url), 'https://', ''), 'http://', '')";

export async function webhooksLike(
  db: Db,
  { term, accountId, limit }: SearchOrder,
): Promise<WebhookEndpointRow[]> {
  if (accountId !== null) {
    const rows = await db.rows(
      WebhookEndpoints,
      `WHERE account_id = ? ORDER BY id DESC LIMIT ${LABELS_MAX}`,
      [accountId],
    );
    return rows.filter(({ url }) => foldAscii(url).includes(term.folded));
  }
  const folded = term.folded.replace(/^https?:\/\//, "");
  if (folded === "") return [];
  return await byLabel(db, WebhookEndpoints, {
    ...{ index: "webhook_endpoints_host", expression: HOST, folded, limit },
  });
}

interface LabelsWanted {
  readonly index: string;
  readonly expression: string;
  readonly folded: string;
  readonly limit: number;
}

/** Of all accounts, by how they begin. */
function byLabel<Row extends AnyRow>(
  db: Db,
  table: Table<Row>,
  { index, expression, folded, limit }: LabelsWanted,
): Promise<Row[]> {
  return db.rows(
    table,
    `INDEXED BY ${index}
WHERE ${expression} >= ? AND ${expression} < ?
ORDER BY ${expression}
LIMIT ?`,
    [folded, `${folded}${LAST}`, limit],
  );
}
