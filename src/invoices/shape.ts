import { rulesOf } from "../chains/registry.ts";
import { coinsFor, type Method } from "./rules/coins.ts";
import { judge, type Judgement } from "./rules/judge.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { confirmationsOf } from "../deposits/rules/transaction_moves.ts";
import { isoUtc, isoUtcOrNull } from "../domain/time.ts";
import type { WithdrawalRow } from "../withdrawals/table.ts";
import type { InvoiceRow } from "./tables/invoices.ts";
import {
  chosenFor,
  type InvoiceLook,
  isOver,
  isTestInvoice,
  methodsOf,
  type SeenPayment,
} from "./look.ts";

const DEFAULT_LANGUAGE = "en";

interface Shown {
  readonly look: InvoiceLook;
  /** Where payers reach the gateway. */
  readonly publicUrl: string;
  readonly nowMs: number;
}

/** An invoice as the API, events and commands show it. */
export function invoiceShape(row: InvoiceRow, { look, publicUrl, nowMs }: Shown) {
  const { sums } = look;
  const judged = judge(row, { sums, nowMs });
  const { paid, confirmed, due, overpaid, isLate } = judged;
  const methods = methodsOf(row, look);
  const methodsNow = isOver(row, nowMs) ? look.methodsNow ?? methods : methods;
  return {
    invoice_id: row.id,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    ...{ paid, confirmed, due, overpaid, is_late: isLate },
    tolerance_percent: row.tolerancePercent,
    test: isTestInvoice(row, look),
    language: row.language ?? DEFAULT_LANGUAGE,
    reference: row.reference,
    description: row.description,
    customer: row.customer,
    metadata: row.metadata,
    redirect_url: row.redirectUrl,
    url: payUrl(publicUrl, row),
    methods: methods.map((method) => methodShape(row, { method, look, judged, methodsNow })),
    payments: look.payments.map((one) => paymentShape(one, look)),
    payments_count: sums.payments,
    refunds: look.refunds.map(refundShape),
    refunds_count: sums.refunds,
    expires_at: isoUtc(row.expiresAtMs),
    created_at: isoUtc(row.createdAtMs),
    paid_at: isoUtcOrNull(row.paidAtMs),
    cancelled_at: isoUtcOrNull(row.cancelledAtMs),
  };
}

export function payUrl(publicUrl: string, { token }: Pick<InvoiceRow, "token">): string {
  return `${publicUrl}/pay/${token}`;
}

interface Priced {
  readonly method: Method;
  readonly look: InvoiceLook;
  readonly judged: Judgement;
  readonly methodsNow: readonly Method[];
}

/** What is due is counted in coins at the price that a payment would count at now. */
function methodShape(
  { amount, currency: invoiceCurrency }: InvoiceRow,
  { method, look, judged, methodsNow }: Priced,
) {
  const { network, currency, rate, rateAtMs } = method;
  const chosen = chosenFor(look, method);
  const now = methodsNow.find((one) => one.network === network && one.currency === currency);
  const asked = coinsFor(amount, { invoiceCurrency, method });
  const isWhole = judged.due === amount && (now ?? method) === method;
  const due = isWhole ? asked : coinsFor(judged.due, { invoiceCurrency, method: now ?? method });
  return {
    network,
    currency,
    amount_decimal: asked,
    due_decimal: due,
    rate,
    rate_at: isoUtc(rateAtMs),
    address: chosen?.address ?? null,
    payment_uri: chosen && now ? uriOf(now, { look, address: chosen.address, due }) : null,
    deposit_request_id: chosen?.requestId ?? null,
  };
}

export function uriOf(
  { network: code, currency: symbol }: Method,
  { look: { catalog }, address, due }: { look: InvoiceLook; address: string; due: string },
): string | null {
  const network = catalog.network(code);
  const currency = catalog.currency(code, symbol);
  if (!network || !currency) return null;
  const asset = assetOf({ network: code, currency: symbol });
  return rulesOf(network).paymentUri({
    chainId: network.chainId,
    contract: currency.contractAddress,
    address,
    raw: Amount.parse(due, asset).toRaw(currency.decimals),
    amount: due,
  });
}

function paymentShape({ row, status, value }: SeenPayment, { heights }: InvoiceLook) {
  return {
    transaction_id: row.id,
    network: row.network,
    currency: row.currency,
    tx_hash: row.txHash,
    amount_decimal: row.amount,
    value,
    confirmations: confirmationsOf(heights.get(row.network) ?? 0, row),
    status,
    detected_at: isoUtc(row.createdAtMs),
    confirmed_at: status === "detected" ? null : isoUtcOrNull(row.confirmedAtMs),
  };
}

function refundShape({ id, network, currency, amount, status }: WithdrawalRow) {
  return { withdrawal_id: id, network, currency, amount, status };
}
