import { type ReceivingWalletRow, ReceivingWallets } from "../../accounts/tables/accounts.ts";
import { type TransactionRow, Transactions } from "../../deposits/tables/transactions.ts";
import type { SearchTerm } from "./term.ts";
import type { Db } from "../../store/engine/db.ts";
import type { Condition } from "../../store/lists/order.ts";
import type { AnyRow, Table } from "../../store/tables/table.ts";
import { type SignedTransactionRow, SignedTransactions } from "../../transfers/table.ts";
import { Addresses, type AddressRow } from "../../wallets/tables/addresses.ts";
import { ENDED, type WithdrawalRow, Withdrawals } from "../../withdrawals/table.ts";

/** Of hashes and addresses, four characters leave one in 65,536. */
const CANDIDATES_MAX = 1_000;
/** Of all accounts, and however many rows each of them has. */
const BEGINNINGS_MAX = 1_000;

export interface SearchOrder {
  readonly term: SearchTerm;
  /** Null: of all accounts. */
  readonly accountId: number | null;
  readonly limit: number;
}

/** The characters at the beginning and the end of a code that its indexes hold. */
const BEGIN = 14;
const END = 6;
/** Sorts after every text. */
const LAST = "\u{10FFFF}";

interface Codes<Row extends AnyRow> {
  readonly table: Table<Row>;
  readonly column: string;
  /** Named by what they end with. */
  readonly begin: string;
  readonly end: string;
  /** What the indexes are limited to. */
  readonly where?: string;
  readonly order?: string;
}

const ADDRESSES: Codes<AddressRow> = {
  ...{ table: Addresses, column: "address" },
  ...{ begin: "addresses_begin", end: "addresses_end" },
};
const PAYERS: Codes<TransactionRow> = {
  ...{ table: Transactions, column: "from_address", where: "direction = 'deposit'" },
  ...{ begin: "transactions_payer_begin", end: "transactions_payer_end" },
};
const RECIPIENTS: Codes<WithdrawalRow> = {
  ...{ table: Withdrawals, column: "to_address" },
  ...{ begin: "withdrawals_recipient_begin", end: "withdrawals_recipient_end" },
  where: ENDED,
};
const WALLETS: Codes<ReceivingWalletRow> = {
  ...{ table: ReceivingWallets, column: "address", order: "account_id, network" },
  ...{ begin: "receiving_wallets_begin", end: "receiving_wallets_end" },
};

export const addressesLike = ofCodes(ADDRESSES);
/** Deposits by who paid. */
export const paidFrom = ofCodes(PAYERS);
/** Withdrawals that have ended, by who was paid. */
export const paidTo = ofCodes(RECIPIENTS);
export const receivingWalletsLike = ofCodes(WALLETS);

function ofCodes<Row extends AnyRow>(
  codes: Codes<Row>,
): (db: Db, order: SearchOrder) => Promise<Row[]> {
  return async (db, { term, accountId, limit }) => {
    const owned: Condition[] = accountId === null ? [] : [["account_id = ?", accountId]];
    const column = `lower(${codes.column})`;
    const ways = waysTo(term, { column, begin: codes.begin, end: codes.end });
    const { table, where, order = "id DESC" } = codes;
    return await inWays(ways, (way) => rowsOn(db, table, { way, where, owned, order, limit }));
  };
}

function waysTo(
  term: SearchTerm,
  { column, begin, end }: { column: string; begin: string; end: string },
): Way[] {
  const ways: Way[] = term.begins.map((text) => ({
    index: begin,
    ...beginning(`substr(${column}, 1, ${BEGIN})`, text.slice(0, BEGIN)),
    filters: [
      ...text.length > BEGIN ? startingWith(column, text) : [],
      ...shortenedTo(term, column),
    ],
  }));
  return isOnlyEnd(term) ? [...ways, endWay(column, { index: end, text: term.folded })] : ways;
}

/** A beginning and an end, as hashes are often shown. */
function shortenedTo({ end, folded }: SearchTerm, column: string): Condition[] {
  return end === null || end === folded ? [] : [endingWith(column, end)];
}

/** A complete code isn't the end of another one. */
function isOnlyEnd({ end, folded, isWhole }: SearchTerm): boolean {
  return end === folded && !isWhole;
}

/** Values of an indexed expression; those that are as long as the index are compared as a whole. */
function beginning(expression: string, text: string): Pick<Way, "keys" | "range"> {
  if (text.length >= BEGIN) return { keys: [[`${expression} = ?`, text]] };
  const below = `${text}${LAST}`;
  return {
    keys: [[`${expression} >= ?`, text], [`${expression} < ?`, below]],
    range: { expression, from: text, below },
  };
}

function startingWith(column: string, text: string): Condition[] {
  return [[`substr(${column}, 1, ?) = ?`, text.length, text]];
}

function endWay(column: string, { index, text }: { index: string; text: string }): Way {
  return {
    index,
    keys: [[`substr(${column}, -${END}) = ?`, text.slice(-END)]],
    filters: text.length > END ? [endingWith(column, text)] : [],
  };
}

function endingWith(column: string, text: string): Condition {
  return [`substr(${column}, ?) = ?`, -text.length, text];
}

const OWN_TRANSFER = `EXISTS (
    SELECT 1
    FROM signed_payments AS p
    WHERE p.signed_id = signed_transactions.id AND (EXISTS (
      SELECT 1 FROM withdrawals AS w WHERE w.id = p.withdrawal_id AND w.account_id = ?
    ) OR EXISTS (
      SELECT 1 FROM sweeps AS s WHERE s.id = p.sweep_id AND s.account_id = ?
    )))`;

/** What one of our addresses signed, outbid ones included. */
export function transfersByHash(db: Db, order: SearchOrder): Promise<SignedTransactionRow[]> {
  const { accountId } = order;
  return byHash(db, order, {
    table: SignedTransactions,
    ...{ begin: "signed_transactions_hash", end: "signed_transactions_hash_end" },
    owned: accountId === null ? [] : [[OWN_TRANSFER, accountId, accountId]],
  });
}

/** What one of our addresses signed to spend this output. */
export function transfersSpending(
  db: Db,
  { term: { folded, output }, accountId, limit }: SearchOrder,
): Promise<SignedTransactionRow[]> {
  if (output === null) return Promise.resolve([]);
  const owned = accountId === null ? "" : ` AND ${OWN_TRANSFER}`;
  return db.rows(
    SignedTransactions,
    `WHERE id IN (
  SELECT signed_id
  FROM claims INDEXED BY claims_claim
  WHERE network IN (SELECT code FROM networks) AND claim = ?
)${owned}
ORDER BY id DESC
LIMIT ?`,
    [`${folded}:${output}`, ...accountId === null ? [] : [accountId, accountId], limit],
  );
}

export function transactionsByHash(db: Db, order: SearchOrder): Promise<TransactionRow[]> {
  const { accountId, term: { output } } = order;
  return byHash(db, order, {
    table: Transactions,
    ...{ begin: "transactions_movement", end: "transactions_hash_end" },
    owned: accountId === null ? [] : [["account_id = ?", accountId]],
    endWhere: "direction = 'deposit'",
    filters: output === null ? [] : [["position = ?", output]],
  });
}

interface Hashes<Row extends AnyRow> {
  readonly table: Table<Row>;
  readonly begin: string;
  readonly end: string;
  readonly owned: readonly Condition[];
  /** What the index of ends is limited to. */
  readonly endWhere?: string;
  /** What the rows found must have besides. */
  readonly filters?: readonly Condition[];
}

const OF_NETWORKS: Condition = ["network IN (SELECT code FROM networks)"];

async function byHash<Row extends AnyRow>(
  db: Db,
  { term, limit }: SearchOrder,
  { table, begin, end, owned, endWhere, filters = [] }: Hashes<Row>,
): Promise<Row[]> {
  const ways: Way[] = term.begins.map((text) => ({
    index: begin,
    keys: [OF_NETWORKS, ["tx_hash >= ?", text], ["tx_hash < ?", `${text}${LAST}`]],
    filters: [...shortenedTo(term, "tx_hash"), ...filters],
  }));
  if (isOnlyEnd(term)) ways.push(endWay("tx_hash", { index: end, text: term.folded }));
  return await inWays(ways, (way) => {
    const where = way.index === end ? endWhere : undefined;
    return rowsOn(db, table, { way, where, owned, order: "id DESC", limit });
  });
}

/** The same row may be found in several ways; whoever shows them leaves out repetitions. */
async function inWays<Row>(
  ways: readonly Way[],
  read: (way: Way) => Promise<Row[]>,
): Promise<Row[]> {
  return (await Promise.all(ways.map(read))).flat();
}

interface Way {
  readonly index: string;
  /** What the index finds. */
  readonly keys: readonly Condition[];
  /** What the rows found must have besides. */
  readonly filters: readonly Condition[];
  /** The same as the keys if the index goes on with the account, but they leave several values. */
  readonly range?: Range | undefined;
}

interface Range {
  /** The indexed one. */
  readonly expression: string;
  readonly from: string;
  readonly below: string;
}

interface Rows {
  readonly way: Way;
  /** What the index is limited to. */
  readonly where: string | undefined;
  /** Nothing: of all accounts. */
  readonly owned: readonly Condition[];
  readonly order: string;
  readonly limit: number;
}

/** However many match a short part, and whoever they belong to, only so many are looked at. */
function rowsOn<Row extends AnyRow>(
  db: Db,
  table: Table<Row>,
  { way, where, owned, order, limit }: Rows,
): Promise<Row[]> {
  const limited: Condition[] = where === undefined ? [] : [[where]];
  const from = `${table.name} INDEXED BY ${way.index}`;
  const source = { name: table.name, from, limited, owned };
  const [sql, ...values] = way.range && owned.length > 0
    ? steppedTo(way.range, { ...source, limit })
    : straightTo(way, source);
  const outside = [...way.filters, ...owned];
  return db.rows(
    table,
    `WHERE rowid IN (${sql})${outside.length === 0 ? "" : ` AND ${textOf(outside)}`}
ORDER BY ${order}
LIMIT ?`,
    [...values, ...valuesOf(outside), limit],
  );
}

interface Source extends Pick<Rows, "owned"> {
  /** The table's, and with its index. */
  readonly name: string;
  readonly from: string;
  readonly limited: readonly Condition[];
}

function straightTo({ keys }: Way, { from, limited, owned }: Source): Condition {
  // The index then leads on to the account, and has its rows in the order of their ids.
  const isOwn = keys.every(isEqual) && owned.length > 0;
  const inside = [...limited, ...keys, ...isOwn ? owned : []];
  return [
    `
  SELECT rowid
  FROM ${from}
  WHERE ${textOf(inside)}${isOwn ? " ORDER BY rowid DESC" : ""}
  LIMIT ${CANDIDATES_MAX}
`,
    ...valuesOf(inside),
  ];
}

/**
 * From one value to the next, so that others' rows with the same value cost nothing. The newest of
 * each, because one payer can have paid often.
 */
function steppedTo(
  { expression, from: first, below }: Range,
  { name, from, limited, owned, limit }: Source & Pick<Rows, "limit">,
): Condition {
  const next = (after: string) =>
    `SELECT ${expression} FROM ${from}
    WHERE ${textOf([...limited, [`${expression} ${after}`]])} AND ${expression} < ?
    ORDER BY ${expression} LIMIT 1`;
  return [
    `
  WITH RECURSIVE beginnings (text) AS (
    SELECT (${next(">= ?")})
    UNION ALL
    SELECT (${next("> b.text")}) FROM beginnings AS b WHERE b.text IS NOT NULL
    LIMIT ${BEGINNINGS_MAX}
  )
  SELECT o.rowid
  FROM beginnings AS b CROSS JOIN ${name} AS o
  WHERE o.rowid IN (
    SELECT rowid FROM ${from}
    WHERE ${textOf([...limited, [`${expression} = b.text`], ...owned])}
    ORDER BY rowid DESC LIMIT ?
  )
  LIMIT ${CANDIDATES_MAX}
`,
    ...[first, below, below, ...valuesOf(owned), limit],
  ];
}

function isEqual([sql]: Condition): boolean {
  return sql.endsWith(" = ?");
}

function textOf(conditions: readonly Condition[]): string {
  return conditions.map(([sql]) => sql).join(" AND ");
}

function valuesOf(conditions: readonly Condition[]) {
  return conditions.flatMap(([, ...values]) => values);
}
