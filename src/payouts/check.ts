import { PAY_OUT } from "../accounts/rules/usable.ts";
import { AccountCurrencies, Accounts } from "../accounts/tables/accounts.ts";
import { isStopped } from "../books/stopped.ts";
import { type BalanceRow, Balances, Freezes } from "../books/table.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { available as availableOf } from "../domain/money/balance.ts";
import { costOf } from "../domain/money/most_payable.ts";
import type { RefusalCode } from "../domain/refusal.ts";
import { type NetworkCursorRow, NetworkCursors } from "../following/table.ts";
import type { CurrencyRow } from "../networks/table.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import { minimumOf, payeeOf } from "../withdrawals/facts.ts";
import { whyNotTo } from "../withdrawals/hold.ts";
import type { Payout } from "../withdrawals/rules/fields.ts";
import {
  refusalOfWithdrawal,
  type WithdrawalCheck,
} from "../withdrawals/rules/withdrawal_check.ts";

export interface PayoutWish extends Payout {
  readonly accountId: number;
  /** Of a refund, which has no minimum: the most that it may give back. */
  readonly room?: Amount | undefined;
  /** Whether a refund of so much is worth less than its network fee. */
  readonly isDust?: ((amount: Amount) => boolean) | undefined;
}

export interface PayoutFault {
  readonly field: "asset" | "to_address" | "amount";
  readonly code: RefusalCode;
  /** Why nothing can be paid to the address. */
  readonly text?: string;
}

/** What a payout would cost, and everything that the books have against it. */
export interface CheckedPayout {
  readonly faults: readonly PayoutFault[];
  readonly amount: Amount;
  readonly fee: Amount;
  readonly cost: Amount;
  readonly minimum: Amount;
  readonly available: Amount;
}

const OF_AMOUNT: readonly RefusalCode[] = [
  "amount_below_minimum",
  "refund_too_high",
  "refund_too_small",
  "insufficient_balance",
];

/** By the rules that decide when it is created, all at once and without writing anything. */
export async function checkPayout(deps: Deps, wish: PayoutWish): Promise<CheckedPayout> {
  const facts = await factsOf(deps, wish);
  const { text, check, ...checked } = facts;
  const first = refusalOfWithdrawal({ ...check, isAddress: true });
  const isOfAmount = first !== undefined && OF_AMOUNT.includes(first);
  const faults: PayoutFault[] = [];
  if (first !== undefined && !isOfAmount) faults.push({ field: "asset", code: first });
  if (text !== undefined && check.isCurrencyActive) {
    faults.push({ field: "to_address", code: "invalid_address", text });
  }
  if (isOfAmount) faults.push({ field: "amount", code: first });
  return { ...checked, faults };
}

async function factsOf(deps: Deps, wish: PayoutWish) {
  const { db } = deps;
  const { accountId } = wish;
  const catalog = await deps.catalog.current();
  const network = catalog.network(wish.network);
  const currency = network && catalog.currency(network.code, wish.currency);
  const asset = { network: network?.code ?? "", currency: currency?.symbol ?? "" };
  const key = [accountId, asset.network, asset.currency];
  const { payee, loss } = payeeOf(catalog, { network, toAddress: wish.toAddress });
  const [enabled, account, freeze, cursor, balance, own, isGatewayStopped] = await Promise.all([
    db.find(AccountCurrencies, key),
    db.find(Accounts, [accountId]),
    db.find(Freezes, key),
    db.find(NetworkCursors, [asset.network]),
    db.find(Balances, key),
    payee === undefined ? undefined : db.find(Addresses, [asset.network, payee], "address"),
    isStopped(deps),
  ]);
  const name = assetOf(asset);
  const isRefund = wish.room !== undefined;
  const minimum = minimumOf({ network, currency, payee, isRefund, asset: name });
  const sums = { ...sumsOf(wish, { name, currency, balance }), minimum };
  const check: Omit<WithdrawalCheck, "isAddress"> = {
    ...sums,
    ...PAY_OUT.of({ network, currency, enabled }),
    room: wish.room,
    isDust: wish.isDust?.(sums.amount) ?? false,
    isPaused: freeze !== undefined || isHalted(cursor),
    isSuspended: account?.suspendedAtMs !== null,
    isStopped: isGatewayStopped,
  };
  return { ...sums, check, text: whyNotTo(own, { isAddress: payee !== undefined, loss }) };
}

const FREE = { feeFlat: "0", feePercent: "0", decimals: 0 };

function sumsOf(
  wish: PayoutWish,
  { name, currency = FREE, balance }: {
    name: string;
    currency: Pick<CurrencyRow, keyof typeof FREE> | undefined;
    balance: BalanceRow | undefined;
  },
) {
  const amount = Amount.parse(wish.amount, name).truncatedTo(currency.decimals);
  const available = availableOf({
    balance: Amount.parse(balance?.balance ?? "0", name),
    held: Amount.parse(balance?.held ?? "0", name),
  });
  return { amount, available, ...costOf(amount, currency) };
}

function isHalted(cursor: NetworkCursorRow | undefined): boolean {
  return cursor !== undefined && cursor.haltedReason !== null;
}
