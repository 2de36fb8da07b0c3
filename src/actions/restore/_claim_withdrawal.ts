import { first } from "../../base/lists.ts";
import { familyOf } from "../../chains/registry.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { available } from "../../domain/money/balance.ts";
import { feeOf } from "../../domain/money/fee.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { pendingWithdrawalsOf } from "../../store/reads/following.ts";
import { wasSignedFor } from "../../store/reads/signed/transfers.ts";
import { ApiKeys, type CurrencyRow } from "../../store/tables/setup.ts";
import type { SignedTransferRow } from "../../store/tables/signed_transfers.ts";
import { type WithdrawalRow, Withdrawals } from "../../store/tables/withdrawals.ts";
import { Addresses } from "../../store/tables/addresses.ts";
import { read, type View } from "../../store/engine/workspace.ts";
import { amountOf } from "../books/address_books.ts";
import { type Claim, NOBODY } from "../settlement/book_spend.ts";
import type { FoundSpend } from "../settlement/found_spend.ts";
import { withdrawalReads } from "../books/move_withdrawal.ts";
import { insertHeld } from "../withdrawals/insert_held.ts";
import { applySent } from "../withdrawals/record_broadcast.ts";
import { balanceOf, balanceRead, recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps.ts";
import { handKeyOf } from "../access/manage_api_keys.ts";

/** What the chain doesn't say about a withdrawal. */
export interface PayoutTerms {
  /**
   * The withdrawal that was paid, or a new one; undefined: a new one, unless a waiting one looks
   * like it.
   */
  readonly withdrawal: number | "new" | undefined;
  /** By the currency's rate if absent. */
  readonly fee: string | undefined;
  /** The key and reference of the request, so that repeating it finds this withdrawal. */
  readonly keyId: string | undefined;
  readonly reference: string | undefined;
}

interface Payout {
  readonly found: FoundSpend;
  readonly currency: CurrencyRow;
  readonly terms: PayoutTerms;
  readonly actor: Actor;
}

/** A hot wallet paid somebody: the account is charged what it would have been. */
export async function withdrawalClaim(deps: Deps, payout: Payout): Promise<Claim> {
  const { found: { network, wallet, row, sent }, currency, terms } = payout;
  const { to, amountRaw } = sent.payment!;
  const payee = await deps.db.find(Addresses, [network.code, to], "address");
  if (payee && payee.purpose !== "deposit") {
    throw refuse("payout_to_ourselves", { txHash: row.txHash, to });
  }
  const asset = { accountId: wallet.accountId!, network: network.code, currency: currency.symbol };
  const amount = amountOf(amountRaw, currency);
  const waiting = await pendingWithdrawalsOf(deps.db, asset);
  const { canonicalAddress } = familyOf(network.family);
  const alike = waiting.filter((one) =>
    Amount.parse(one.amount, amount.asset).equals(amount) && canonicalAddress(one.toAddress) === to
  );
  if (typeof terms.withdrawal === "number") {
    return claimKnown(payout, { id: terms.withdrawal, alike, amount });
  }
  if (terms.withdrawal === undefined && alike.length > 0) {
    const payment = { amount: amount.toString(), currency: currency.symbol, to };
    throw refuse("payout_waited_for", { ...payment, id: first(alike).id, txHash: row.txHash });
  }
  const keyId = await keyOf(deps, { ...payout, accountId: asset.accountId });
  const isUnsigned = await hasUnsignedFor(deps, { keyId, reference: terms.reference });
  return claimNew(payout, { asset, amount, keyId, isUnsigned });
}

async function keyOf(
  deps: Deps,
  { terms: { keyId }, accountId, actor }: Payout & { accountId: number },
): Promise<string> {
  if (keyId === undefined) return await handKeyOf(deps, { accountId, actor });
  const key = await deps.db.find(ApiKeys, [keyId]);
  if (key?.accountId === accountId) return keyId;
  throw refuse("key_of_other_account", { keyId, accountId });
}

/** Nothing was ever signed for this reference's withdrawal, so nothing else can have paid it. */
async function hasUnsignedFor(
  { db }: Deps,
  { keyId, reference }: { keyId: string; reference: string | undefined },
): Promise<boolean> {
  if (reference === undefined) return false;
  const row = await db.find(Withdrawals, [keyId, reference], "reference");
  return row?.status === "failed" && !await wasSignedFor(db, row.id);
}

/** Its money is already held, and nothing signed for it can be mined as well. */
function claimKnown(
  { found: { row, sent }, currency, actor }: Payout,
  { id, alike, amount }: { id: number; alike: readonly WithdrawalRow[]; amount: Amount },
): Claim {
  const known = alike.find((one) => one.id === id);
  if (!known) {
    const payment = { amount: amount.toString(), currency: currency.symbol, to: sent.payment!.to };
    throw refuse("payout_not_waited_for", { ...payment, id });
  }
  return {
    reads: withdrawalReads(known),
    owner: (view) => {
      const { status, transferId } = view.get(Withdrawals, [id]);
      if (status !== "pending" || transferId !== null) {
        throw refuse("withdrawal_has_transaction", { id, status, txHash: row.txHash });
      }
      return { ...NOBODY, purpose: "withdrawal", withdrawalId: id };
    },
    updateOwner: (view, at) => recordSent(view, { ...at, id, actor }),
  };
}

function recordSent(
  view: View,
  { id, transfer, actor, nowMs }: {
    id: number;
    transfer: SignedTransferRow;
    actor: Actor;
    nowMs: number;
  },
): void {
  const row = view.get(Withdrawals, [id]);
  const withdrawal = view.update(Withdrawals, row, { transferId: transfer.id });
  applySent(view, { withdrawal, saved: transfer, step: { trigger: "sent", actor, nowMs } });
}

interface NewPayout {
  readonly asset: { accountId: number; network: string; currency: string };
  readonly amount: Amount;
  readonly keyId: string;
  /** The withdrawal with this reference failed, and nothing was ever signed for it. */
  readonly isUnsigned: boolean;
}

function claimNew(payout: Payout, made: NewPayout): Claim {
  const { terms: { reference }, actor } = payout;
  const { asset, keyId } = made;
  let id = 0;
  return {
    reads: [
      balanceRead(asset),
      ...reference === undefined ? [] : [read(Withdrawals, [keyId, reference], "reference")],
    ],
    owner: (view, nowMs) => {
      ({ id } = insertWithdrawal(view, { ...payout, ...made, nowMs }));
      return { ...NOBODY, purpose: "withdrawal", withdrawalId: id };
    },
    updateOwner: (view, at) => recordSent(view, { ...at, id, actor }),
  };
}

function insertWithdrawal(
  view: View,
  { found, currency, terms, actor, asset, amount, keyId, isUnsigned, nowMs }:
    & Payout
    & NewPayout
    & { nowMs: number },
): WithdrawalRow {
  const { row: { txHash }, sent } = found;
  const fee = terms.fee === undefined
    ? feeOf(amount, currency)
    : Amount.parse(terms.fee, amount.asset);
  checkBalance(view, { asset, amount, fee, txHash });
  const clientReference = terms.reference ?? null;
  const same = clientReference && view.find(Withdrawals, [keyId, clientReference], "reference");
  if (same) giveUpReference(view, { same, found, asset, amount, isUnsigned });
  const toAddress = sent.payment!.to;
  const balance = balanceRead(asset);
  const held = { asset, keyId, clientReference, toAddress, amount, fee, balance, nowMs };
  const row = insertHeld(view, held);
  const booked = { txHash, amount: row.amount, fee: row.fee, clientReference };
  recordAudit(view, {
    actor,
    action: "withdrawal.adopted",
    subject: `withdrawal:${row.id}`,
    detail: same ? { ...booked, insteadOf: same.id } : booked,
    nowMs,
  });
  return row;
}

/**
 * The request was repeated before this was booked, and failed. If repeated again, it finds the paid
 * withdrawal.
 */
function giveUpReference(
  view: View,
  { same, found, asset, amount, isUnsigned }: Pick<NewPayout, "asset" | "amount" | "isUnsigned"> & {
    same: WithdrawalRow;
    found: FoundSpend;
  },
): void {
  const { canonicalAddress } = familyOf(found.network.family);
  const isAlike = same.network === asset.network && same.currency === asset.currency &&
    canonicalAddress(same.toAddress) === found.sent.payment!.to &&
    Amount.parse(same.amount, amount.asset).equals(amount);
  if (!isAlike || !isUnsigned) {
    const { id, status, clientReference: reference } = same;
    throw refuse("reference_of_other_withdrawal", { id, status, reference: reference! });
  }
  view.update(Withdrawals, same, { clientReference: null });
}

function checkBalance(
  view: View,
  { asset, amount, fee, txHash }: {
    asset: NewPayout["asset"];
    amount: Amount;
    fee: Amount;
    txHash: string;
  },
): void {
  const cost = amount.plus(fee);
  const free = available(balanceOf(view, asset));
  if (!free.isLessThan(cost)) return;
  throw refuse("payout_not_covered", {
    txHash,
    amount: amount.toString(),
    fee: fee.toString(),
    cost: cost.toString(),
    currency: asset.currency,
    accountId: asset.accountId,
    available: free.toString(),
    asset: assetOf(asset),
    missing: cost.minus(free).toString(),
  });
}
