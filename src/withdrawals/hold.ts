import { PAY_OUT } from "../accounts/rules/usable.ts";
import { AccountCurrencies, Accounts } from "../accounts/tables/accounts.ts";
import type { HandCaller, SignedCaller } from "../books/claim_signature.ts";
import { storedRead, whyNoPayout } from "../books/quota.ts";
import { type Asset, balanceOf, balanceRead, recordAudit } from "../books/records.ts";
import { isSuspended, stopIn, stopRead } from "../books/stopped.ts";
import { Freezes } from "../books/table.ts";
import type { Deps } from "../deps/deps.ts";
import type { PaymentReads } from "../deps/memory.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { available } from "../domain/money/balance.ts";
import { Refused } from "../domain/refusal.ts";
import { NetworkCursors } from "../following/table.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { type Asker, askForApproval, NO_ASKER } from "../policies/ask_for_approval.ts";
import type { Judging } from "../policies/judging.ts";
import { refusingRule, type Verdict } from "../policies/rules/rules.ts";
import type { PolicyRow } from "../policies/table.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";
import { insertHeld } from "./insert_held.ts";
import type { Given, Payout } from "./rules/fields.ts";
import { refusalOfWithdrawal, refusedWithdrawal } from "./rules/withdrawal_check.ts";
import type { WithdrawalRow } from "./table.ts";

/** A payment that gives back what was paid for an invoice. It has no minimum. */
export interface Refunding {
  readonly reads: readonly Read[];
  /** Somebody has to approve it, whatever the rules say: why. Null: only the rules decide. */
  readonly approvedAs: string | null;
  /** Not whoever asked for it. */
  readonly needsAnother: boolean;
  /** The payer asks for it on a page; otherwise the caller does. */
  readonly isByPayer: boolean;
  /** The person who made the page, if no key did. */
  readonly askedBy?: string | null;
  /** The most that it may be. Throws if there is nothing to pay any more. */
  room(view: View): Amount;
  /** Whether so much is worth less than the network fee of paying it. */
  isDust(amount: Amount): boolean;
  /** Once its money is held, in the same unit. */
  note(view: View, row: WithdrawalRow): void;
}

/** What the rules look at. */
export interface Order extends Payout {
  readonly caller: { readonly accountId: number; readonly keyId: string };
  readonly refunding?: Refunding;
}

export interface WithdrawalInput extends Order, Given {
  readonly caller: SignedCaller | HandCaller;
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
  const books = {
    enabled: read(AccountCurrencies, [accountId, network, currency]),
    account: read(Accounts, [accountId]),
    stop: stopRead(),
    freeze: read(Freezes, [accountId, network, currency]),
    cursor: read(NetworkCursors, [network]),
    balance: balanceRead(asset),
    stored: storedRead(accountId),
  };
  return { ...books, all: Object.values(books) };
}

/** What the network will really pay, and what that costs. */
export interface Priced {
  readonly amount: Amount;
  readonly fee: Amount;
}

export interface Facts extends Priced {
  readonly books: PaymentReads;
  /** The recipient, if it is one of our addresses; undefined if it is no address of the network. */
  readonly own: Read<AddressRow> | undefined;
  readonly order: Order;
  readonly asset: Asset;
  readonly network: NetworkRow | undefined;
  readonly currency: CurrencyRow | undefined;
  /** Why money sent there would be lost. */
  readonly loss: string | undefined;
  readonly minimum: Amount;
  /** Restored books may lack an earlier request like this, so it must leave no trace. */
  readonly isUnsure: boolean;
  readonly judging: Judging;
}

interface Accepting extends Facts {
  readonly input: WithdrawalInput;
  readonly asker: Asker;
}

/** Runs in the unit that accepts the withdrawal. */
export function holdOrRefuse(view: View, facts: Accepting): WithdrawalRow | Refused {
  const { accountId } = facts.asset;
  view.countAs("payouts");
  const refusal = refusalOf(view, facts) ?? whyNoPayout(view, accountId);
  if (refusal) return refusal;
  const verdict = facts.judging.verdict(view);
  const rule = refusingRule(verdict);
  return rule ? new Refused("policy_refused", { text: rule.label }) : hold(view, facts, verdict);
}

/** The books may not match the chain, so nothing leaves until an operator has looked. */
function isPaused(view: View, { freeze, cursor }: PaymentReads): boolean {
  const halted = view.rowOf(cursor)?.haltedReason ?? null;
  return view.rowOf(freeze) !== undefined || halted !== null;
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

/** Why it isn't accepted, before the rules are asked. */
export function refusalOf(view: View, facts: Facts): Refused | undefined {
  const { asset, network, currency, books, amount, fee, minimum } = facts;
  const enabled = view.rowOf(books.enabled);
  const { own, loss, order: { refunding } } = facts;
  const isAddress = network !== undefined && own !== undefined;
  // Another account's row mustn't stop payments to it.
  const unpayable = whyNotTo(own && view.raw.rowOf(own), { isAddress, loss });
  const check = {
    ...PAY_OUT.of({ network, currency, enabled }),
    isPaused: facts.isUnsure || isPaused(view, books),
    isAddress: unpayable === undefined,
    amount,
    minimum,
    room: refunding?.room(view),
    isDust: refunding?.isDust(amount) ?? false,
    fee,
    available: available(balanceOf(view, asset, { at: books.balance })),
    isSuspended: isSuspended(view, asset.accountId),
    isStopped: stopIn(view) !== undefined,
  };
  const refusal = refusalOfWithdrawal(check);
  if (!refusal) return undefined;
  if (refusal === "invalid_address") {
    const text = unpayable!;
    // The message is about the form, which is right.
    return new Refused(refusal, isAddress ? { text, details: { reason: text } } : { text });
  }
  const isLater = refusal === "currency_paused" || refusal === "withdrawals_paused";
  if (isLater) return new Refused(refusal, LATER);
  return refusedWithdrawal(refusal, { ...check, decimals: currency?.decimals ?? 0 });
}

function hold(view: View, facts: Accepting, verdict: Verdict<PolicyRow>): WithdrawalRow {
  const { input, asset, books, amount, fee, judging } = facts;
  const { caller, toAddress, refunding } = input;
  const { nowMs } = view;
  const { keyId } = caller;
  const { balance } = books;
  const held = { asset, keyId, given: input, toAddress, amount, fee, balance, nowMs };
  const isAsked = verdict.outcome === "approve";
  const approvedAs = refunding?.approvedAs ?? null;
  const approval = isAsked || approvedAs !== null ? "waiting" : null;
  const row = insertHeld(view, { ...held, approval, policyValues: judging.values ?? null });
  judging.count(view, nowMs);
  recordAudit(view, {
    actor: caller.signature === null ? caller.actor : `api:${keyId}`,
    action: "withdrawal.requested",
    subject: `withdrawal:${row.id}`,
    nowMs,
  });
  refunding?.note(view, row);
  const asker = isAsked || refunding?.needsAnother ? facts.asker : NO_ASKER;
  if (approval) askForApproval(view, { row, verdict, asker, approvedAs });
  return row;
}
