import { rawOf } from "../books/address_books.ts";
import { rulesOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { present } from "../base/assert.ts";
import { unsweptAt, waitingDust } from "./reads/deposits.ts";
import { type TransactionRow, Transactions } from "./tables/transactions.ts";
import { filterGenuine } from "../books/tampered.ts";

/** Of a deposit that is too small to be moved alone: until more comes to its address. */
export const WITH_MORE = Number.MAX_SAFE_INTEGER;

/** With the dust that was at their addresses, which may be credited with them. */
export async function withWaitingDust(
  deps: Deps,
  { network, deposits }: { network: NetworkRow; deposits: readonly TransactionRow[] },
): Promise<readonly TransactionRow[]> {
  if (!rulesOf(network).dustRaw || deposits.length === 0) return deposits;
  const found = await waitingDust(deps.db, {
    network: network.code,
    addressIds: [...new Set(deposits.map(addressIdOf))],
    creditFrom: WITH_MORE,
  });
  return [...deposits, ...await filterGenuine(deps, Transactions, found)];
}

/** Without those whose addresses hold too little to be moved; they wait there. */
export async function withoutDust(
  deps: Deps,
  { network, rows }: { network: NetworkRow; rows: readonly TransactionRow[] },
): Promise<readonly TransactionRow[]> {
  const { dustRaw } = rulesOf(network);
  if (!dustRaw || rows.length === 0) return rows;
  const catalog = await deps.catalog.current();
  const raw = (row: TransactionRow) =>
    rawOf(row.amount, present(catalog.currency(row.network, row.currency), "Currencies stay"));
  const isDust = (row: TransactionRow) => raw(row) < dustRaw(row.toAddress);
  const sumOf = (some: readonly TransactionRow[]) => some.reduce((sum, row) => sum + raw(row), 0n);
  const small = [...Map.groupBy(rows, addressIdOf)].filter(([, at]) =>
    at.every(isDust) && sumOf(at) < dustRaw(at[0]!.toAddress)
  );
  if (small.length === 0) return rows;
  const there = await filterGenuine(
    deps,
    Transactions,
    await unsweptAt(deps.db, small.map(([addressId]) => addressId)),
  );
  const thereBy = Map.groupBy(there, addressIdOf);
  const left = small.filter(([addressId, at]) =>
    sumOf([...at, ...thereBy.get(addressId) ?? []]) < dustRaw(at[0]!.toAddress)
  ).flatMap(([, at]) => at);
  for (const row of left) if (row.creditFrom !== WITH_MORE) await letWait(deps, row);
  return rows.filter((row) => !left.includes(row));
}

async function letWait(deps: Deps, { id, creditFrom }: TransactionRow): Promise<void> {
  await deps.db.write({
    reads: [read(Transactions, [id])],
    decide: (view) => {
      const row = view.get(Transactions, [id]);
      if (row.status !== "detected" || row.creditFrom !== creditFrom) return;
      view.update(Transactions, row, { creditFrom: WITH_MORE });
    },
  });
}

function addressIdOf({ addressId }: TransactionRow): number {
  return present(addressId, "Deposits have one");
}
