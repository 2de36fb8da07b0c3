import type { Ordered } from "../../invoices/reads/orders.ts";
import type { Refunded } from "../../invoices/rules/sums.ts";

/** What an invoice is for, as its owner would say it: "Order 1042 · Book · Ann". */
export function orderName({ id, reference, description, customer }: Ordered): string {
  const order = reference !== null && /^\d+$/.test(reference) ? `Order ${reference}` : reference;
  const said = [order, description, customer].filter((part) => part !== null && part !== "");
  return said.length === 0 ? `Invoice ${id}` : said.join(" · ");
}

/** What is known of payments besides their rows. */
export interface Payers {
  /** Of addresses, by id. */
  readonly users: ReadonlyMap<number, string>;
  /** By the payment's id: the invoice that it is for. */
  readonly orders: ReadonlyMap<number, Ordered>;
}

/** What decides how a payment's state is called, besides its own. */
interface Fate {
  readonly order?: Ordered | undefined;
  readonly refunded?: Refunded | undefined;
}

const CREDITED = ["confirmed", "sweep_pending", "swept"];

/**
 * Of a payment. What went back, or came for an order that still lacks some, doesn't read as if it
 * were paid.
 */
export function paymentState(status: string, { order, refunded }: Fate): string {
  if (!CREDITED.includes(status)) return status;
  if (refunded) return refunded;
  if (!order) return status;
  if (order.status === "cancelled") return "order cancelled";
  return order.status === "paid" || order.status === "processing" ? status : "partly paid";
}

/** What a payment is for, or else whose address it came to. */
export function paymentName(
  { id, addressId }: { readonly id: number; readonly addressId: number | null },
  { users, orders }: Payers,
): string {
  const order = orders.get(id);
  return order ? orderName(order) : users.get(addressId ?? 0) ?? `Payment ${id}`;
}
