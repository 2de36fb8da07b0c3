import type { ApiKeyRow } from "../../access/tables/keys.ts";
import type { UserRow } from "../../access/tables/users.ts";
import {
  type AccountRow,
  Accounts,
  type ReceivingWalletRow,
} from "../../accounts/tables/accounts.ts";
import { type TransactionRow, Transactions } from "../../deposits/tables/transactions.ts";
import { type InvoiceRow, Invoices } from "../../invoices/tables/invoices.ts";
import {
  addressesLike,
  paidFrom,
  paidTo,
  receivingWalletsLike,
  type SearchOrder,
  transactionsByHash,
  transfersByHash,
  transfersSpending,
} from "./codes.ts";
import { END_MIN, type SearchTerm } from "./term.ts";
import {
  accountsNamed,
  customersLike,
  describedLike,
  invoicesLike,
  keysLike,
  payersLike,
  referencesLike,
  requestsLike,
  usersNamed,
  webhooksLike,
} from "./texts.ts";
import type { Db } from "../../store/engine/db.ts";
import type { Condition } from "../../store/lists/order.ts";
import { type SweepRow, Sweeps } from "../../sweeps/table.ts";
import { withPayments } from "../../transfers/reads/transfers.ts";
import type { SignedTransactionRow } from "../../transfers/table.ts";
import {
  type AddressRow,
  type DepositRequestRow,
  DepositRequests,
} from "../../wallets/tables/addresses.ts";
import { type WebhookEndpointRow, WebhookEndpoints } from "../../webhooks/tables/webhooks.ts";
import { OPEN_WITHDRAWAL_STATUSES } from "../../withdrawals/rules/moves.ts";
import { OPEN_WITHDRAWALS, type WithdrawalRow, Withdrawals } from "../../withdrawals/table.ts";

/** Of each way to open ones. */
const OPEN_MAX = 1_000;
const KEYS_MAX = 1_000;

const COLUMNS = "SELECT id, status, client_reference, to_address FROM withdrawals";

/** What any of a record's texts, or its number, matches. The same row may be there repeatedly. */
export interface Found {
  readonly addresses: readonly AddressRow[];
  readonly customers: readonly AddressRow[];
  readonly transactions: readonly TransactionRow[];
  readonly withdrawals: readonly WithdrawalRow[];
  readonly transfers: readonly FoundTransfer[];
  readonly sweeps: readonly SweepRow[];
  readonly requests: readonly DepositRequestRow[];
  readonly invoices: readonly InvoiceRow[];
  readonly wallets: readonly ReceivingWalletRow[];
  readonly accounts: readonly AccountRow[];
  readonly keys: readonly ApiKeyRow[];
  readonly webhooks: readonly WebhookEndpointRow[];
  readonly users: readonly UserRow[];
  /** A few digits begin many hashes, which aren't looked for if they are a record's number. */
  readonly isNumber: boolean;
}

/** One of our own transactions, and what it was for. */
export interface FoundTransfer {
  readonly tx: SignedTransactionRow;
  readonly withdrawal: WithdrawalRow | undefined;
  readonly sweep: SweepRow | undefined;
}

export async function search(db: Db, order: SearchOrder): Promise<Found> {
  const isOperator = order.accountId === null;
  const numbers = await byNumber(db, order);
  const isNumber = order.term.folded.length < END_MIN &&
    Object.values(numbers).some((rows) => rows.length > 0);
  const [codes, texts, accounts, users] = await Promise.all([
    isNumber ? NO_CODES : byCodes(db, order),
    byTexts(db, order),
    isOperator ? accountsNamed(db, order) : [],
    isOperator ? usersNamed(db, order) : [],
  ]);
  return {
    ...numbers,
    ...texts,
    ...codes,
    ...{ users, isNumber },
    transactions: [...numbers.transactions, ...codes.hashes, ...codes.payers],
    withdrawals: [...numbers.withdrawals, ...texts.withdrawals, ...codes.paid],
    requests: [...numbers.requests, ...texts.requests],
    invoices: [...numbers.invoices, ...texts.invoices],
    accounts: [...numbers.accounts, ...accounts],
    webhooks: [...numbers.webhooks, ...texts.webhooks],
  };
}

const NO_CODES = { addresses: [], payers: [], paid: [], wallets: [], hashes: [], transfers: [] };

async function byCodes(db: Db, order: SearchOrder) {
  const [addresses, payers, paid, wallets, hashes, made, spending] = await Promise.all([
    addressesLike(db, order),
    paidFrom(db, order),
    paidTo(db, order),
    receivingWalletsLike(db, order),
    transactionsByHash(db, order),
    transfersByHash(db, order),
    transfersSpending(db, order),
  ]);
  const found = { addresses, payers, paid, wallets, hashes };
  return { ...found, transfers: await withPurposes(db, order, [...made, ...spending]) };
}

/** Of a transaction with several payments, a person of an account sees the account's. */
async function withPurposes(
  db: Db,
  { accountId }: SearchOrder,
  rows: readonly SignedTransactionRow[],
): Promise<FoundTransfer[]> {
  const signed = await withPayments(db, rows);
  const nobody = { withdrawalId: null, sweepId: null };
  const found = await Promise.all(
    signed.flatMap(({ tx, payments }) =>
      (payments.length === 0 ? [nobody] : payments).map(
        async ({ withdrawalId, sweepId }): Promise<FoundTransfer> => {
          const [withdrawal, sweep] = await Promise.all([
            withdrawalId === null ? undefined : db.find(Withdrawals, [withdrawalId]),
            sweepId === null ? undefined : db.find(Sweeps, [sweepId]),
          ]);
          return { tx, withdrawal, sweep };
        },
      )
    ),
  );
  return found.filter(({ withdrawal, sweep }) =>
    accountId === null || withdrawal?.accountId === accountId || sweep?.accountId === accountId
  );
}

async function byTexts(db: Db, order: SearchOrder) {
  const [payouts, customers, requests, keys, webhooks, ...invoices] = await Promise.all([
    payoutsLike(db, order),
    customersLike(db, order),
    requestsLike(db, order),
    keysLike(db, order),
    webhooksLike(db, order),
    invoicesLike(db, order),
    payersLike(db, order),
    describedLike(db, order),
  ]);
  return {
    ...{ customers, requests, keys, webhooks },
    invoices: invoices.flat(),
    withdrawals: payouts,
  };
}

async function payoutsLike(db: Db, order: SearchOrder): Promise<WithdrawalRow[]> {
  const rows = await Promise.all([
    withdrawalsReferenced(db, order),
    openWithdrawalsLike(db, order),
    referencesLike(db, order),
  ]);
  return rows.flat();
}

const NOTHING = {
  ...{ transactions: [], withdrawals: [], sweeps: [], requests: [], accounts: [], webhooks: [] },
  invoices: [],
};

async function byNumber(db: Db, { term: { id }, accountId }: SearchOrder) {
  if (id === null) return NOTHING;
  const [transaction, withdrawal, sweep, request, invoice, account, webhook] = await Promise.all([
    db.find(Transactions, [id]),
    db.find(Withdrawals, [id]),
    db.find(Sweeps, [id]),
    db.find(DepositRequests, [id]),
    db.find(Invoices, [id]),
    accountId === null ? db.find(Accounts, [id]) : undefined,
    db.find(WebhookEndpoints, [id]),
  ]);
  const payments = ownedBy(accountId, transaction);
  return {
    transactions: payments.filter(({ direction }) => direction === "deposit"),
    withdrawals: ownedBy(accountId, withdrawal),
    sweeps: ownedBy(accountId, sweep),
    requests: ownedBy(accountId, request),
    invoices: ownedBy(accountId, invoice),
    accounts: account ? [account] : [],
    webhooks: ownedBy(accountId, webhook),
  };
}

function ownedBy<Row extends { readonly accountId: number }>(
  accountId: number | null,
  row: Row | undefined,
): Row[] {
  return row && (accountId === null || row.accountId === accountId) ? [row] : [];
}

/** By reference or recipient: no index that an order pays for leads to parts of them. */
function openWithdrawalsLike(
  db: Db,
  { term, accountId, limit }: SearchOrder,
): Promise<WithdrawalRow[]> {
  const ways = accountId === null ? ofAll() : ofAccount(accountId);
  const [like, ...values] = likeTerm(term);
  return db.rows(
    Withdrawals,
    `WHERE id IN (
  SELECT id
  FROM (${ways.map(([sql]) => `SELECT * FROM (${sql} LIMIT ${OPEN_MAX})`).join(" UNION ALL ")})
  WHERE status IN ${OPEN_WITHDRAWALS} AND (${like})
)
ORDER BY id DESC
LIMIT ?`,
    [...ways.flatMap(([, ...args]) => args), ...values, limit],
  );
}

function ofAll(): Condition[] {
  return OPEN_WITHDRAWAL_STATUSES.map((status) => [
    `${COLUMNS} INDEXED BY withdrawals_status WHERE status = ? ORDER BY id DESC`,
    status,
  ]);
}

/** The newest of any status, and open ones however old. */
function ofAccount(accountId: number): Condition[] {
  const open = OPEN_WITHDRAWAL_STATUSES.map((status): Condition => [
    `${COLUMNS} INDEXED BY withdrawals_kind WHERE account_id = ? AND status = ?`,
    accountId,
    status,
  ]);
  return [
    [
      `${COLUMNS} INDEXED BY withdrawals_account WHERE account_id = ? ORDER BY id DESC`,
      accountId,
    ],
    ...open,
  ];
}

function likeTerm({ folded, begins, end }: SearchTerm): Condition {
  // No address begins with nothing.
  const begin = begins[0] ?? "";
  const ends = end === null ? [] : [-end.length, end];
  const byEnd = "substr(lower(to_address), ?) = ?";
  const more = end === null ? "" : end === folded ? `OR ${byEnd}` : `AND ${byEnd}`;
  return [
    `substr(lower(client_reference), 1, ?) = ? OR substr(lower(to_address), 1, ?) = ? ${more}`,
    ...[folded.length, folded, Math.max(1, begin.length), begin, ...ends],
  ];
}

/** Of any status, and however many others there are: by the whole reference, in its case. */
function withdrawalsReferenced(
  db: Db,
  { term: { text }, accountId, limit }: SearchOrder,
): Promise<WithdrawalRow[]> {
  const keys = accountId === null
    ? `rowid > 0 ORDER BY rowid DESC LIMIT ${KEYS_MAX}`
    : `account_id = ? LIMIT ${KEYS_MAX}`;
  return db.rows(
    Withdrawals,
    `INDEXED BY withdrawals_reference
WHERE key_id IN (SELECT key_id FROM api_keys WHERE ${keys}) AND client_reference = ?
ORDER BY id DESC
LIMIT ?`,
    [...accountId === null ? [] : [accountId], text, limit],
  );
}
