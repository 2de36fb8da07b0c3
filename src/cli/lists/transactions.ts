import { findAccount, findNetwork } from "../../actions/books/find.ts";
import type { Deps } from "../../actions/deps.ts";
import * as kind from "../../domain/kinds.ts";
import { DIRECTIONS, TRANSACTION_STATUSES } from "../../domain/states/transaction_moves.ts";
import { usersOf } from "../../store/reads/pages/deposits.ts";
import {
  addressesNamed,
  addressesOfUser,
  transactionList,
  type TransactionQuery,
} from "../../store/reads/pages/page.ts";
import { topHeights as topHeightsOf } from "../../store/reads/pages/transactions.ts";
import type { AddressRow } from "../../store/tables/addresses.ts";
import type { TransactionRow } from "../../store/tables/transactions.ts";
import {
  type Asking,
  operation,
  optional,
  pageFollows,
  pageWanted,
  withFallback,
} from "../../operations/operation.ts";
import { transactionShape } from "../shapes/payments.ts";
import { spelledAddress, spelledHash, spelledSymbol } from "./spelled.ts";

const LISTED = 100;
const LISTED_MAX = 10_000;
/** Each searches some thousand rows. */
const PAGES_MAX = 50;

const FILTERS = {
  account: optional(kind.recordId, { help: "only this account's", example: "1" }),
  network: optional(kind.networkCode, { help: "only on this network", example: "ETH" }),
  currency: optional(kind.symbol, { help: "only in this currency", example: "USDT" }),
  status: optional(kind.choice(TRANSACTION_STATUSES), {
    help: "only those with this status",
    example: "confirmed",
  }),
  "tx-hash": optional(kind.text({ max: 100, word: "HASH" }), {
    help: "only of this transaction of the chain",
    example: "0x2f1c…",
  }),
  address: optional(kind.text({ max: 100, word: "ADDRESS" }), {
    help: "only at this address of ours",
    example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  }),
  limit: withFallback(kind.integer({ min: 1, max: LISTED_MAX }), {
    help: "how many at most",
    example: "20",
    fallback: LISTED,
  }),
};

const COLUMNS = ["account_id", "network", "currency", "amount", "status", "created_at"];

export const TRANSACTION_COMMANDS = [
  operation({
    words: ["transaction", "list"],
    reads: "see",
    isPaged: true,
    summary: "Lists deposits, withdrawals, sweeps and gas top-ups, newest first",
    flags: {
      ...FILTERS,
      direction: optional(kind.choice(DIRECTIONS), { help: "only these", example: "sweep" }),
    },
    examples: ["transaction list", "transaction list --account 1 --direction sweep --limit 20"],
    columns: ["transaction_id", "direction", ...COLUMNS, "confirmations", "tx_hash"],
    run: (context, { flags }) => list(context, { ...flags, direction: flags.direction ?? null }),
  }),
  operation({
    words: ["deposit", "list"],
    reads: "see",
    isPaged: true,
    summary: "Lists deposits, newest first",
    flags: {
      ...FILTERS,
      user: optional(kind.text({ max: 256 }), {
        help: "only at this customer's addresses: the user_identifier of the API",
        example: "customer-7",
      }),
      "below-minimum": optional(kind.present, {
        help: "only those below their currency's minimum, which are credited too",
        example: "",
      }),
    },
    examples: ["deposit list --status detected", "deposit list --account 1 --user customer-7"],
    columns: ["transaction_id", ...COLUMNS, "user_identifier", "confirmations", "tx_hash"],
    run: (context, { flags }) => list(context, { ...flags, direction: "deposit" }),
  }),
];

interface Wanted {
  readonly account: number | undefined;
  readonly network: string | undefined;
  readonly currency: string | undefined;
  readonly status: string | undefined;
  readonly "tx-hash": string | undefined;
  readonly address: string | undefined;
  readonly limit: number;
  readonly user?: string | undefined;
  readonly "below-minimum"?: boolean | undefined;
  readonly direction: string | null;
}

async function list(context: Asking, wanted: Wanted) {
  const deps = await context.deps();
  const query = { ...await queryOf(deps, wanted), cursor: pageWanted(context) };
  const { rows, isCut, searchedTo, next } = await search(deps, query);
  pageFollows(context, next);
  if (isCut) context.note(`These are the newest ${query.limit}; --limit shows more`);
  if (searchedTo !== null) {
    context.note(
      `Transactions before ${searchedTo} were not searched; fewer filters reach further`,
    );
  }
  const [users, topHeights] = await Promise.all([usersOf(deps.db, rows), topHeightsOf(deps.db)]);
  return rows.map((row) => ({
    ...transactionShape(row, topHeights.get(row.network) ?? 0),
    user_identifier: users.get(row.addressId ?? 0) ?? null,
  }));
}

interface Found {
  readonly rows: TransactionRow[];
  /** There are more than asked for. */
  readonly isCut: boolean;
  /** Older ones were left out; null: none were. */
  readonly searchedTo: number | null;
  /** Where to go on. */
  readonly next: number | null;
}

/** A page looks at some thousand rows, so rare ones take several. */
async function search({ db }: Deps, query: TransactionQuery): Promise<Found> {
  const rows: TransactionRow[] = [];
  let { cursor } = query;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await transactionList(db, { ...query, cursor, limit: query.limit - rows.length });
    rows.push(...page.rows);
    const { next } = page;
    if (next === null) return { rows, isCut: false, searchedTo: null, next };
    if (rows.length === query.limit) return { rows, isCut: true, searchedTo: null, next };
    cursor = next;
  }
  return { rows, isCut: false, searchedTo: cursor, next: cursor };
}

async function queryOf(deps: Deps, wanted: Wanted): Promise<TransactionQuery> {
  const { account, network, status = null, direction, currency, limit } = wanted;
  if (account !== undefined) await findAccount(deps, account);
  return {
    accountId: account ?? null,
    direction,
    status,
    network: network === undefined ? null : (await findNetwork(deps, network)).code,
    currency: currency === undefined ? null : await spelledSymbol(deps, currency),
    isBelowMinimum: wanted["below-minimum"] ?? false,
    txHash: wanted["tx-hash"] === undefined ? null : spelledHash(wanted["tx-hash"]),
    addressIds: await addressIdsOf(deps, wanted),
    cursor: null,
    limit,
  };
}

/** Null: any. */
async function addressIdsOf(
  { db }: Deps,
  { account, address, user }: Wanted,
): Promise<number[] | null> {
  const accountId = account ?? null;
  const idsOf = (rows: readonly AddressRow[]) => new Set(rows.map(({ id }) => id));
  const named = address &&
    idsOf(await addressesNamed(db, { accountId, address: spelledAddress(address) }));
  const users = user && idsOf(await addressesOfUser(db, { accountId, userIdentifier: user }));
  if (named && users) return [...named.intersection(users)];
  const found = named || users;
  return found ? [...found] : null;
}
