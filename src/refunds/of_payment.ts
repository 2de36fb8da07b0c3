import { Amount, assetOf } from "../domain/money/amount.ts";
import { CREDITED_STATUSES } from "../deposits/rules/transaction_moves.ts";
import { isUnpaid } from "../withdrawals/rules/moves.ts";
import type { PaidOrder } from "../invoices/reads/orders.ts";
import { type Refunded, refundedIn } from "../invoices/rules/sums.ts";
import { Invoices } from "../invoices/tables/invoices.ts";
import type { TransactionRow } from "../deposits/tables/transactions.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import { HAND_KEY_PREFIX } from "../access/manage_api_keys.ts";
import { filterGenuine, isGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { lookAt } from "../invoices/look.ts";
import { refundableOf } from "./refundable.ts";

/** How often a payment without an invoice can be given back from its page. */
const ATTEMPTS_MAX = 10;
const SHOWN_MAX = 10;

/** What went back, or is about to, of a payment, or of all its invoice received in its currency. */
export interface PaymentRefunds {
  /** Oldest first, also those that were not paid. */
  readonly rows: readonly WithdrawalRow[];
  /** What a form may offer, never below zero: the unit that holds the money counts again. */
  readonly left: Amount;
  /** For the next one of a payment without an invoice; sending it twice pays once. */
  readonly reference: string | undefined;
}

export async function refundsOfPayment(
  deps: Deps,
  { row, invoiceId }: { row: TransactionRow; invoiceId: number | undefined },
): Promise<PaymentRefunds> {
  const asset = assetOf(row);
  const none = { rows: [], left: Amount.zero(asset), reference: undefined };
  if (!CREDITED_STATUSES.includes(row.status)) return none;
  if (invoiceId === undefined) return await madeByHand(deps, row);
  const invoice = await deps.db.get(Invoices, [invoiceId]);
  if (!await isGenuine(deps, Invoices, invoice)) return none;
  const [{ refunds }, refundable] = await Promise.all([
    lookAt(deps, invoice, { paymentsMax: 0, refundsMax: SHOWN_MAX }),
    refundableOf(deps, invoice),
  ]);
  const left = refundable.find((coin) => coin.left.asset === asset)?.left ?? none.left;
  return { ...none, rows: refunds.filter((refund) => assetOf(refund) === asset), left };
}

/** The reference is all that says what such a payout was for. Look-ups share statements. */
async function madeByHand(deps: Deps, row: TransactionRow): Promise<PaymentRefunds> {
  const references = Array.from({ length: ATTEMPTS_MAX }, (_, i) => {
    const first = `refund-of-payment-${row.id}`;
    return i === 0 ? first : `${first}-${i + 1}`;
  });
  const keyId = `${HAND_KEY_PREFIX}${row.accountId}`;
  const found = await Promise.all(
    references.map((one) => deps.db.find(Withdrawals, [keyId, one], "reference")),
  );
  const made = found.filter((one) => one !== undefined);
  const asset = assetOf(row);
  const rows = (await filterGenuine(deps, Withdrawals, made))
    .filter((refund) => assetOf(refund) === asset)
    .toSorted((a, b) => a.id - b.id);
  const back = rows.filter(({ status }) => !isUnpaid(status))
    .reduce((sum, { amount }) => sum.plus(Amount.parse(amount, asset)), Amount.zero(asset));
  const rest = Amount.parse(row.amount, asset).minus(back);
  const left = rest.isNegative() ? Amount.zero(asset) : rest;
  const used = new Set(made.map(({ clientReference }) => clientReference));
  return { rows, left, reference: references.find((reference) => !used.has(reference)) };
}

/** In words, as on the invoice's page. Undefined: nothing has arrived there again. */
export function refundedWord({ rows, left }: PaymentRefunds): Refunded | undefined {
  if (!rows.some(({ status }) => status === "confirmed")) return undefined;
  const isUnderWay = rows.some(({ status }) => !isUnpaid(status) && status !== "confirmed");
  return left.isZero() && !isUnderWay ? "refunded" : "partly refunded";
}

/** The words for many payments, by their ids: of those with an order, from its sums. */
export async function refundedWords(
  deps: Deps,
  rows: readonly TransactionRow[],
  orders: ReadonlyMap<number, PaidOrder>,
): Promise<ReadonlyMap<number, Refunded>> {
  const credited = rows.filter(({ status }) => CREDITED_STATUSES.includes(status));
  const words = await Promise.all(credited.map(async (row) => {
    const order = orders.get(row.id);
    const word = order
      ? order.sums && refundedIn(assetOf(row), order.sums)
      : refundedWord(await madeByHand(deps, row));
    return word ? [[row.id, word] as const] : [];
  }));
  return new Map(words.flat());
}
