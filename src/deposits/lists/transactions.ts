import { anyAddress } from "../../chains/any_address.ts";
import { DIRECTIONS, TRANSACTION_STATUSES } from "../rules/transaction_moves.ts";
import { isAtAddress, isOfUser } from "../../store/lists/addresses.ts";
import { type Fact, hasOne } from "../../store/lists/listing.ts";
import { isForOrder, isMovementOf, isPaymentOf, TRANSACTIONS_LISTED } from "../reads/listed.ts";
import type { TransactionRow } from "../tables/transactions.ts";
import * as list from "../../operations/lists/list.ts";
import type { Filter, List } from "../../operations/lists/list.ts";

const ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const HASH = /^(0x)?[0-9a-f]{64}$/i;

const direction: Filter<string> = {
  kind: list.choice(DIRECTIONS),
  api: "direction",
  label: "Type",
  help: "only these",
  example: "sweep",
  column: "direction",
};

const status: Filter<string> = {
  kind: list.choice(TRANSACTION_STATUSES),
  api: "status",
  label: "Status",
  help: "only those with this status",
  example: "confirmed",
  column: "status",
};

export const atAddress: Filter<string> = {
  kind: list.address,
  api: "address",
  page: null,
  label: "Address",
  help: "only at this address of ours",
  example: ADDRESS,
  means: ({ db }, text, { accountId }) => {
    const address = anyAddress(text)?.canonical;
    return address === undefined
      ? hasOne("address_id", [])
      : isAtAddress(db, { accountId, address });
  },
};

export const user: Filter<string> = {
  kind: list.text(256),
  api: "user_identifier",
  page: null,
  label: "User",
  help: "only at this customer's addresses: the user_identifier of the API",
  example: "customer-7",
  about: "Only this customer's.",
  means: ({ db }, user, { accountId }) => isOfUser(db, { accountId, user }),
};

const hash: Filter<string> = {
  kind: list.hash,
  api: "tx_hash",
  page: null,
  flag: "tx-hash",
  label: "Transaction",
  help: "only of this transaction of the chain",
  example: "0x2f1c…",
  means: (_, text) => isMovementOf(text),
};

/** What was entered tells what it is: a hash, an address, or else an order or a customer. */
const search: Filter<string> = {
  kind: { ...list.text(256), type: "search" },
  page: "q",
  flag: null,
  label: "Order, customer, address or transaction",
  help: "",
  example: "",
  means: async (deps, text, asked) => {
    if (HASH.test(text)) return isMovementOf(text);
    if (anyAddress(text)) return await atAddress.means!(deps, text, asked) as Fact;
    const { accountId } = asked;
    const ofUser = await isOfUser(deps.db, { accountId, user: text });
    return await isForOrder(deps.db, { accountId, text, or: ofUser });
  },
};

const invoice: Filter<number> = {
  kind: list.linked,
  api: "invoice_id",
  label: "Invoice",
  help: "only those that count for this invoice",
  example: "7",
  means: ({ db }, id) => isPaymentOf(db, id),
};

const below: Filter<boolean> = {
  kind: list.flag,
  flag: "below-minimum",
  label: "Below the minimum",
  help: "only those below their currency's minimum, which are credited too",
  example: "",
  column: "is_below_minimum",
};

const { COINS, TIMES } = list;

/** Everything that moved on a chain: deposits, withdrawals, sweeps and their gas. */
export const TRANSACTIONS: List<TransactionRow> = {
  title: "Transactions",
  listing: TRANSACTIONS_LISTED,
  filters: {
    ...{ search, direction, status, user, address: atAddress, ...COINS, ...TIMES },
    ...{ hash, invoice, below },
  },
};

export const DEPOSITS: List<TransactionRow> = {
  ...TRANSACTIONS,
  fixed: { direction: "deposit" },
};
