import type { Deps } from "../../deps/deps.ts";
import { usersOf } from "../../deposits/reads/page.ts";
import type { TransactionRow } from "../../deposits/tables/transactions.ts";
import { ordersOf } from "../../invoices/reads/orders.ts";
import type { Refunded } from "../../invoices/rules/sums.ts";
import { refundedWords } from "../../refunds/of_payment.ts";
import type { Visit } from "../visit.ts";
import { type Payers, paymentState } from "../words/orders.ts";
import { type Worths, worthsOfPayments } from "./worths.tsx";

/** All that lists show of payments besides their rows. */
export interface Known extends Payers {
  /** By the payment's id. */
  readonly refunded: ReadonlyMap<number, Refunded>;
  readonly worths: Worths;
}

export async function knownOf(visit: Visit, rows: readonly TransactionRow[]): Promise<Known> {
  const { deps } = visit;
  const [users, { orders, refunded }, worths] = await Promise.all([
    usersOf(deps.db, rows),
    ordersFor(deps, rows),
    worthsOfPayments(visit, rows),
  ]);
  return { users, orders, refunded, worths };
}

async function ordersFor(deps: Deps, rows: readonly TransactionRow[]) {
  const orders = await ordersOf(deps.db, rows);
  return { orders, refunded: await refundedWords(deps, rows, orders) };
}

/** As on the payment's own page. */
export function stateIn(
  { orders, refunded }: Known,
  { id, status }: Pick<TransactionRow, "id" | "status">,
): string {
  return paymentState(status, { order: orders.get(id), refunded: refunded.get(id) });
}
