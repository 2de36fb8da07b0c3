import { present } from "../base/assert.ts";
import { first } from "../base/lists.ts";
import { familyOf } from "../chains/registry.ts";
import { Amount } from "../domain/money/amount.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { pendingWithdrawalsOf } from "../following/reads.ts";
import { wasSignedFor } from "../transfers/reads/transfers.ts";
import { ApiKeys } from "../store/tables/setup.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import { amountOf } from "../books/address_books.ts";
import { type Claim, NOBODY } from "../settlement/book_spend.ts";
import { withdrawalReads } from "../books/move_withdrawal.ts";
import type { Deps } from "../deps/deps.ts";
import { handKeyOf } from "../access/manage_api_keys.ts";
import { claimNew, type Payout, recordSent } from "./_claim_new_payout.ts";

/** A hot wallet paid somebody: the account is charged what it would have been. */
export async function withdrawalClaim(deps: Deps, payout: Payout): Promise<Claim> {
  const { found: { network, wallet, row }, payment: { to, amountRaw }, currency, terms } = payout;
  const payee = await deps.db.find(Addresses, [network.code, to], "address");
  if (payee && payee.purpose !== "deposit") {
    throw refuse("payout_to_ourselves", { txHash: row.txHash, to });
  }
  const accountId = present(wallet.accountId, "A hot wallet has an account");
  const asset = { accountId, network: network.code, currency: currency.symbol };
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
  const keyId = await keyOf(deps, { ...payout, accountId });
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
  { found: { row }, payment: { to }, currency, actor }: Payout,
  { id, alike, amount }: { id: number; alike: readonly WithdrawalRow[]; amount: Amount },
): Claim {
  const known = alike.find((one) => one.id === id);
  if (!known) {
    const payment = { amount: amount.toString(), currency: currency.symbol, to };
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
