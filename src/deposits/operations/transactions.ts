import { first, one } from "../../base/lists.ts";
import { genuine } from "../../books/tampered.ts";
import * as kind from "../../domain/kinds.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { DEPOSITS, TRANSACTIONS } from "../lists/transactions.ts";
import { usersOf } from "../reads/page.ts";
import { topHeights } from "../reads/transactions.ts";
import { transactionShape } from "../shapes.ts";
import { type TransactionRow, Transactions } from "../tables/transactions.ts";
import type { Deps } from "../../deps/deps.ts";
import { listCommand } from "../../operations/lists/command.ts";
import { operation, UsageError } from "../../operations/operation.ts";
import { ownerOfId } from "../../operations/owners.ts";

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
  operation({
    words: ["deposit", "show"],
    reads: "see",
    of: ownerOfId(Transactions),
    summary: "Shows a deposit",
    positionals: [{ name: "ID", help: "the deposit's transaction id, as deposit list shows it" }],
    flags: {},
    examples: ["deposit show 7"],
    run: async (context, { positionals }) => {
      const id = kind.recordId.read(first(positionals));
      if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a transaction id`);
      const deps = await context.deps();
      const row = await deps.db.find(Transactions, [id]);
      if (row?.direction !== "deposit") throw refuse("deposit_unknown", { id });
      await genuine(deps, Transactions, [row]);
      return one(await shapesOf(deps, [row]));
    },
  }),
];

async function shapesOf({ db }: Deps, rows: readonly TransactionRow[]) {
  const [users, heights] = await Promise.all([usersOf(db, rows), topHeights(db)]);
  return rows.map((row) => ({
    ...transactionShape(row, heights.get(row.network) ?? 0),
    user_identifier: users.get(row.addressId ?? 0) ?? null,
  }));
}
