import type { Deps } from "../../src/deps/deps.ts";
import { present } from "../../src/base/assert.ts";
import { type NetworkCursorRow, NetworkCursors } from "../../src/following/table.ts";
import { type TransactionRow, Transactions } from "../../src/deposits/tables/transactions.ts";
import { read } from "../../src/store/engine/workspace.ts";

let hashes = 0;

export type NewTransaction =
  & Pick<TransactionRow, "accountId">
  & Partial<Omit<TransactionRow, "id">>;

/** Rows as a worker would have written them, with ids in this order. */
export async function insertTransactions(
  { db, clock }: Deps,
  rows: readonly NewTransaction[],
): Promise<TransactionRow[]> {
  return await db.write({
    reads: [],
    decide: (view) =>
      rows.map((row) =>
        view.insert(Transactions, {
          network: "ETH",
          currency: "ETH",
          direction: "deposit",
          status: "detected",
          txHash: `0x${(++hashes).toString(16).padStart(64, "0")}`,
          position: 0,
          live: 1,
          fromAddress: `0x${"1".repeat(40)}`,
          toAddress: `0x${"2".repeat(40)}`,
          amount: "1",
          blockNumber: 0,
          blockHash: null,
          sender: `0x${"1".repeat(40)}`,
          senderNonce: 0,
          addressId: null,
          depositRequestId: null,
          withdrawalId: null,
          sweepId: null,
          isBelowMinimum: false,
          createdAtMs: clock.nowMs(),
          confirmedAtMs: null,
          minedAtMs: null,
          seenAtMs: null,
          creditFrom: null,
          ...row,
        })
      ),
  });
}

export async function updateTransaction(
  { db }: Deps,
  { id, change }: { id: number; change: Partial<TransactionRow> },
): Promise<void> {
  await db.write({
    reads: [read(Transactions, [id])],
    decide: (view) => {
      const row = present(view.find(Transactions, [id]), "The transaction is there");
      view.update(Transactions, row, change);
    },
  });
}

/** Sets the height up to which the chain has been read. */
export async function setCursor(
  { db }: Deps,
  { network, change }: { network: string; change: Partial<NetworkCursorRow> },
): Promise<void> {
  await db.write({
    reads: [read(NetworkCursors, [network])],
    decide: (view) => {
      const row = present(view.find(NetworkCursors, [network]), "The network has a cursor");
      view.update(NetworkCursors, row, change);
    },
  });
}

export async function countRows(
  { db }: Deps,
  from: string,
  args: readonly (string | number)[] = [],
): Promise<number> {
  const [row] = await db.query(`SELECT count(*) AS n FROM ${from}`, args);
  return Number(row!.n);
}
