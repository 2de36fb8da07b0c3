import { rawOf } from "../books/address_books.ts";
import { undoSweep } from "../books/move_sweep.ts";
import { recordAudit } from "../books/records.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { coveredBy } from "../domain/money/address_books.ts";
import type { CurrencyRow } from "../networks/table.ts";
import { readAll } from "../store/engine/workspace.ts";
import { sweptAt } from "../sweeps/reads/sweeps.ts";
import { isMoving } from "../transfers/reads/transfers.ts";

/** Coins of deposits that count as swept are still on their address, as books and chain agree. */
export interface LeftBehind {
  readonly addressId: number;
  readonly address: string;
  readonly currency: CurrencyRow;
  readonly leftRaw: bigint;
}

const DEPOSITS_MAX = 100;

/**
 * The newest deposits that fit in what is left are swept again. Whatever the reason was, no operator
 * would see coins that no sweep ever comes for.
 */
export async function sweepLeftBehind(
  deps: Deps,
  { addressId, address, currency, leftRaw }: LeftBehind,
): Promise<void> {
  const { network, symbol } = currency;
  if (await isMoving(deps.db, { network, address })) return;
  const swept = await sweptAt(deps.db, { addressId, currency: symbol, limit: DEPOSITS_MAX });
  const left = coveredBy(leftRaw, {
    items: swept,
    rawOf: ({ amount }: TransactionRow) => rawOf(amount, currency),
  });
  if (left.length === 0) return;
  await deps.db.write({
    reads: readAll(Transactions, left.map(({ id }) => [id])),
    decide: (view) => {
      const deposits = left.map(({ id }) => view.get(Transactions, [id]));
      if (deposits.some(({ status }) => status !== "swept")) return;
      const { nowMs } = view;
      undoSweep(view, { deposits, nowMs });
      for (const { id } of deposits) {
        const detail = { from: "swept", to: "confirmed", network, currency: symbol, address };
        const action = "deposit.left_behind";
        const subject = `transaction:${id}`;
        recordAudit(view, { actor: "worker", action, subject, detail, nowMs });
      }
    },
  });
  const fields = { network, currency: symbol, address, deposits: left.length };
  deps.log.warn("deposits that counted as swept are still there, and are swept again", fields);
}
