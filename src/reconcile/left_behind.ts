import { booksAt, rawOf } from "../books/address_books.ts";
import { undoSweep } from "../books/move_sweep.ts";
import { recordAudit } from "../books/records.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { coveredBy } from "../domain/money/address_books.ts";
import { hasOutputs } from "../networks/fitting.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { readAll } from "../store/engine/workspace.ts";
import { sweptAt } from "../sweeps/reads/sweeps.ts";
import { isMoving } from "../transfers/reads/transfers.ts";

/** Coins of deposits that count as swept are still on their address, as books and chain agree. */
export interface LeftBehind {
  readonly addressId: number;
  readonly address: string;
  readonly currency: CurrencyRow;
}

const DEPOSITS_MAX = 100;

/** Coins pay fees from what they move, and part of what is reserved for fees stays. */
export function isExact(network: NetworkRow, { contractAddress }: CurrencyRow): boolean {
  return contractAddress !== null || hasOutputs(network);
}

/**
 * The newest deposits that fit in what is left are swept again. Whatever the reason was, no operator
 * would see coins that no sweep ever comes for.
 */
export async function sweepLeftBehind(
  deps: Deps,
  { network, addressId, address, currency }: LeftBehind & { network: NetworkRow },
): Promise<void> {
  const { code } = network;
  const { symbol, contractAddress: contract } = currency;
  if (await isMoving(deps.db, { network: code, address })) return;
  const place = { addressId, currency: symbol, limit: DEPOSITS_MAX };
  const items = await sweptAt(deps.db, { ...place, isUnspent: hasOutputs(network) });
  // Read after them, so that what another check has let go meanwhile is no longer left.
  const { addresses } = await booksAt(deps, { network: code, pick: { ids: [addressId] } });
  const leftRaw = addresses[0]?.books.get(contract)?.leftRaw ?? 0n;
  const left = coveredBy(leftRaw, { items, rawOf: ({ amount }) => rawOf(amount, currency) });
  if (left.length === 0) return;
  const isDone = await deps.db.write({
    reads: readAll(Transactions, left.map(({ id }) => [id])),
    decide: (view) => {
      const deposits = left.map(({ id }) => view.get(Transactions, [id]));
      if (deposits.some(({ status }) => status !== "swept")) return false;
      const { nowMs } = view;
      undoSweep(view, { deposits, nowMs });
      for (const { id } of deposits) {
        const detail = { from: "swept", to: "confirmed", network: code, currency: symbol, address };
        const action = "deposit.left_behind";
        const subject = `transaction:${id}`;
        recordAudit(view, { actor: "worker", action, subject, detail, nowMs });
      }
      return true;
    },
  });
  if (!isDone) return;
  const fields = { network: code, currency: symbol, address, deposits: left.length };
  deps.log.warn("deposits that counted as swept are still there, and are swept again", fields);
}
