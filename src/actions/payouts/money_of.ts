import { Amount, assetOf } from "../../domain/money/amount.ts";
import { type Whereabouts, whereaboutsOf } from "../../domain/money/whereabouts.ts";
import { sweepingAmounts, sweptNetworks } from "../../store/reads/pages/overview.ts";
import { balancesOf } from "../../store/reads/pages/lists.ts";
import type { BalanceRow } from "../../store/tables/ledger.ts";
import type { Deps } from "../deps.ts";
import { payableOf } from "./payable.ts";

export interface AssetMoney extends Whereabouts {
  readonly row: BalanceRow;
  /** Sweeps go to a wallet of the account's own. */
  readonly isSwept: boolean;
  /** Withdrawals are enabled, so that `payable` means something. */
  readonly isPaidOut: boolean;
  /** There is more on deposit addresses, or under way, than is counted here. */
  readonly isCut: boolean;
}

const SWEEPING_MAX = 1_000;

/** Each balance of an account and where its coins are. Balances that are 0 come last. */
export async function moneyOf(
  deps: Deps,
  { accountId, waitMs }: { accountId: number; waitMs: number },
): Promise<AssetMoney[]> {
  const [balances, payable, sweeping, swept] = await Promise.all([
    balancesOf(deps.db, accountId),
    payableOf(deps, accountId, { waitMs }),
    sweepingAmounts(deps.db, { accountId, limit: SWEEPING_MAX }),
    sweptNetworks(deps.db, accountId),
  ]);
  const found = balances.map((row) => {
    const asset = assetOf(row);
    const zero = Amount.zero(asset);
    const known = payable.find(({ currency }) =>
      currency.network === row.network && currency.symbol === row.currency
    );
    const where = whereaboutsOf({
      balance: Amount.parse(row.balance, asset),
      held: Amount.parse(row.held, asset),
      hot: known?.hot,
      onDeposits: known?.onDeposits ?? zero,
      sweeping: sweeping.filter((one) => assetOf(one) === asset)
        .reduce((sum, { amount }) => sum.plus(Amount.parse(amount, asset)), zero),
    });
    return {
      ...where,
      row,
      isSwept: swept.has(row.network),
      isPaidOut: known !== undefined,
      isCut: known?.isCut === true || sweeping.length === SWEEPING_MAX,
    };
  });
  return found.toSorted((a, b) => Number(a.row.balance === "0") - Number(b.row.balance === "0"));
}
