import { Amount, assetOf } from "../domain/money/amount.ts";
import { type Whereabouts, whereaboutsOf } from "../wallets/rules/whereabouts.ts";
import { openPayouts, sweepingAmounts } from "../home/reads.ts";
import { balancesOf } from "../store/reads/pages/lists.ts";
import type { CoinMove } from "../accounts/tables/coins.ts";
import type { BalanceRow } from "../books/table.ts";
import { coinsMoved } from "../accounts/coins_moved.ts";
import type { Deps } from "../deps/deps.ts";
import { hasOutputs } from "../networks/fitting.ts";
import { payableOf } from "./payable.ts";

export interface AssetMoney extends Whereabouts {
  readonly row: BalanceRow;
  readonly sweptSinceMs: number | undefined;
  /** Withdrawals are enabled, so that `payable` means something. */
  readonly isPaidOut: boolean;
  /** The most that a recipient can get now, as the form for payouts says. Undefined: no node answers. */
  readonly most: Amount | undefined;
  /** What is on deposit addresses is about to be swept. */
  readonly isSwept: boolean;
  /** There is more on deposit addresses, or under way, than is counted here. */
  readonly isCut: boolean;
  /** There are more open withdrawals than are looked at here. */
  readonly isOpenCut: boolean;
  /** Its chain burns gas; on others, fees come out of what is moved. */
  readonly hasGas: boolean;
}

const SWEEPING_MAX = 1_000;
const OPEN_MAX = 1_000;

/** Each balance of an account and where its coins are. Balances that are 0 come last. */
export async function moneyOf(
  deps: Deps,
  { accountId, waitMs }: { accountId: number; waitMs: number },
): Promise<AssetMoney[]> {
  const [balances, payable, sweeping, open, movedIn, catalog] = await Promise.all([
    balancesOf(deps.db, accountId),
    payableOf(deps, accountId, { waitMs, hasAll: true }),
    sweepingAmounts(deps.db, { accountId, limit: SWEEPING_MAX }),
    openPayouts(deps.db, { accountId, limit: OPEN_MAX }),
    coinsMoved(deps, accountId),
    deps.catalog.current(),
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
    const mine = open.filter((one) => assetOf(one) === asset);
    const sum = (texts: readonly string[]) =>
      texts.reduce((all, text) => all.plus(Amount.parse(text, asset)), zero);
    const heldFees = sum(mine.map(({ fee }) => fee));
    const gone = sum(mine.flatMap(({ isGone, amount }) => isGone ? [amount] : []));
    const toLeave = held.minus(heldFees).minus(gone);
    // Without a wallet, nothing is in it.
    const [hot, free] = known?.hasWallet
      ? [known.hotHeld ?? known.hot, known.hot] as const
      : [zero, zero] as const;
    const isCoin = known?.currency.contractAddress === null;
    const network = catalog.network(row.network);
    const decimals = isCoin ? network?.nativeDecimals : undefined;
    // Counted as a move of coins once their block is final.
    const newFees = decimals === undefined ? zero : open.reduce(
      (all, { network, feeRaw }) =>
        network === row.network && feeRaw !== null
          ? all.plus(Amount.fromRaw(BigInt(feeRaw), { asset, decimals }))
          : all,
      zero,
    );
    const where = whereaboutsOf({
      balance: Amount.parse(row.balance, asset),
      ...{ held, heldFees, gone, hot, free },
      gasWanted: isCoin && hot && free ? hot.minus(free).minus(toLeave) : zero,
      onDeposits: known?.onDeposits ?? zero,
      sweeping: sweeping.filter((one) => assetOf(one) === asset)
        .reduce((sum, { amount }) => sum.plus(Amount.parse(amount, asset)), zero),
      ...{
        swept: of("swept").minus(of("fees_inside")),
        sweptToHot: of("swept_hot"),
        emptied: of("emptied"),
      },
      gas: { deposits: of("gas"), hot: of("gas_hot") },
      fees: { deposits: of("fees").plus(of("fees_inside")), hot: of("fees_hot").plus(newFees) },
      ...{ booked: of("booked"), charged: of("charged") },
    });
    return {
      ...where,
      row,
      sweptSinceMs: moved?.sweptSinceMs,
      isPaidOut: known?.isEnabled === true,
      most: known?.isEnabled && known.hasWallet ? known.payable : zero,
      isSwept: known?.isSwept === true,
      isCut: known?.isCut === true || sweeping.length === SWEEPING_MAX || !movedIn,
      isOpenCut: open.length === OPEN_MAX,
      hasGas: network === undefined || !hasOutputs(network),
    };
  });
  return found.toSorted((a, b) => Number(a.row.balance === "0") - Number(b.row.balance === "0"));
}
