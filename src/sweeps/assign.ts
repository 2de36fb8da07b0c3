import { present } from "../base/assert.ts";
import { first } from "../base/lists.ts";
import type { Asset } from "../books/records.ts";
import { eachGenuine } from "../books/tampered.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read, readAll, type View } from "../store/engine/workspace.ts";
import { unsweptAt, unsweptDeposits } from "./reads/sweeps.ts";
import { type SweepRow, Sweeps } from "./table.ts";

const DEPOSITS_PER_STEP_MAX = 500;

/** Confirmed deposits of one address and currency are swept together, but never dust alone. */
export async function assignSweeps(deps: Deps, network: NetworkRow): Promise<void> {
  const deposits = await unsweptDeposits(deps.db, {
    network: network.code,
    limit: DEPOSITS_PER_STEP_MAX,
  });
  const groups = Map.groupBy(deposits, (row) => `${row.addressId}/${row.currency}`);
  await eachGenuine([...groups.values()], (rows) => assign(deps, rows));
}

/**
 * Adds whatever else has arrived at the address, even dust: one transaction moves all of it for the
 * same gas.
 */
export async function takeAlong(
  deps: Deps,
  { sweep, assigned }: { sweep: SweepRow; assigned: readonly TransactionRow[] },
): Promise<readonly TransactionRow[]> {
  // Dust must not decide how much a sweep has to read.
  const limit = DEPOSITS_PER_STEP_MAX - assigned.length;
  const rows = limit <= 0 ? [] : await unsweptAt(deps.db, { ...sweep, limit });
  if (rows.length === 0) return assigned;
  const given = await deps.db.write({
    reads: [read(Sweeps, [sweep.id]), ...readAll(Transactions, rows.map(({ id }) => [id]))],
    decide: (view) =>
      view.get(Sweeps, [sweep.id]).state === "waiting" ? give(view, { sweep, rows }) : [],
  });
  return [...assigned, ...given];
}

function give(
  view: View,
  { sweep, rows }: { sweep: SweepRow; rows: readonly TransactionRow[] },
): TransactionRow[] {
  return rows.map(({ id }) => view.get(Transactions, [id]))
    .filter((row) => row.status === "confirmed" && row.sweepId === null && row.blockHash !== null)
    .map((row) => view.update(Transactions, row, { sweepId: sweep.id }));
}

async function assign(deps: Deps, rows: readonly TransactionRow[]): Promise<void> {
  const { addressId, currency } = first(rows);
  await deps.db.write({
    reads: [
      read(Sweeps, [addressId, currency, 1], "open"),
      ...readAll(Transactions, rows.map(({ id }) => [id])),
    ],
    decide: (view) => {
      const sweep = openSweep(view, { row: first(rows), nowMs: deps.clock.nowMs() });
      // A signed transfer has a fixed amount, so these wait for the next sweep.
      if (sweep.state !== "sweeping") give(view, { sweep, rows });
    },
  });
}

/** An open sweep is due at once, because it now has more to move. */
function openSweep(view: View, { row, nowMs }: { row: TransactionRow; nowMs: number }) {
  const open = view.find(Sweeps, [row.addressId, row.currency, 1], "open");
  if (open?.state === "waiting") return view.update(Sweeps, open, { nextTryAtMs: nowMs });
  const addressId = present(row.addressId, "A deposit has its address");
  return open ?? insertSweep(view, { ...row, addressId, nowMs });
}

export function insertSweep(
  view: View,
  { accountId, network, currency, addressId, nowMs }: Asset & { addressId: number; nowMs: number },
): SweepRow {
  return view.insert(Sweeps, {
    accountId,
    network,
    currency,
    addressId,
    state: "waiting",
    open: 1,
    code: null,
    reason: null,
    failures: 0,
    batchFailures: 0,
    nextTryAtMs: nowMs,
    createdAtMs: nowMs,
  });
}
