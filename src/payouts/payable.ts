import { PAY_OUT } from "../accounts/rules/usable.ts";
import { ReceivingWallets } from "../accounts/tables/accounts.ts";
import type { BalanceRow } from "../books/table.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { available as availableOf } from "../domain/money/balance.ts";
import { mostPayable } from "../domain/money/most_payable.ts";
import type { CurrencyRow } from "../networks/table.ts";
import { unsweptAmounts } from "./reads.ts";
import { balancesOf, currenciesOf } from "../store/reads/pages/lists.ts";
import { lookAtWallets, type WalletLook } from "../wallets/look.ts";
import { walletsOf } from "../wallets/reads/addresses.ts";
import type { CurrencyStock } from "../wallets/stocks.ts";

export interface PayableAsset {
  readonly currency: CurrencyRow;
  /** By the books. */
  readonly available: Amount;
  /** The most that the books allow: what is available, less the fee. */
  readonly most: Amount;
  /** What the hot wallet can pay besides what it owes and needs; undefined: no node answers. */
  readonly hot: Amount | undefined;
  /** All that the hot wallet holds; undefined: no node answers, or there is no wallet. */
  readonly hotHeld: Amount | undefined;
  /** Withdrawals are enabled. */
  readonly isEnabled: boolean;
  readonly hasWallet: boolean;
  /** On deposit addresses, and not swept. */
  readonly onDeposits: Amount;
  /** There is more on deposit addresses than this. */
  readonly isCut: boolean;
  /** The account has a receiving wallet there. */
  readonly isSwept: boolean;
  /** Sweeps fill the hot wallet. */
  readonly isSweptThere: boolean;
  /** The most that a recipient can get now; undefined: unknown. */
  readonly payable: Amount | undefined;
}

export const DEPOSITS_MAX = 1_000;
const LOOK_MS = 1_500;

/**
 * What an account could pay out at this moment, and why it isn't more. In the order of the codes.
 * With `hasAll`, also in currencies that are booked and not enabled.
 */
export async function payableOf(
  deps: Deps,
  accountId: number,
  { waitMs = LOOK_MS, hasAll = false }: { waitMs?: number; hasAll?: boolean } = {},
): Promise<PayableAsset[]> {
  const { db } = deps;
  const [enabled, balances, catalog, wallets] = await Promise.all([
    currenciesOf(db, accountId),
    balancesOf(db, accountId),
    deps.catalog.current(),
    walletsOf(db, accountId),
  ]);
  const withdrawable = enabled.filter(PAY_OUT.isOn);
  const isEnabled = new Set(withdrawable.map(assetOf));
  const others = hasAll ? balances.filter((row) => !isEnabled.has(assetOf(row))) : [];
  const currencies = [...withdrawable, ...others]
    .flatMap(({ network, currency }) => catalog.currency(network, currency) ?? [])
    .toSorted((a, b) => nameOf(a) < nameOf(b) ? -1 : 1);
  const networks = [...new Set(currencies.map(({ network }) => network))];
  const [looks, unswept, receiving] = await Promise.all([
    lookAtWallets(deps, {
      rows: wallets.filter(({ purpose }) => purpose === "hot"),
      waitMs,
    }),
    Promise.all(
      networks.map((network) => unsweptAmounts(db, { network, accountId, limit: DEPOSITS_MAX })),
    ),
    Promise.all(networks.map((network) => db.find(ReceivingWallets, [accountId, network]))),
  ]);
  return currencies.map((currency) => {
    const at = networks.indexOf(currency.network);
    const look = looks.find(({ row }) => row.network === currency.network);
    const balance = balances.find((row) => assetOf(row) === nameOf(currency));
    return {
      ...payableIn(currency, { balance, look }),
      ...onDeposits(currency, unswept[at] ?? []),
      isEnabled: isEnabled.has(nameOf(currency)),
      isSwept: receiving[at] !== undefined,
      isSweptThere: look !== undefined && receiving[at]?.address === look.row.address,
    };
  });
}

function nameOf({ network, symbol }: CurrencyRow): string {
  return assetOf({ network, currency: symbol });
}

function payableIn(
  currency: CurrencyRow,
  { balance, look }: { balance: BalanceRow | undefined; look: WalletLook | undefined },
) {
  const name = nameOf(currency);
  const available = availableOf({
    balance: Amount.parse(balance?.balance ?? "0", name),
    held: Amount.parse(balance?.held ?? "0", name),
  });
  const stock = look?.stocks.find(({ symbol }) => symbol === currency.symbol);
  const hasWallet = look !== undefined;
  const hot = stock ? freeOf(stock) : hasWallet ? Amount.zero(name) : undefined;
  const most = mostPayable(available, currency);
  const payable = hot && (hot.isLessThan(most) ? hot : most);
  return { currency, available, most, hot, hotHeld: stock?.held, hasWallet, payable };
}

/** Its gas target stays in the wallet, so a coin payout can't use it. */
function freeOf({ held, needed, target }: CurrencyStock): Amount | undefined {
  const left = held?.minus(needed).minus(target);
  return left?.isNegative() ? Amount.zero(left.asset) : left;
}

function onDeposits(currency: CurrencyRow, found: readonly Unswept[]) {
  const asked = { symbol: currency.symbol, asset: nameOf(currency) };
  return { onDeposits: sumOf(found, asked), isCut: found.length === DEPOSITS_MAX };
}

interface Unswept {
  readonly currency: string;
  readonly amount: string;
}

export function sumOf(
  found: readonly Unswept[],
  { symbol, asset }: { symbol: string; asset: string },
): Amount {
  return found.filter(({ currency }) => currency === symbol)
    .reduce((sum, { amount }) => sum.plus(Amount.parse(amount, asset)), Amount.zero(asset));
}
