import { Amount, assetOf } from "../../domain/money/amount.ts";
import { type Whereabouts, whereaboutsOf } from "../../domain/money/whereabouts.ts";
import { sweepingAmounts } from "../../store/reads/pages/overview.ts";
import { balancesOf } from "../../store/reads/pages/lists.ts";
import type { CoinMove } from "../../store/tables/coins.ts";
import type { BalanceRow } from "../../store/tables/ledger.ts";
import { coinsMoved } from "../accounts/coins_moved.ts";
import type { Deps } from "../deps.ts";
import { payableOf } from "./payable.ts";

export interface AssetMoney extends Whereabouts {
  readonly row: BalanceRow;
  readonly sweptSinceMs: number | undefined;
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
  const [balances, payable, sweeping, movedIn] = await Promise.all([
    balancesOf(deps.db, accountId),
    payableOf(deps, accountId, { waitMs, hasAll: true }),
    sweepingAmounts(deps.db, { accountId, limit: SWEEPING_MAX }),
    coinsMoved(deps, accountId),
  ]);
  const found = balances.map((row) => {
    const asset = assetOf(row);
    const zero = Amount.zero(asset);
    const moved = movedIn?.(asset);
    const of = (kind: CoinMove) => moved?.amounts.get(kind) ?? zero;
    const known = payable.find(({ currency }) =>
      currency.network === row.network && currency.symbol === row.currency
    );
    const held = Amount.parse(row.held, asset);
    // Without a wallet, nothing is in it.
    const [hot, free] = known?.hasWallet
      ? [known.hotHeld ?? known.hot, known.hot] as const
      : [zero, zero] as const;
    const isCoin = known?.currency.contractAddress === null;
    const where = whereaboutsOf({
      balance: Amount.parse(row.balance, asset),
      ...{ held, hot, free, gasWanted: isCoin && hot && free ? hot.minus(free).minus(held) : zero },
      onDeposits: known?.onDeposits ?? zero,
      sweeping: sweeping.filter((one) => assetOf(one) === asset)
        .reduce((sum, { amount }) => sum.plus(Amount.parse(amount, asset)), zero),
      ...{ swept: of("swept"), sweptToHot: of("swept_hot"), emptied: of("emptied") },
      gas: { deposits: of("gas"), hot: of("gas_hot") },
      fees: { deposits: of("fees"), hot: of("fees_hot") },
      ...{ booked: of("booked"), charged: of("charged") },
    });
    return {
      ...where,
      row,
      sweptSinceMs: moved?.sweptSinceMs,
      isPaidOut: known?.isEnabled === true,
      isCut: known?.isCut === true || sweeping.length === SWEEPING_MAX || !movedIn,
    };
  });
  return found.toSorted((a, b) => Number(a.row.balance === "0") - Number(b.row.balance === "0"));
}
