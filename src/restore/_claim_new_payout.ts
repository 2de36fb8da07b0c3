import { present } from "../base/assert.ts";
import { rulesOf } from "../chains/registry.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { available } from "../domain/money/balance.ts";
import { feeOf } from "../domain/money/fee.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { Paying } from "../transfers/table.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { type Claim, NOBODY } from "../settlement/book_spend.ts";
import type { PaidSpend } from "../settlement/found_spend.ts";
import { insertHeld } from "../withdrawals/insert_held.ts";
import { applySent } from "../withdrawals/record_broadcast.ts";
import { balanceOf, balanceRead, recordAudit } from "../books/records.ts";
import type { Actor } from "../deps/deps.ts";

/** What the chain doesn't say about a withdrawal. */
interface PayoutTerms {
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

/** Of a transaction that pays several, by output. */
export interface SpendTerms extends PayoutTerms {
  readonly payouts?: ReadonlyMap<number, PayoutTerms>;
}

export interface Payout extends PaidSpend {
  readonly terms: PayoutTerms;
  /** Of a transaction that pays several. */
  readonly output?: number;
  /** The withdrawals that its other outputs paid. */
  readonly others?: ReadonlySet<number>;
  readonly actor: Actor;
}

interface NewPayout {
  readonly asset: { accountId: number; network: string; currency: string };
  readonly amount: Amount;
  readonly keyId: string;
  /** The withdrawal with this reference failed, and nothing was ever signed for it. */
  readonly isUnsigned: boolean;
}

export function claimNew(payout: Payout, made: NewPayout): Claim {
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
  claimed: Payout & NewPayout & { nowMs: number },
): WithdrawalRow {
  const { found: { tx: { txHash } }, payment, currency, terms, actor } = claimed;
  const { asset, amount, keyId, nowMs } = claimed;
  const fee = terms.fee === undefined
    ? feeOf(amount, currency)
    : Amount.parse(terms.fee, amount.asset);
  checkBalance(view, { asset, amount, fee, txHash });
  const clientReference = terms.reference ?? null;
  const same = clientReference && view.find(Withdrawals, [keyId, clientReference], "reference");
  if (same) giveUpReference(view, { ...claimed, same });
  const balance = balanceRead(asset);
  const request = { asset, keyId, given: { clientReference }, toAddress: payment.to, amount, fee };
  const row = insertHeld(view, { ...request, balance, nowMs });
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
  { same, found, payment, asset, amount, isUnsigned }: PaidSpend & NewPayout & {
    same: WithdrawalRow;
  },
): void {
  const { canonicalAddress } = rulesOf(found.network);
  const isAlike = same.network === asset.network && same.currency === asset.currency &&
    canonicalAddress(same.toAddress) === payment.to &&
    Amount.parse(same.amount, amount.asset).equals(amount);
  if (!isAlike || !isUnsigned) {
    const { id, status, clientReference } = same;
    const reference = present(clientReference, "It was found by its reference");
    throw refuse("reference_of_other_withdrawal", { id, status, reference });
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

export function recordSent(
  view: View,
  { id, tx, payment, actor, nowMs }: Paying & {
    id: number;
    actor: Actor;
    nowMs: number;
  },
): void {
  const row = view.get(Withdrawals, [id]);
  const withdrawal = view.update(Withdrawals, row, { transferId: tx.id });
  applySent(view, { withdrawal, bids: [{ tx, payment }], step: { trigger: "sent", actor, nowMs } });
}
