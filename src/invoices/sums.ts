import { at } from "../base/lists.ts";
import { addUp, type Missing, type PaymentSums } from "./rules/judge.ts";
import { listedPayments } from "./rules/listed.ts";
import {
  type CountedRefund,
  type InvoiceSums,
  NO_SUMS,
  NOT_COUNTED,
  withRefund,
} from "./rules/sums.ts";
import { isSameSymbol } from "../domain/money/symbols.ts";
import type { Pair } from "../rates/rules/rate_of.ts";
import { isUnpaid } from "../withdrawals/rules/moves.ts";
import type { World } from "../networks/rules/world.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import {
  InvoiceAddresses,
  type InvoicePaymentRow,
  type InvoiceRow,
  Invoices,
} from "./tables/invoices.ts";
import { overtakenAmong } from "../deposits/reads/inputs.ts";
import { NetworkCursors } from "../following/table.ts";
import { Refunds } from "../refunds/table.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import { isAdrift, isGone, isUnmined } from "../books/depth.ts";
import { filterGenuine } from "../books/tampered.ts";
import { worldOf } from "../networks/worlds.ts";
import { rateOf } from "../rates/current.ts";
import type { Deps } from "../deps/deps.ts";
import { factsOf, type Paid, paymentOf, paymentsOf } from "./facts.ts";

type OfPayments = PaymentSums & Pick<InvoiceSums, "listed">;

export interface AddedUp {
  readonly sums: OfPayments;
  /** Payments that are judged for the first time, or again, with the rate that they keep. */
  readonly rated: readonly InvoicePaymentRow[];
  readonly judgedBy: JudgedBy;
}

/** Networks of payments: how often it had changed whether their coins are real. */
type JudgedBy = ReadonlyMap<string, number | null>;

/** From all payments, as they are now. */
export async function addUpPayments(deps: Deps, row: InvoiceRow): Promise<AddedUp> {
  const found = await paymentsOf(deps, row.id);
  const { networks } = await deps.catalog.current();
  const judgedBy = new Map(
    networks.flatMap(({ code, testChanges }) =>
      found.some(({ row }) => row.network === code) ? [[code, testChanges]] : []
    ),
  );
  const payments = await withRates(deps, { row, payments: found, judgedBy });
  const rated = payments.flatMap(({ link, isNew }) => isNew ? [link] : []);
  return { sums: await sumsOf(deps, { row, payments }), rated, judgedBy };
}

async function sumsOf(
  deps: Deps,
  { row, payments }: { row: InvoiceRow; payments: readonly Paid[] },
): Promise<OfPayments> {
  const [addresses, catalog] = await Promise.all([
    deps.db.list(InvoiceAddresses, { invoiceId: row.id }),
    deps.catalog.current(),
  ]);
  const given = await filterGenuine(deps, InvoiceAddresses, addresses);
  const missingOf = await missingFrom(deps, payments);
  const all = payments.map((paid) => ({
    ...paymentOf(paid, { given, catalog }),
    missing: missingOf(paid),
  }));
  const listed = listedPayments(row, all).map((i) => {
    const { id, status } = at(payments, i).row;
    const { missing } = at(all, i);
    return { id, status, ...missing ? { missing } : {} };
  });
  return { ...addUp(row, all), listed };
}

async function missingFrom(
  { db }: Deps,
  payments: readonly Paid[],
): Promise<(paid: Paid) => Missing | undefined> {
  const codes = new Set(payments.flatMap(({ row }) => isAdrift(row) ? [row.network] : []));
  const cursors = new Map(
    await Promise.all(
      [...codes].map(async (code) => [code, await db.get(NetworkCursors, [code])] as const),
    ),
  );
  const adrift = payments.flatMap(({ row }) => isAdrift(row) ? [row] : []);
  const overtaken = await overtakenAmong(db, adrift);
  return ({ row }) => {
    const cursor = cursors.get(row.network);
    if (!cursor || !isAdrift(row)) return undefined;
    if (overtaken.has(row.id) || isGone(row, cursor)) return "gone";
    return isUnmined(row) ? undefined : "may_return";
  };
}

/**
 * The coin's price when its payment is first seen; null stays null, and the merchant decides. Once
 * an operator has said that the network's coins are real, or are not, the payment is judged by that.
 */
async function withRates(
  deps: Deps,
  { row, payments, judgedBy }: {
    row: InvoiceRow;
    payments: readonly Paid[];
    judgedBy: JudgedBy;
  },
): Promise<(Paid & { readonly isNew: boolean })[]> {
  const ratedAtMs = deps.clock.nowMs();
  return await Promise.all(payments.map(async (paid) => {
    const { link, row: { currency, network } } = paid;
    const testChanges = judgedBy.get(network) ?? null;
    const isRated = link.ratedAtMs !== null;
    if (isRated && link.testChanges === testChanges) return { ...paid, isNew: false };
    const world = await worldOf(deps, { accountId: row.accountId, network });
    const isWorthless = world === null ? true : null;
    // What is paid stays paid.
    if (isRated && isWorthless && row.status === "paid") return { ...paid, isNew: false };
    if (isRated && link.isWorthless === isWorthless) {
      return { ...paid, link: { ...link, testChanges }, isNew: true };
    }
    const laterRate = await laterRateOf(deps, { base: currency, quote: row.currency, world });
    const now = { laterRate, ratedAtMs, isWorthless, testChanges };
    return { ...paid, link: { ...link, ...now }, isNew: true };
  }));
}

async function laterRateOf(
  deps: Deps,
  { base, quote, world }: Pair & { world: World | null },
): Promise<string | null> {
  if (world === null) return null;
  if (isSameSymbol(base, quote)) return "1";
  return (await rateOf(deps, { base, quote, world }))?.value ?? null;
}

/**
 * Of an invoice from before sums were kept, until they are: what is in the books. A payment that
 * nobody has judged yet isn't in its status either.
 */
export async function sumsFromBooks(deps: Deps, row: InvoiceRow): Promise<InvoiceSums> {
  const { payments, refunds } = await factsOf(deps, row);
  const judged = payments.filter(({ link }) => link.ratedAtMs !== null);
  const sums = { ...NO_SUMS, ...await sumsOf(deps, { row, payments: judged }) };
  return refunds.reduce(
    (all, one) => withRefund(all, one, { before: NOT_COUNTED, now: countedOf(one) }),
    sums,
  );
}

/** What was not paid is the account's again, and can be given back another time. */
function countedOf({ status, amount }: WithdrawalRow): CountedRefund {
  return {
    counted: isUnpaid(status) ? "0" : amount,
    returned: status === "confirmed" ? amount : null,
  };
}

export function refundReads(ids: readonly number[]): Read[] {
  return ids.flatMap((id) => [read(Refunds, [id]), read(Withdrawals, [id])]);
}

/** Counts refunds that are new, have arrived, or were not paid after all. */
export function countRefunds(
  view: View,
  { sums, ids }: { sums: InvoiceSums; ids: readonly number[] },
): InvoiceSums {
  return ids.reduce((all, id) => {
    const link = view.get(Refunds, [id]);
    const row = view.get(Withdrawals, [id]);
    const now = countedOf(row);
    if (link.counted === now.counted && link.returned === now.returned) return all;
    view.update(Refunds, link, now);
    return withRefund(all, row, { before: link, now });
  }, sums);
}

/** A refund that is made in this unit. Its invoice is read in it. */
export function insertRefund(
  view: View,
  { invoiceId, row }: { invoiceId: number; row: WithdrawalRow },
): void {
  const { id: withdrawalId } = row;
  const invoice = view.get(Invoices, [invoiceId]);
  // Without sums, it is counted when they are made.
  const now = countedOf(row);
  const isCounted = invoice.sums !== null;
  view.insertKeyed(Refunds, { withdrawalId, invoiceId, ...isCounted ? now : NOT_COUNTED });
  if (!isCounted) return;
  const sums = withRefund(invoice.sums, row, { before: NOT_COUNTED, now });
  view.update(Invoices, invoice, { sums });
}
