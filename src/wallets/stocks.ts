import { Alerts } from "../alerts/table.ts";
import { amountOf } from "../books/address_books.ts";
import { gasMissingOf } from "../books/alerts.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import type { SigningCost } from "../transfers/reads/places.ts";
import type { Signed } from "../transfers/table.ts";
import { Commitments } from "./funds.ts";
import {
  lastSignedBy,
  paidOutSince,
  unminedOf,
  type Unsigned,
  unsignedPayouts,
} from "./reads/wallets.ts";
import { levelOf, type Stock, type WalletLevel } from "./rules/wallet_level.ts";
import type { AddressRow } from "./tables/addresses.ts";

const DAY_MS = 24 * 3_600_000;

export interface CurrencyStock extends Stock {
  readonly symbol: string;
  /** The account has some of it that may be withdrawn. */
  readonly isOwed: boolean;
  readonly level: WalletLevel;
}

export interface Purse {
  readonly wallet: AddressRow;
  readonly currency: CurrencyRow;
  /** The account has some of it that may be withdrawn. */
  readonly isOwed: boolean;
}

const PAYMENTS_MAX = 1_000;

interface Needs {
  /** By account and currency. */
  readonly unsigned: ReadonlyMap<string, readonly Unsigned[]>;
  readonly unmined: ReadonlyMap<string, readonly SigningCost[]>;
  readonly last: ReadonlyMap<string, Signed>;
  readonly usual: UsualPayouts;
  readonly isGasMissing: boolean;
}

export async function needsOf(
  deps: Deps,
  { network, wallets }: { network: NetworkRow; wallets: readonly AddressRow[] },
): Promise<Needs> {
  const { db } = deps;
  const asked = { network: network.code, senders: wallets.map(({ address }) => address) };
  const gas = gasMissingOf(network);
  const [unsigned, unmined, last, usual, alert] = await Promise.all([
    unsignedPayouts(db, { network: network.code, limit: PAYMENTS_MAX }),
    unminedOf(db, { ...asked, limit: PAYMENTS_MAX }),
    lastSignedBy(db, asked),
    usualPayouts(deps, { network: network.code, wallets }),
    db.find(Alerts, [gas.kind, gas.subject, 1], "open"),
  ]);
  return {
    unsigned: Map.groupBy(unsigned, ownerOf),
    unmined: Map.groupBy(unmined, ({ sender }) => sender),
    last: new Map(last.map((signed) => [signed.tx.sender, signed])),
    usual,
    isGasMissing: alert !== undefined,
  };
}

/** What the gas wallet owes hot wallets that are below half of the operator's target. */
export function fillsOf(network: NetworkRow, held: ReadonlyMap<Purse, Amount | undefined>): Amount {
  const target = targetOf(network);
  return [...held].reduce((sum, [{ wallet, currency }, amount]) => {
    if (!amount || wallet.purpose !== "hot" || currency.contractAddress !== null) return sum;
    return amount.plus(amount).isLessThan(target) ? sum.plus(target.minus(amount)) : sum;
  }, Amount.zero(target.asset));
}

function targetOf({ code, nativeSymbol, hotGasTarget }: NetworkRow): Amount {
  return Amount.parse(hotGasTarget, assetOf({ network: code, currency: nativeSymbol }));
}

export function stockOf(
  { wallet, currency, isOwed }: Purse,
  { network, held, needs, fills }: {
    network: NetworkRow;
    held: Amount | undefined;
    needs: Needs;
    fills: Amount;
  },
): CurrencyStock {
  const isGas = wallet.purpose === "gas";
  const isCoin = currency.contractAddress === null;
  const zero = amountOf(0n, currency);
  const target = targetOf(network);
  const payments = isGas ? fills.isLessThan(target) ? target : fills : zero;
  const needed = neededBy(wallet, { currency, needs }).plus(payments);
  const usual = needs.usual(wallet.accountId, currency);
  const isWanted = isCoin || isOwed;
  const stock = { held, needed, target: isCoin && !isGas ? target : zero, usual, isWanted };
  const level = levelOf(stock);
  const isRefused = isGas && needs.isGasMissing && level === "ok";
  return { ...stock, isOwed, symbol: currency.symbol, level: isRefused ? "low" : level };
}

/** What is signed or ordered and, for coins, the cost of one more payment. */
function neededBy(
  { address, accountId }: AddressRow,
  { currency, needs }: { currency: CurrencyRow; needs: Needs },
): Amount {
  const contract = currency.contractAddress;
  const unmined = needs.unmined.get(address) ?? [];
  const ordered = needs.unsigned.get(ownerOf({ accountId, currency: currency.symbol })) ?? [];
  const signedRaw = new Commitments(unmined).of(contract);
  const last = needs.last.get(address);
  const nextRaw = contract === null && last ? nextCostRaw(last) : 0n;
  return ordered.reduce(
    (sum, { amount }) => sum.plus(Amount.parse(amount, sum.asset)),
    amountOf(signedRaw + nextRaw, currency),
  );
}

export function ownerOf(
  { accountId, currency }: { accountId: number | null; currency: string },
): string {
  return `${accountId} ${currency}`;
}

/** A top-up costs its amount and its fee; of a withdrawal, only the fee is sure to come again. */
function nextCostRaw({ tx, payments }: Signed): bigint {
  const paid = payments.filter(({ purpose, contractAddress }) =>
    purpose !== "gas_topup" && contractAddress === null
  );
  return paid.reduce((sum, { amountRaw }) => sum - BigInt(amountRaw), BigInt(tx.nativeCostMaxRaw));
}

/** Leaves out tokens that are neither held nor needed. */
export function isShown({ held, needed, isWanted }: CurrencyStock): boolean {
  return isWanted || !needed.isZero() || held?.isZero() === false;
}

type UsualPayouts = (accountId: number | null, currency: CurrencyRow) => Amount;

/** The larger of what an account paid out yesterday and today. */
async function usualPayouts(
  { db, clock }: Deps,
  { network, wallets }: { network: string; wallets: readonly AddressRow[] },
): Promise<UsualPayouts> {
  const accountIds = wallets.flatMap(({ accountId }) => accountId ?? []);
  const nowMs = clock.nowMs();
  const sinceMs = nowMs - nowMs % DAY_MS - DAY_MS;
  const rows = await paidOutSince(db, { network, accountIds, sinceMs });
  const days = Map.groupBy(rows, ({ accountId, currency }) => `${accountId} ${currency}`);
  return (accountId, currency) =>
    (days.get(`${accountId} ${currency.symbol}`) ?? []).reduce((largest, { amount }) => {
      const sum = Amount.parse(amount, largest.asset);
      return largest.isLessThan(sum) ? sum : largest;
    }, amountOf(0n, currency));
}
