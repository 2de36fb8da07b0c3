import { Lru } from "../../base/lru.ts";
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
import { type WithdrawalRow, Withdrawals } from "../../store/tables/withdrawals.ts";
import { Freezes } from "../../store/tables/ledger.ts";
import { type Asset, balanceOf, balanceRead, postEntry, recordAudit } from "../books/records.ts";
import { isSuspended, stopIn, stopRead } from "../books/stopped.ts";
import { mustBeGenuine } from "../books/tampered.ts";
import type { SignedCaller } from "../books/claim_signature.ts";
import type { Actor } from "../deps.ts";

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

type Books = ReturnType<typeof booksRead>;

const BOOKS_REMEMBERED = 1_000;
/** Payments of one account that come together ask for the same rows: the same reads are merged sooner. */
const booksKnown = new Lru<string, Books>(BOOKS_REMEMBERED);

/** Everything that decides whether the account may pay now, whoever the payee is. */
export function booksOf(asset: Asset): Books {
  const name = `${asset.accountId}/${assetOf(asset)}`;
  let books = booksKnown.get(name);
  if (!books) booksKnown.set(name, books = booksRead(asset));
  return books;
}

function booksRead(asset: Asset) {
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
  readonly books: Books;
  /** The payee, should it be an address of ours; undefined: it is no address of the network. */
  readonly own: Read<AddressRow> | undefined;
  readonly input: WithdrawalInput;
  readonly asset: Asset;
  readonly network: NetworkRow | undefined;
  readonly currency: CurrencyRow | undefined;
  /** Why what is sent there is lost. */
  readonly loss: string | undefined;
  /** What the restored books lack may have been asked for before: it must stay without a trace. */
  readonly isUnsure: boolean;
  readonly nowMs: number;
}

/** In the unit that accepts the withdrawal. */
export function holdOrRefuse(view: View, facts: Facts): WithdrawalRow | Refused {
  const priced = { ...facts, ...price(facts) };
  return refusalOf(view, priced) ?? hold(view, priced);
}

interface Priced {
  readonly amount: Amount;
  readonly fee: Amount;
}

/** The books may not be what the chain is: nothing leaves before an operator has looked. */
function isPaused(view: View, { freeze, cursor }: Books): boolean {
  const halted = view.rowOf(cursor)?.haltedReason ?? null;
  return view.rowOf(freeze) !== undefined || halted !== null;
}

/** The fee and the debit follow from what the chain can carry. */
function price({ input, asset, currency }: Facts): Priced {
  const name = assetOf(asset);
  if (!currency) return { amount: Amount.zero(name), fee: Amount.zero(name) };
  const amount = Amount.parse(input.amount, name).truncatedTo(currency.decimals);
  return { amount, fee: feeOf(amount, currency) };
}

/** A deposit address is booked there as a deposit; wallets that pay would only move our own money. */
function whyUnpayable(view: View, { network, own: ownRead, loss }: Facts): string | undefined {
  if (!network || !ownRead) return NO_ADDRESS;
  if (loss !== undefined) return `This ${loss}`;
  const own = view.rowOf(ownRead);
  if (own === undefined || own.purpose === "deposit") return undefined;
  return "This is a wallet that this gateway itself pays from: the money would not leave it";
}

function refusalOf(view: View, facts: Priced & Facts): Refused | undefined {
  const { asset, network, currency, books, amount, fee } = facts;
  const enabled = view.rowOf(books.enabled);
  if (enabled) mustBeGenuine(view, AccountCurrencies, enabled);
  const unpayable = whyUnpayable(view, facts);
  const refusal = refusalOfWithdrawal({
    isNetworkActive: network?.isActive ?? false,
    isCurrencyActive: currency?.isActive ?? false,
    isEnabled: enabled?.isWithdrawalEnabled ?? false,
    isPaused: facts.isUnsure || isPaused(view, books),
    isAddress: unpayable === undefined,
    amount,
    minimum: Amount.parse(currency?.minWithdrawalAmount ?? "0", amount.asset),
    fee,
    available: available(balanceOf(view, asset)),
    isSuspended: isSuspended(view, asset.accountId),
    isStopped: stopIn(view) !== undefined,
  });
  if (!refusal) return undefined;
  if (refusal === "invalid_address") return new Refused(refusal, { text: unpayable! });
  const isLater = refusal === "currency_paused" || refusal === "withdrawals_paused";
  return new Refused(refusal, isLater ? LATER : {});
}

function hold(view: View, { input, asset, amount, fee, nowMs }: Priced & Facts): WithdrawalRow {
  const { caller, clientReference, toAddress } = input;
  const row = view.insert(Withdrawals, {
    ...asset,
    keyId: caller.keyId,
    clientReference,
    toAddress,
    amount: amount.toString(),
    fee: fee.toString(),
    status: "pending",
    transferId: null,
    txHash: null,
    errorMessage: null,
    failureReason: null,
    requestedAtMs: nowMs,
    broadcastAtMs: null,
    confirmedAtMs: null,
  });
  const cost = amount.plus(fee);
  postEntry(view, { ...asset, kind: "hold", amount: cost, withdrawalId: row.id, nowMs });
  recordAudit(view, {
    actor: caller.signature === null ? caller.actor : `api:${caller.keyId}`,
    action: "withdrawal.requested",
    subject: `withdrawal:${row.id}`,
    nowMs,
  });
  return row;
}
