import { present } from "../../base/assert.ts";
import type { Method } from "../../domain/invoices/coins.ts";
import {
  GRACE_MS,
  type InvoicePayment,
  judge,
  type Judgement,
} from "../../domain/invoices/judge.ts";
import { isFinalStatus } from "../../domain/invoices/status.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import {
  InvoiceAddresses,
  type InvoiceAddressRow,
  type InvoicePaymentRow,
  InvoicePayments,
  type InvoiceRow,
} from "../../store/tables/checkout/invoices.ts";
import { Refunds } from "../../store/tables/checkout/refunds.ts";
import { Addresses } from "../../store/tables/addresses.ts";
import { NetworkCursors } from "../../store/tables/following.ts";
import { type TransactionRow, Transactions } from "../../store/tables/transactions.ts";
import { type WithdrawalRow, Withdrawals } from "../../store/tables/withdrawals.ts";
import { filterGenuine } from "../books/tampered.ts";
import { currentRates } from "../rates/current.ts";
import { rateAt } from "../rates/rate_at.ts";
import type { Deps } from "../deps.ts";

export interface Paid {
  readonly link: InvoicePaymentRow;
  readonly row: TransactionRow;
}

/** Everything about one invoice that is in the books. */
export interface InvoiceFacts {
  readonly addresses: readonly InvoiceAddressRow[];
  /** Oldest first. */
  readonly payments: readonly Paid[];
  /** Oldest first. */
  readonly refunds: readonly WithdrawalRow[];
  /** At current prices, once payments count at those; without coins that have none. */
  readonly methodsNow: readonly Method[] | null;
  /** By network: the newest block. */
  readonly heights: ReadonlyMap<string, number>;
  readonly catalog: Catalog;
}

/** Rows that somebody else wrote count for nothing. Look-ups of many invoices share statements. */
export async function factsOf(deps: Deps, row: InvoiceRow): Promise<InvoiceFacts> {
  const { id } = row;
  const [addresses, links, refunds, methodsNow, catalog] = await Promise.all([
    deps.db.list(InvoiceAddresses, { invoiceId: id }),
    deps.db.list(InvoicePayments, { invoiceId: id }),
    refundsOf(deps, id),
    methodsNowOf(deps, row),
    deps.catalog.current(),
  ]);
  const ours = await filterGenuine(deps, InvoicePayments, links);
  const rows = await Promise.all(
    ours.map((link) => deps.db.get(Transactions, [link.transactionId])),
  );
  const genuineRows = new Set(await filterGenuine(deps, Transactions, rows));
  const payments = ours.flatMap((link, i) => {
    const row = present(rows[i], "A payment has its row");
    return genuineRows.has(row) ? [{ link, row }] : [];
  });
  const networks = [...new Set(payments.map(({ row }) => row.network))];
  const cursors = await Promise.all(networks.map((code) => deps.db.find(NetworkCursors, [code])));
  return {
    addresses: await stillGiven(deps, await filterGenuine(deps, InvoiceAddresses, addresses)),
    payments: payments.toSorted((a, b) => a.row.id - b.row.id),
    refunds,
    methodsNow,
    heights: new Map(networks.map((code, i) => [code, cursors[i]?.topHeight ?? 0])),
    catalog,
  };
}

/** Of one that was made just now: nobody can have paid it. */
export async function factsOfNew(
  deps: Deps,
  address: InvoiceAddressRow | null,
): Promise<InvoiceFacts> {
  return {
    addresses: address ? [address] : [],
    ...{ payments: [], refunds: [], methodsNow: null, heights: new Map() },
    catalog: await deps.catalog.current(),
  };
}

/** After the end and its grace a payment counts at the price when it is seen. */
async function methodsNowOf(
  deps: Deps,
  { methods, currency, status, expiresAtMs }: InvoiceRow,
): Promise<Method[] | null> {
  const nowMs = deps.clock.nowMs();
  if (isFinalStatus(status) || !isOver({ expiresAtMs }, nowMs)) return null;
  const known = await currentRates(deps);
  return methods.flatMap((method) => {
    if (method.currency === currency) return [method];
    const rate = rateAt(deps.memory.rates, known, {
      base: method.currency,
      quote: currency,
      nowMs,
    });
    return rate ? [{ ...method, rate: rate.value, rateAtMs: rate.atMs }] : [];
  });
}

/** Whether payments no longer count at the locked prices. */
export function isOver({ expiresAtMs }: Pick<InvoiceRow, "expiresAtMs">, nowMs: number): boolean {
  return nowMs > expiresAtMs + GRACE_MS;
}

async function refundsOf(deps: Deps, invoiceId: number): Promise<WithdrawalRow[]> {
  const links = await filterGenuine(deps, Refunds, await deps.db.list(Refunds, { invoiceId }));
  const rows = await Promise.all(
    links.map(({ withdrawalId }) => deps.db.get(Withdrawals, [withdrawalId])),
  );
  return (await filterGenuine(deps, Withdrawals, rows)).toSorted((a, b) => a.id - b.id);
}

/** Leaves out addresses that others have by now, or may get at any moment. */
async function stillGiven(
  { db, clock }: Deps,
  given: readonly InvoiceAddressRow[],
): Promise<InvoiceAddressRow[]> {
  const rows = await Promise.all(given.map(({ addressId }) => db.find(Addresses, [addressId])));
  return given.filter(({ depositRequestId }, i) =>
    rows[i]?.currentRequestId === depositRequestId &&
    (rows[i]?.reusableAtMs ?? 0) > clock.nowMs()
  );
}

export function judgementOf(
  row: InvoiceRow,
  { facts, nowMs }: { facts: InvoiceFacts; nowMs: number },
): Judgement {
  return judge(row, { payments: facts.payments.map((paid) => paymentOf(paid, facts)), nowMs });
}

function paymentOf(
  { link, row }: Paid,
  { addresses, catalog }: Pick<InvoiceFacts, "addresses" | "catalog">,
): InvoicePayment {
  const { network, currency, amount, status } = row;
  const given = addresses.find(({ addressId }) => addressId === row.addressId);
  const decimals = catalog.currency(network, currency)?.decimals ?? 0;
  const paidAtMs = Math.max(seenAtMs(row), given?.allocatedAtMs ?? 0);
  return { network, currency, amount, status, decimals, paidAtMs, laterRate: link.laterRate };
}

/** If we were down, its block still shows when it was paid. */
export function seenAtMs({ createdAtMs, minedAtMs }: TransactionRow): number {
  return minedAtMs === null ? createdAtMs : Math.min(createdAtMs, minedAtMs);
}
