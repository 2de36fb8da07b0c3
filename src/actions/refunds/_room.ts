import { Amount, assetOf } from "../../domain/money/amount.ts";
import { CREDITED_STATUSES } from "../../domain/states/transaction_moves.ts";
import { type Read, read, readAll, type View } from "../../store/engine/workspace.ts";
import type { InvoiceRow } from "../../store/tables/checkout/invoices.ts";
import { Refunds, type RefundTotalRow, RefundTotals } from "../../store/tables/checkout/refunds.ts";
import { Transactions } from "../../store/tables/transactions.ts";
import { type WithdrawalRow, Withdrawals } from "../../store/tables/withdrawals.ts";
import { recordAudit } from "../books/records.ts";
import { mustBeGenuine, TamperedRow } from "../books/tampered.ts";
import type { Actor, Deps } from "../deps.ts";
import { factsOf, type InvoiceFacts } from "../invoices/facts.ts";

interface Coin {
  readonly network: string;
  readonly currency: string;
}

export interface Room {
  readonly reads: readonly Read[];
  /** What was credited for the invoice in this coin, less refunds that may still be paid. */
  left(view: View): Amount;
  /** A refund of it, in the unit that holds the money. */
  note(view: View, refund: { row: WithdrawalRow; actor: Actor }): void;
}

/**
 * Payments and refunds are read beforehand. Refunds made since are in the total, which only grows;
 * payments credited since only leave more.
 */
export async function roomOf(
  deps: Deps,
  { invoice, asked }: { invoice: InvoiceRow; asked: Coin },
): Promise<Room> {
  const facts = await factsOf(deps, invoice);
  const coin = coinIn(facts, asked);
  const isOfCoin = ({ network, currency }: Coin) =>
    network === coin.network && currency === coin.currency;
  const paidIds = facts.payments.flatMap(({ row }) => isOfCoin(row) ? [row.id] : []);
  const refundIds = facts.refunds.flatMap((row) => isOfCoin(row) ? [row.id] : []);
  const total = read<RefundTotalRow>(RefundTotals, [invoice.id, coin.network, coin.currency]);
  const asset = assetOf(coin);
  return {
    reads: [
      total,
      ...readAll(Transactions, paidIds.map((id) => [id])),
      ...readAll(Withdrawals, refundIds.map((id) => [id])),
    ],
    left: (view) => {
      const credited = sum(paidIds.map((id) => creditedIn(view, id)), asset);
      const refunds = refundIds.map((id) => genuineIn(view, id));
      const asked = askedIn(view, { invoice, total, known: sum(refunds, asset) });
      return credited.minus(asked).plus(sum(refunds.filter(isEnded), asset));
    },
    note: (view, { row, actor }) => {
      const { id: withdrawalId, amount, network, currency } = row;
      view.insertKeyed(Refunds, { withdrawalId, invoiceId: invoice.id });
      const before = view.rowOf(total);
      const asked = Amount.parse(before?.asked ?? "0", asset).plus(Amount.parse(amount, asset));
      if (before) view.update(RefundTotals, before, { asked: asked.toString() });
      else view.insertKeyed(RefundTotals, { invoiceId: invoice.id, ...coin, asked: `${asked}` });
      const detail = { withdrawal_id: withdrawalId, amount, currency, network };
      const said = { actor, action: "invoice.refunded", subject: `invoice:${invoice.id}`, detail };
      recordAudit(view, { ...said, nowMs: view.nowMs });
    },
  };
}

interface Counted {
  readonly amount: string;
}

function sum(rows: readonly Counted[], asset: string): Amount {
  return rows.reduce(
    (all, { amount }) => all.plus(Amount.parse(amount, asset)),
    Amount.zero(asset),
  );
}

function creditedIn(view: View, id: number): Counted {
  const row = view.get(Transactions, [id]);
  mustBeGenuine(view, Transactions, row);
  return CREDITED_STATUSES.includes(row.status) ? row : { amount: "0" };
}

function genuineIn(view: View, id: number): WithdrawalRow {
  const row = view.get(Withdrawals, [id]);
  mustBeGenuine(view, Withdrawals, row);
  return row;
}

function isEnded({ status }: WithdrawalRow): boolean {
  return status === "failed" || status === "cancelled";
}

/** Nobody gains room by deleting the total, or putting an old one back. */
function askedIn(
  view: View,
  { invoice: { accountId }, total, known }: {
    invoice: InvoiceRow;
    total: Read<RefundTotalRow>;
    known: Amount;
  },
): Amount {
  const row = view.rowOf(total);
  if (row) mustBeGenuine(view, RefundTotals, row);
  const asked = Amount.parse(row?.asked ?? "0", known.asset);
  if (!asked.isLessThan(known)) return asked;
  throw new TamperedRow(RefundTotals.name, { key: total.values.join("/"), accountId });
}

/** By its own names, if it exists. */
function coinIn({ catalog }: InvoiceFacts, asked: Coin): Coin {
  const network = catalog.network(asked.network)?.code ?? asked.network;
  return { network, currency: catalog.currency(network, asked.currency)?.symbol ?? asked.currency };
}
