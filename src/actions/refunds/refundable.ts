import { isUnpaid } from "../../domain/states/withdrawal_moves.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { CREDITED_STATUSES } from "../../domain/states/transaction_moves.ts";
import type { InvoiceRow } from "../../store/tables/checkout/invoices.ts";
import type { WithdrawalRow } from "../../store/tables/withdrawals.ts";
import type { Deps } from "../deps.ts";
import { factsOf } from "../invoices/facts.ts";

interface Refundable {
  readonly network: string;
  readonly currency: string;
  /** Above zero. */
  readonly left: Amount;
}

/** What a form may offer to give back. It decides nothing: the unit that holds it counts again. */
export async function refundableOf(deps: Deps, invoice: InvoiceRow): Promise<Refundable[]> {
  const { payments, refunds } = await factsOf(deps, invoice);
  const credited = payments.map(({ row }) => row)
    .filter(({ status }) => CREDITED_STATUSES.includes(status));
  const coins = new Map(credited.map((row) => [assetOf(row), row]));
  return [...coins].map(([asset, { network, currency }]) => {
    const sum = (rows: readonly (typeof credited[number] | WithdrawalRow)[]) =>
      rows.filter((row) => assetOf(row) === asset)
        .reduce((all, { amount }) => all.plus(Amount.parse(amount, asset)), Amount.zero(asset));
    return { network, currency, left: sum(credited).minus(sum(refunds.filter(isOpenOrPaid))) };
  }).filter(({ left }) => Amount.zero(left.asset).isLessThan(left));
}

function isOpenOrPaid({ status }: WithdrawalRow): boolean {
  return !isUnpaid(status);
}
