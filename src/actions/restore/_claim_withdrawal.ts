import { first } from "../../base/lists.ts";
import { familyOf } from "../../chains/registry.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { available } from "../../domain/money/balance.ts";
import { feeOf } from "../../domain/money/fee.ts";
import { OperatorError } from "../../domain/refusal.ts";
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
import { applySent } from "../withdrawals/record_broadcast.ts";
import { balanceOf, balanceRead, postEntry, recordAudit } from "../books/records.ts";
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
    throw new OperatorError(
      `${row.txHash} only moved our own money, to ${to}, so it is not a withdrawal`,
    );
  }
  const asset = { accountId: wallet.accountId!, network: network.code, currency: currency.symbol };
  const amount = amountOf(amountRaw, currency);
  const waiting = await pendingWithdrawalsOf(deps.db, asset);
  const { canonicalAddress } = familyOf(network.family);
  const alike = waiting.filter((one) =>
    Amount.parse(one.amount, amount.asset).equals(amount) && canonicalAddress(one.toAddress) === to
  );
  if (typeof terms.withdrawal === "number") return claimKnown(payout, { alike, amount });
  if (terms.withdrawal === undefined && alike.length > 0) {
    throw new OperatorError(
      `Withdrawal ${first(alike).id} waits to pay ${amount} ${currency.symbol} to ${to}: ` +
        `"--withdrawal ${first(alike).id}" if ${row.txHash} paid it, "--withdrawal new" if not`,
    );
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
  throw new OperatorError(`"${keyId}" is not a key of account ${accountId}: see "key list"`);
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
  { found: { row, sent }, currency, terms, actor }: Payout,
  { alike, amount }: { alike: readonly WithdrawalRow[]; amount: Amount },
): Claim {
  const known = alike.find(({ id }) => id === terms.withdrawal);
  if (!known) {
    throw new OperatorError(
      `Withdrawal ${terms.withdrawal} is not waiting to pay ${amount} ${currency.symbol} to ` +
        `${sent.payment!.to}: if it ended or was cancelled, it holds nothing any more, so ` +
        'book this with "--withdrawal new"',
    );
  }
  return {
    reads: withdrawalReads(known),
    owner: (view) => {
      const { status, transferId } = view.get(Withdrawals, [known.id]);
      if (status !== "pending" || transferId !== null) {
        throw new OperatorError(
          `Withdrawal ${known.id} is ${status}, with a transaction of its own: ${row.txHash} is ` +
            "another payment",
        );
      }
      return { ...NOBODY, purpose: "withdrawal", withdrawalId: known.id };
    },
    updateOwner: (view, at) => recordSent(view, { ...at, id: known.id, actor }),
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
  const cost = amount.plus(fee);
  checkBalance(view, { asset, cost, txHash, parts: `${amount} and a fee of ${fee}` });
  const clientReference = terms.reference ?? null;
  const same = clientReference && view.find(Withdrawals, [keyId, clientReference], "reference");
  if (same) giveUpReference(view, { same, found, asset, amount, isUnsigned });
  const row = view.insert(Withdrawals, {
    ...asset,
    keyId,
    clientReference,
    toAddress: sent.payment!.to,
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
  postEntry(view, { ...asset, kind: "hold", amount: cost, withdrawalId: row.id, nowMs });
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
    throw new OperatorError(
      `Withdrawal ${same.id} (${same.status}) has the reference "${same.clientReference}" already`,
    );
  }
  view.update(Withdrawals, same, { clientReference: null });
}

function checkBalance(
  view: View,
  { asset, cost, txHash, parts }: {
    asset: NewPayout["asset"];
    cost: Amount;
    txHash: string;
    parts: string;
  },
): void {
  const free = available(balanceOf(view, asset));
  if (!free.isLessThan(cost)) return;
  const { accountId, currency } = asset;
  throw new OperatorError(
    `${txHash} takes ${cost} ${currency} (${parts}), and account ${accountId} has ${free} of ` +
      `${assetOf(asset)} available, ${
        cost.minus(free)
      } too little: wait until the deposits since ` +
      'the backup have confirmed, book with "account adjust" what was booked by hand since, ' +
      'set another fee with "--fee", and try again',
  );
}
