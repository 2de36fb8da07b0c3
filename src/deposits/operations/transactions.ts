import { DEPOSITS, TRANSACTIONS } from "../lists/transactions.ts";
import { usersOf } from "../reads/page.ts";
import { topHeights } from "../reads/transactions.ts";
import { transactionShape } from "../shapes.ts";
import type { TransactionRow } from "../tables/transactions.ts";
import type { Deps } from "../../deps/deps.ts";
import { listCommand } from "../../operations/lists/command.ts";

const COLUMNS = ["account_id", "network", "currency", "amount", "status", "created_at"];
const LISTED = { limit: { fallback: 100, max: 10_000, example: "20" }, shapes: shapesOf };

export const TRANSACTION_COMMANDS = [
  listCommand(TRANSACTIONS, {
    ...LISTED,
    words: ["transaction", "list"],
    summary: "Lists deposits, withdrawals, sweeps and gas top-ups, newest first",
    examples: ["transaction list", "transaction list --account 1 --direction sweep --limit 20"],
    columns: ["transaction_id", "direction", ...COLUMNS, "confirmations", "tx_hash"],
  }),
  listCommand(DEPOSITS, {
    ...LISTED,
    words: ["deposit", "list"],
    summary: "Lists deposits, newest first",
    examples: ["deposit list --status detected", "deposit list --account 1 --user customer-7"],
    columns: ["transaction_id", ...COLUMNS, "user_identifier", "confirmations", "tx_hash"],
  }),
];

async function shapesOf({ db }: Deps, rows: readonly TransactionRow[]) {
  const [users, heights] = await Promise.all([usersOf(db, rows), topHeights(db)]);
  return rows.map((row) => ({
    ...transactionShape(row, heights.get(row.network) ?? 0),
    user_identifier: users.get(row.addressId ?? 0) ?? null,
  }));
}
