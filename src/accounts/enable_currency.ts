import { AccountCurrencies, type AccountCurrencyRow } from "./tables/accounts.ts";
import { findAccount, findCurrency, findNetwork } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import { genuine } from "../books/tampered.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../networks/table.ts";
import { aboutWorlds } from "../networks/worlds.ts";
import { read, UniqueConflict } from "../store/engine/workspace.ts";
import { forgetIndexes } from "../wallets/addresses.ts";
import { makeWallet } from "../wallets/make.ts";
import { hotWalletOf } from "../wallets/reads/addresses.ts";
import { Addresses } from "../wallets/tables/addresses.ts";

interface EnableOrder {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
  /** Undefined: unchanged. */
  readonly isDepositEnabled: boolean | undefined;
  readonly isWithdrawalEnabled: boolean | undefined;
  /** Only an operator may switch on what an operator switched off. */
  readonly isOperator: boolean;
  readonly actor: Actor;
}

/** The first currency enabled on a network also creates the account's hot wallet there (spec 2.7). */
export async function enableCurrency(
  deps: Deps,
  order: EnableOrder,
): Promise<{ enabled: AccountCurrencyRow; hotWallet: string | null; about: string | null }> {
  const { accountId, actor } = order;
  await findAccount(deps, accountId);
  const network = await findNetwork(deps, order.network);
  const { symbol } = await findCurrency(deps, { network: network.code, symbol: order.currency });
  const isOn = order.isDepositEnabled || order.isWithdrawalEnabled;
  const wanted = { accountId, network, actor };
  // An account that is only kept from a network doesn't use it.
  const hotWallet = await (isOn ? ensureHotWallet(deps, wanted) : knownHotWallet(deps, wanted));
  const key = [accountId, network.code, symbol];
  const enabled = await deps.db.write({
    reads: [read(AccountCurrencies, key)],
    decide: (view) => {
      const before = view.find(AccountCurrencies, key);
      const switches = switched(before ?? ALL_OFF, order);
      const nowMs = deps.clock.nowMs();
      const subject = `account:${accountId}`;
      const asset = { network: network.code, currency: symbol };
      const sides = { before: before ? switchesOf(before) : ALL_OFF, after: switches };
      const detail = { ...asset, ...switches, ...sides };
      recordAudit(view, { actor, action: "account.currency_enabled", subject, detail, nowMs });
      return before
        ? view.update(AccountCurrencies, before, switches)
        : view.insertKeyed(AccountCurrencies, {
          accountId,
          network: network.code,
          currency: symbol,
          ...switches,
        });
    },
  });
  return { enabled, hotWallet, about: await aboutWorlds(deps, { accountId, network }) };
}

type Switches = Omit<AccountCurrencyRow, "accountId" | "network" | "currency">;

const ALL_OFF: Switches = {
  isDepositEnabled: false,
  isWithdrawalEnabled: false,
  isDepositBarred: false,
  isWithdrawalBarred: false,
};

function switchesOf(row: AccountCurrencyRow): Switches {
  const { isDepositEnabled, isWithdrawalEnabled, isDepositBarred, isWithdrawalBarred } = row;
  return { isDepositEnabled, isWithdrawalEnabled, isDepositBarred, isWithdrawalBarred };
}

/** What is switched on, whether or not the account may use it now. */
export function switchesIn(row: Switches = ALL_OFF) {
  return {
    deposit: { isOn: row.isDepositEnabled, isBarred: row.isDepositBarred },
    withdrawal: { isOn: row.isWithdrawalEnabled, isBarred: row.isWithdrawalBarred },
  };
}

function switched(before: Switches, order: EnableOrder): Switches {
  const is = switchesIn(before);
  const deposit = switchedTo(order.isDepositEnabled, { ...order, ...is.deposit, what: "Deposits" });
  const withdrawal = switchedTo(order.isWithdrawalEnabled, {
    ...order,
    ...is.withdrawal,
    what: "Withdrawals",
  });
  return {
    isDepositEnabled: deposit.isOn,
    isWithdrawalEnabled: withdrawal.isOn,
    isDepositBarred: deposit.isBarred,
    isWithdrawalBarred: withdrawal.isBarred,
  };
}

interface Switch {
  readonly isOn: boolean;
  readonly isBarred: boolean;
}

function switchedTo(
  to: boolean | undefined,
  { isOn, isBarred, isOperator, what, currency }: Switch & EnableOrder & {
    what: "Deposits" | "Withdrawals";
  },
): Switch {
  if (to === undefined) return { isOn, isBarred };
  if (isOperator) return { isOn: to, isBarred: !to };
  if (to && isBarred) {
    throw refuse("currency_barred", { what, currency });
  }
  return { isOn: to, isBarred };
}

interface WalletWanted {
  readonly accountId: number;
  readonly network: NetworkRow;
  readonly actor: Actor;
}

async function knownHotWallet(
  deps: Deps,
  { accountId, network }: Omit<WalletWanted, "actor">,
): Promise<string | null> {
  const stored = await hotWalletOf(deps.db, { accountId, network: network.code });
  if (stored) await genuine(deps, Addresses, [stored]);
  return stored?.address ?? null;
}

async function ensureHotWallet(
  deps: Deps,
  { accountId, network, actor }: WalletWanted,
): Promise<string> {
  const stored = await knownHotWallet(deps, { accountId, network });
  if (stored !== null) return stored;
  const plan = { network, accountId, purpose: "hot", actor } as const;
  try {
    return (await makeWallet(deps, plan)).address;
  } catch (error) {
    if (!(error instanceof UniqueConflict)) throw error;
    forgetIndexes(deps);
    const winner = await hotWalletOf(deps.db, { accountId, network: network.code });
    if (!winner) throw error;
    return winner.address;
  }
}
