import type { OwnWallet } from "../accounts/own_wallet.ts";
import { PAY_IN } from "../accounts/rules/usable.ts";
import { AccountCurrencies, Accounts, ReceivingWallets } from "../accounts/tables/accounts.ts";
import { isSuspended } from "../books/stopped.ts";
import { type AllocateInput, enablement, type Plan, PoolAddressTaken } from "./_plan_allocation.ts";
import { windowEnds } from "./rules/deposit_request.ts";
import type { Deps } from "../deps/deps.ts";
import { Refused } from "../domain/refusal.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { type Read, read, UniqueConflict, type View } from "../store/engine/workspace.ts";
import {
  forgetIndexes,
  freeOfXpub,
  type FreshAddress,
  insertAddress,
  type NextOfXpub,
  nextOfXpubReads,
} from "../wallets/addresses.ts";
import {
  Addresses,
  type AddressRow,
  type DepositRequestRow,
  DepositRequests,
} from "../wallets/tables/addresses.ts";

const RACES_MAX = 20;

/** Others may take the address that was chosen. */
export async function untilUncontested<T>(deps: Deps, attempt: () => Promise<T>): Promise<T> {
  for (let race = 1;; race++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UniqueConflict || error instanceof PoolAddressTaken)) throw error;
      if (race === RACES_MAX) throw error;
      forgetIndexes(deps);
    }
  }
}

export function sourceReads(plan: Plan, input: AllocateInput): Read[] {
  const { source, receiver } = plan;
  return [
    read(AccountCurrencies, enablement(plan, input)),
    read(Accounts, [input.caller.accountId]),
    ...source && "id" in source ? [read(Addresses, [source.id])] : [],
    ...source && "from" in source ? nextOfXpubReads(source) : [],
    ...receiver ? [read(ReceivingWallets, walletKeyOf(receiver))] : [],
  ];
}

export interface Ready {
  readonly network: NetworkRow;
  readonly currency: CurrencyRow;
  readonly source: AddressRow | FreshAddress | NextOfXpub;
}

export function readyOf(
  view: View,
  { plan, input }: { plan: Plan; input: AllocateInput },
): Ready | Refused {
  const allowed = allowedIn(view, { plan, input });
  if (allowed instanceof Refused) return allowed;
  const { source, receiver } = plan;
  if (!source || receiver && !isStill(view, receiver)) throw new PoolAddressTaken();
  return { ...allowed, source };
}

function walletKeyOf({ wallet: { accountId, network } }: Pick<OwnWallet, "wallet">) {
  return [accountId, network];
}

/** Nobody has set another wallet since it was looked up. */
function isStill(view: View, { wallet }: OwnWallet): boolean {
  return view.find(ReceivingWallets, walletKeyOf({ wallet }))?.address === wallet.address;
}

/** Whether the account may be paid in this coin, wherever the address comes from. */
export function allowedIn(
  view: View,
  { plan, input }: { plan: Plan; input: AllocateInput },
): Pick<Ready, "network" | "currency"> | Refused {
  const { network, currency } = plan;
  if (!network?.isActive) return new Refused("network_not_found");
  if (!currency?.isActive) return new Refused("currency_not_found");
  const enabled = view.find(AccountCurrencies, enablement(plan, input));
  const refusal = PAY_IN.whyNot(PAY_IN.of({ network, currency, enabled }));
  if (refusal) return new Refused(refusal);
  if (isSuspended(view, input.caller.accountId)) return new Refused("account_suspended");
  return { network, currency };
}

export function insertRequest(
  view: View,
  { deps, ready, input, openUntilMs }: {
    deps: Deps;
    ready: Ready;
    input: AllocateInput;
    openUntilMs?: number;
  },
): DepositRequestRow {
  const { network, currency } = ready;
  const { caller: { accountId, keyId }, idempotencyKey, userIdentifier } = input;
  const nowMs = deps.clock.nowMs();
  const { reusableAtMs, ...ends } = windowEnds(deps.windows, openUntilMs ?? nowMs);
  const address = addressFor(view, { ready, input, nowMs });
  const request = view.insert(DepositRequests, {
    accountId,
    keyId,
    idempotencyKey,
    network: network.code,
    currency: currency.symbol,
    contractAddress: currency.contractAddress,
    addressId: address.id,
    address: address.address,
    userIdentifier,
    ...ends,
    createdAtMs: nowMs,
    sharedWithId: null,
  });
  view.update(Addresses, address, {
    currentRequestId: request.id,
    reusableAtMs: userIdentifier === null ? reusableAtMs : address.reusableAtMs,
  });
  return request;
}

function addressFor(
  view: View,
  { ready: { network, source }, input: { caller: { accountId }, userIdentifier }, nowMs }: {
    ready: Ready;
    input: AllocateInput;
    nowMs: number;
  },
): AddressRow {
  if (!("id" in source)) {
    const owned = { network, accountId, userIdentifier, purpose: "deposit" } as const;
    const fresh = "from" in source ? freeOfXpub(view, source) : source;
    if (!fresh) throw new PoolAddressTaken();
    return insertAddress(view, { ...owned, ...fresh, nowMs });
  }
  const address = view.get(Addresses, [source.id]);
  const isFree = userIdentifier !== null || (address.reusableAtMs ?? 0) <= nowMs;
  if (!isFree) throw new PoolAddressTaken();
  return address;
}
