import { Amount, assetOf } from "../../domain/money/amount.ts";
import { available } from "../../domain/money/balance.ts";
import { feeOf } from "../../domain/money/fee.ts";
import { Refused } from "../../domain/refusal.ts";
import { refusalOfWithdrawal } from "../../domain/withdrawal_check.ts";
import { type Read, read, type View } from "../../store/engine/workspace.ts";
import { NetworkCursors } from "../../store/tables/following.ts";
import type { AddressRow } from "../../store/tables/addresses.ts";
import { AccountCurrencies, Accounts } from "../../store/tables/setup.ts";
import type { CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";
import type { WithdrawalRow } from "../../store/tables/withdrawals.ts";
import { Freezes } from "../../store/tables/ledger.ts";
import { type Asset, balanceOf, balanceRead, recordAudit } from "../books/records.ts";
import { isSuspended, stopIn, stopRead } from "../books/stopped.ts";
import { mustBeGenuine } from "../books/tampered.ts";
import type { SignedCaller } from "../books/claim_signature.ts";
import type { Actor, Deps } from "../deps.ts";
import type { PaymentReads } from "../memory.ts";
import { insertHeld } from "./insert_held.ts";

/** Somebody in the dashboard, whose orders have a reference and need no signature. */
interface HandCaller {
  readonly accountId: number;
  readonly keyId: string;
  readonly actor: Actor;
  readonly signature: null;
}

export interface WithdrawalInput {
  readonly caller: SignedCaller | HandCaller;
  readonly network: string;
  readonly currency: string;
  readonly toAddress: string;
  /** Plain digits. */
  readonly amount: string;
  readonly clientReference: string | null;
}

const NO_ADDRESS = "This is not an address of that network, or its checksum is wrong";
/** An operator has to look first. */
export const LATER = { retryAfterS: 60 };

/** Everything that decides whether the account may pay now, whoever the recipient is. */
export function booksOf({ memory }: Deps, asset: Asset): PaymentReads {
  const name = `${asset.accountId}/${assetOf(asset)}`;
  let books = memory.paymentReads.get(name);
  if (!books) memory.paymentReads.set(name, books = booksRead(asset));
  return books;
}

function booksRead(asset: Asset): PaymentReads {
  const { accountId, network, currency } = asset;
  return {
    enabled: read(AccountCurrencies, [accountId, network, currency]),
    account: read(Accounts, [accountId]),
    stop: stopRead(),
    freeze: read(Freezes, [accountId, network, currency]),
    cursor: read(NetworkCursors, [network]),
    balance: balanceRead(asset),
  };
}

interface Facts {
  readonly books: PaymentReads;
  /** The recipient, if it is one of our addresses; undefined if it is no address of the network. */
  readonly own: Read<AddressRow> | undefined;
  readonly input: WithdrawalInput;
  readonly asset: Asset;
  readonly network: NetworkRow | undefined;
  readonly currency: CurrencyRow | undefined;
  /** Why money sent there would be lost. */
  readonly loss: string | undefined;
  /** Restored books may lack an earlier request like this, so it must leave no trace. */
  readonly isUnsure: boolean;
}

/** Runs in the unit that accepts the withdrawal. */
export function holdOrRefuse(view: View, facts: Facts): WithdrawalRow | Refused {
  const priced = { ...facts, ...price(facts) };
  return refusalOf(view, priced) ?? hold(view, priced);
}

interface Priced {
  readonly amount: Amount;
  readonly fee: Amount;
}

/** The books may not match the chain, so nothing leaves until an operator has looked. */
function isPaused(view: View, { freeze, cursor }: PaymentReads): boolean {
  const halted = view.rowOf(cursor)?.haltedReason ?? null;
  return view.rowOf(freeze) !== undefined || halted !== null;
}

/** Fee and debit are based on the amount after truncation to the chain's decimals. */
function price({ input, asset, currency }: Facts): Priced {
  const name = assetOf(asset);
  if (!currency) return { amount: Amount.zero(name), fee: Amount.zero(name) };
  const amount = Amount.parse(input.amount, name).truncatedTo(currency.decimals);
  return { amount, fee: feeOf(amount, currency) };
}

/** A deposit address will book it as a deposit; our paying wallets would only move our own money. */
export function whyNotTo(
  own: AddressRow | undefined,
  { isAddress, loss }: { isAddress: boolean; loss: string | undefined },
): string | undefined {
  if (!isAddress) return NO_ADDRESS;
  if (loss !== undefined) return `This ${loss}`;
  if (own === undefined || own.purpose === "deposit") return undefined;
  return "This is a wallet that this gateway itself pays from: the money would not leave it";
}

function refusalOf(view: View, facts: Priced & Facts): Refused | undefined {
  const { asset, network, currency, books, amount, fee } = facts;
  const enabled = view.rowOf(books.enabled);
  if (enabled) mustBeGenuine(view, AccountCurrencies, enabled);
  const { own, loss } = facts;
  const isAddress = network !== undefined && own !== undefined;
  const unpayable = whyNotTo(own && view.rowOf(own), { isAddress, loss });
  const refusal = refusalOfWithdrawal({
    isNetworkActive: network?.isActive ?? false,
    isCurrencyActive: currency?.isActive ?? false,
    isEnabled: enabled?.isWithdrawalEnabled ?? false,
    isPaused: facts.isUnsure || isPaused(view, books),
    isAddress: unpayable === undefined,
    amount,
    minimum: Amount.ofSetting(currency?.minWithdrawalAmount ?? "0", amount.asset),
    fee,
    available: available(balanceOf(view, asset, { at: books.balance })),
    isSuspended: isSuspended(view, asset.accountId),
    isStopped: stopIn(view) !== undefined,
  });
  if (!refusal) return undefined;
  if (refusal === "invalid_address") return new Refused(refusal, { text: unpayable! });
  const isLater = refusal === "currency_paused" || refusal === "withdrawals_paused";
  return new Refused(refusal, isLater ? LATER : {});
}

function hold(view: View, { input, asset, books, amount, fee }: Priced & Facts): WithdrawalRow {
  const { caller, clientReference, toAddress } = input;
  const { nowMs } = view;
  const { keyId } = caller;
  const { balance } = books;
  const held = { asset, keyId, clientReference, toAddress, amount, fee, balance, nowMs };
  const row = insertHeld(view, held);
  recordAudit(view, {
    actor: caller.signature === null ? caller.actor : `api:${keyId}`,
    action: "withdrawal.requested",
    subject: `withdrawal:${row.id}`,
    nowMs,
  });
  return row;
}
