import type { Deps } from "../../actions/deps.ts";
import { listCommand } from "../../operations/lists/command.ts";
import { DEPOSITS, TRANSACTIONS } from "../../operations/lists/transactions.ts";
import { usersOf } from "../../store/reads/pages/deposits.ts";
import { topHeights } from "../../store/reads/pages/transactions.ts";
import type { TransactionRow } from "../../store/tables/transactions.ts";
import { transactionShape } from "../shapes/payments.ts";

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
