import { isUnpaid } from "../withdrawals/rules/moves.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { CREDITED_STATUSES } from "../deposits/rules/transaction_moves.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import { type InvoiceRow, Invoices } from "./tables/invoices.ts";
import { type RefundTotalRow, RefundTotals } from "../refunds/table.ts";
import { refundWords } from "../control/reads/last_words.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import type { AuditRow } from "../audit/table.ts";
import { recordAudit } from "../books/records.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { isUnsigned } from "../integrity/never_signed.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { factsOf, type InvoiceFacts } from "./facts.ts";
import { insertRefund } from "./sums.ts";

interface Coin {
  readonly network: string;
  readonly currency: string;
}

export interface Room {
  readonly reads: readonly Read[];
  /** What was credited for the invoice in this coin, less refunds that may still be paid. */
  left(view: View): Amount;
  /** What one that was asked for may still be: only what was signed or paid takes room from it. */
  leftToSign(view: View): LeftToSign;
  /** Whether this refund link has been used, says the log, whatever its row says. */
  isUsed(linkId: number): boolean;
  /** A refund of it, in the unit that holds the money. */
  note(view: View, refund: NewRefund): void;
}

interface LeftToSign {
  readonly left: Amount;
  /** False: others were asked for since, and may be signed, so this has to be looked at again. */
  readonly isCurrent: boolean;
}

interface NewRefund {
  readonly row: WithdrawalRow;
  readonly actor: Actor;
  /** The link that asked for it. */
  readonly linkId?: number;
}

const REFUNDED = "invoice.refunded";
/** Every refund reads all earlier ones, and they may be tiny. */
export const REFUNDS_MAX = 1_000;

interface RoomAsked {
  readonly invoice: InvoiceRow;
  readonly asked: Coin;
}

/**
 * Payments and refunds are read beforehand. Refunds made since are in the total, which only grows;
 * payments credited since only leave more room.
 */
export function roomOf(deps: Deps, order: RoomAsked): Promise<Room> {
  return inRefundTurn(deps, order.invoice, () => readRoom(deps, order));
}

/**
 * They may be many, and a crowd may ask for refunds, so everything else waits for one at most. Units
 * that ask a room what is left have a turn of their own.
 */
export function inRefundTurn<T>(
  { memory }: Pick<Deps, "memory">,
  { accountId }: Pick<InvoiceRow, "accountId">,
  part: () => Promise<T>,
): Promise<T> {
  return memory.refundTurns.run(`account ${accountId}`, part);
}

async function readRoom(deps: Deps, { invoice, asked }: RoomAsked): Promise<Room> {
  const subject = `invoice:${invoice.id}`;
  const [facts, noted] = await Promise.all([
    factsOf(deps, invoice),
    refundWords(deps.db, subject, REFUNDS_MAX),
  ]);
  const coin = coinIn(facts, asked);
  const asset = assetOf(coin);
  const said = noted.map(({ detail }) => refundIn(detail));
  const isOfCoin = ({ network, currency }: Coin) =>
    network === coin.network && currency === coin.currency;
  const paidIds = facts.payments.flatMap(({ row }) => isOfCoin(row) ? [row.id] : []);
  const refundIds = facts.refunds.flatMap((row) => isOfCoin(row) ? [row.id] : []);
  const total = read<RefundTotalRow>(RefundTotals, [invoice.id, coin.network, coin.currency]);
  return {
    reads: [
      total,
      read(Invoices, [invoice.id]),
      ...readAll(Transactions, paidIds.map((id) => [id])),
      ...readAll(Withdrawals, refundIds.map((id) => [id])),
    ],
    left: (view) => {
      if (said.length === REFUNDS_MAX) return Amount.zero(asset);
      const credited = sum(paidIds.flatMap((id) => creditedIn(view, id)), asset);
      const unpaid = refundIds.map((id) => genuineIn(view, id))
        .filter(({ status }) => isUnpaid(status));
      const asked = askedIn(view, { invoice, total, known: sum(said.filter(isOfCoin), asset) });
      return credited.minus(asked).plus(sum(unpaid, asset));
    },
    leftToSign: (view) => {
      // A reorganisation took some out of the chain, and nobody knows yet whether they come back.
      const credited = sum(paidIds.flatMap((id) => creditedIn(view, id)).filter(isInBlock), asset);
      const refunds = refundIds.map((id) => genuineIn(view, id));
      const asked = askedIn(view, { invoice, total, known: sum(said.filter(isOfCoin), asset) });
      const unsigned = refunds.filter((row) => isUnpaid(row.status) || isUnsigned(row));
      return {
        left: credited.minus(asked).plus(sum(unsigned, asset)),
        isCurrent: !sum(refunds, asset).isLessThan(asked),
      };
    },
    isUsed: (linkId) => said.some((refund) => refund.linkId === linkId),
    note: (view, { row, actor, linkId }) => {
      const { id: withdrawalId, amount, network, currency } = row;
      insertRefund(view, { invoiceId: invoice.id, row });
      const before = view.rowOf(total);
      const asked = Amount.parse(before?.asked ?? "0", asset).plus(Amount.parse(amount, asset));
      if (before) view.update(RefundTotals, before, { asked: asked.toString() });
      else view.insertKeyed(RefundTotals, { invoiceId: invoice.id, ...coin, asked: `${asked}` });
      const link = linkId === undefined ? {} : { link_id: linkId };
      const detail = { withdrawal_id: withdrawalId, amount, currency, network, ...link };
      recordAudit(view, { actor, action: REFUNDED, subject, detail, nowMs: view.nowMs });
    },
  };
}

const WAIT_FIRST_MS = 10_000;
const WAIT_MAX_MS = 600_000;

/** Adds up an invoice's payments and refunds each time, so it is not asked in every round. */
export function refundHeld(
  { memory: { refundWaits }, clock }: Deps,
  { withdrawalId, invoiceId }: { withdrawalId: number; invoiceId: number },
): void {
  const forMs = Math.min(
    WAIT_MAX_MS,
    2 * (refundWaits.get(withdrawalId)?.forMs ?? WAIT_FIRST_MS / 2),
  );
  refundWaits.set(withdrawalId, { invoiceId, forMs, sinceMs: clock.nowMs() });
}

/** Refunds to look at later. Those whose pause ended long ago were paid or cancelled meanwhile. */
export function waitingRefunds({ memory: { refundWaits }, clock }: Deps): number[] {
  const nowMs = clock.nowMs();
  for (const [id, { sinceMs, forMs }] of refundWaits) {
    if (nowMs - sinceMs > forMs + WAIT_MAX_MS) refundWaits.delete(id);
  }
  return [...refundWaits].flatMap(([id, { sinceMs, forMs }]) =>
    // The clock may have been set back.
    sinceMs <= nowMs && nowMs < sinceMs + forMs ? [id] : []
  );
}

/** Its payments or refunds have changed, and there may be room for those that wait. */
export function lookAgainAtRefunds({ memory: { refundWaits } }: Deps, invoice: number): void {
  for (const [id, { invoiceId }] of refundWaits) {
    if (invoiceId === invoice) refundWaits.delete(id);
  }
}

/** After a restore nobody knows what was refunded since the backup, so somebody has to look. */
export async function whyUnsure(
  { catalog }: Deps,
  { id }: Pick<InvoiceRow, "id">,
): Promise<string | null> {
  const { numberedFrom } = await catalog.current();
  if (id >= numberedFrom) return null;
  return `Invoice ${id} is from before a restore, and may have been refunded since the backup`;
}

interface Counted {
  readonly amount: string;
}

/** What the log says of a refund. */
function refundIn({ network, currency, amount, link_id: linkId }: AuditRow["detail"]) {
  return { network: String(network), currency: String(currency), amount: String(amount), linkId };
}

function sum(rows: readonly Counted[], asset: string): Amount {
  return rows.reduce(
    (all, { amount }) => all.plus(Amount.parse(amount, asset)),
    Amount.zero(asset),
  );
}

function creditedIn(view: View, id: number): TransactionRow[] {
  const row = view.get(Transactions, [id]);
  return CREDITED_STATUSES.includes(row.status) ? [row] : [];
}

function isInBlock({ blockHash }: TransactionRow): boolean {
  return blockHash !== null;
}

function genuineIn(view: View, id: number): WithdrawalRow {
  const row = view.get(Withdrawals, [id]);
  return row;
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
  const asked = Amount.parse(row?.asked ?? "0", known.asset);
  if (!asked.isLessThan(known)) return asked;
  throw new TamperedRow(RefundTotals.name, { key: total.values.join("/"), accountId });
}

/** By its own names, if it exists. */
function coinIn({ catalog }: InvoiceFacts, asked: Coin): Coin {
  const network = catalog.network(asked.network)?.code ?? asked.network;
  return { network, currency: catalog.currency(network, asked.currency)?.symbol ?? asked.currency };
}
