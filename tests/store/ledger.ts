import { Accounts } from "../../src/accounts/tables/accounts.ts";
import { type BalanceRow, Balances, LedgerEntries } from "../../src/books/table.ts";
import type { Db } from "../../src/store/engine/db.ts";
import type { Unit } from "../../src/store/engine/group_commit.ts";
import { read } from "../../src/store/engine/workspace.ts";
import { accountFields } from "./reads/make_rows.ts";

/** A balance that units add to, each addition with its entry: the smallest model of money. */
const KEY = ["ETH", "ETH"] as const;

export async function makeAccount(db: Db, name = "Acme"): Promise<number> {
  const account = await db.write({
    reads: [],
    decide: (view) => {
      const row = view.insert(Accounts, accountFields({ name }));
      const [network, currency] = KEY;
      view.insertKeyed(Balances, {
        accountId: row.id,
        network,
        currency,
        balance: "0",
        held: "0",
      });
      return row;
    },
  });
  return account.id;
}

/** Answers the balance after it. */
export function addition(accountId: number, amount = 1n): Unit<bigint> {
  return {
    reads: [read(Balances, [accountId, ...KEY])],
    decide: (view) => {
      const row = view.find(Balances, [accountId, ...KEY])!;
      const balance = BigInt(row.balance) + amount;
      view.update(Balances, row, { balance: balance.toString() });
      view.insert(LedgerEntries, {
        accountId,
        network: row.network,
        currency: row.currency,
        kind: "adjust",
        amount: amount.toString(),
        balanceAfter: balance.toString(),
        heldAfter: row.held,
        transactionId: null,
        withdrawalId: null,
        note: null,
        createdAtMs: 1,
        value: null,
        valueCurrency: null,
      });
      return balance;
    },
  };
}

export async function balanceOf(db: Db, accountId: number): Promise<bigint> {
  const row: BalanceRow | undefined = await db.find(Balances, [accountId, ...KEY]);
  return BigInt(row!.balance);
}

/** Undefined when the books agree: each entry continues the one before, and the last is the balance. */
export async function bookFault(db: Db, accountId: number): Promise<string | undefined> {
  const entries = await db.rows(LedgerEntries, "WHERE account_id = ? ORDER BY id", [accountId]);
  let sum = 0n;
  for (const entry of entries) {
    sum += BigInt(entry.amount);
    if (entry.balanceAfter !== sum.toString()) {
      return `entry ${entry.id} says ${entry.balanceAfter}, the sum is ${sum}`;
    }
  }
  const balance = await balanceOf(db, accountId);
  return balance === sum ? undefined : `the balance is ${balance}, the sum is ${sum}`;
}
