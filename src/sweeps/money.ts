import { present } from "../base/assert.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { SweepMoney } from "./reads/page.ts";
import type { SweepRow } from "./table.ts";

export function moneyIn(money: ReadonlyMap<number, SweepMoney>, { id }: SweepRow): SweepMoney {
  return present(money.get(id), "Sweeps have an address");
}

/** What it sent or, before that, the sum of its deposits. */
export function amountText(row: SweepRow, { sent, deposits }: SweepMoney): string {
  if (sent) return sent.amount;
  const asset = assetOf(row);
  return deposits
    .reduce((sum, amount) => sum.plus(Amount.parse(amount, asset)), Amount.zero(asset))
    .toString();
}
