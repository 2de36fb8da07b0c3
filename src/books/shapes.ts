import type { BalanceRow } from "./table.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";

export function balanceShape(row: BalanceRow) {
  const asset = assetOf(row);
  const available = Amount.parse(row.balance, asset).minus(Amount.parse(row.held, asset));
  return {
    account_id: row.accountId,
    network: row.network,
    currency: row.currency,
    balance: row.balance,
    held: row.held,
    available: available.toString(),
  };
}
