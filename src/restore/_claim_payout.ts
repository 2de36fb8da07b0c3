import { handKeyOf } from "../access/manage_api_keys.ts";
import { ApiKeys } from "../access/tables/keys.ts";
import { present } from "../base/assert.ts";
import { first, last } from "../base/lists.ts";
import { amountOf } from "../books/address_books.ts";
import { cursorOf } from "../books/find.ts";
import { withdrawalReads } from "../books/move_withdrawal.ts";
import type { BalanceKey } from "../books/table.ts";
import { familyOf, rulesOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount } from "../domain/money/amount.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { openWithdrawalsOf } from "../following/reads.ts";
import type { NetworkRow } from "../networks/table.ts";
import { unminedOf } from "../outputs/families.ts";
import { type Claim, NOBODY } from "../settlement/book_spend.ts";
import { bidClaim } from "../settlement/claim_spend.ts";
import { readAll } from "../store/engine/workspace.ts";
import { signedForWithdrawal, wasSignedFor } from "../transfers/reads/transfers.ts";
import {
  type Paying,
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";
import { undoneCoinsOf } from "../transfers/undone_coins.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import { claimNew, type Payout, recordSent } from "./_claim_new_payout.ts";

/** A hot wallet paid somebody: the account is charged what it would have been. */
export async function withdrawalClaim(deps: Deps, payout: Payout): Promise<Claim> {
  const { found: { network, wallet, tx: row }, payment: { to, amountRaw }, currency } = payout;
  const { terms, output = null } = payout;
  const payee = await deps.db.find(Addresses, [network.code, to], "address");
  if (payee && payee.purpose !== "deposit") {
    throw refuse("payout_to_ourselves", { txHash: row.txHash, to });
  }
  const accountId = present(wallet.accountId, "A hot wallet has an account");
  const asset = { accountId, network: network.code, currency: currency.symbol };
  const amount = amountOf(amountRaw, currency);
  const alike = await alikeOf(deps, payout, { asset, amount });
  const known = { amount: amount.toString(), currency: currency.symbol, to };
  if (typeof terms.withdrawal === "number") {
    const id = terms.withdrawal;
    const one = alike.find(({ withdrawal }) => withdrawal.id === id);
    if (!one) throw refuse("payout_not_waited_for", { ...known, id });
    return one.bids.length > 0
      ? await claimSignedAgain(deps, payout, one)
      : claimWaiting(payout, one.withdrawal);
  }
  if (terms.withdrawal === undefined && alike.length > 0) {
    const { id } = first(alike).withdrawal;
    throw refuse("payout_waited_for", { ...known, id, txHash: row.txHash, output });
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

interface Alike {
  readonly withdrawal: WithdrawalRow;
  /** What may still be mined for it; none while it is pending. */
  readonly bids: readonly Paying[];
}

/**
 * The withdrawals that it may have paid: of the same amount to the same address, and paid by no block
 * that these books know. Where money lies in outputs, what was signed may have been lost and signed
 * again, without anything of the first bytes.
 */
async function alikeOf(
  { db }: Deps,
  { found: { network }, payment: { to }, others }: Payout,
  { asset, amount }: { asset: BalanceKey; amount: Amount },
): Promise<Alike[]> {
  const { canonicalAddress } = rulesOf(network);
  const same = (await openWithdrawalsOf(db, asset)).filter((one) =>
    !others?.has(one.id) && Amount.parse(one.amount, amount.asset).equals(amount) &&
    canonicalAddress(one.toAddress) === to
  );
  const isOfOutputs = familyOf(network.family).holdings === "outputs";
  const alike = await Promise.all(same.map(async (withdrawal): Promise<Alike[]> => {
    if (withdrawal.status === "pending") return [{ withdrawal, bids: [] }];
    if (!isOfOutputs) return [];
    const signed = await signedForWithdrawal(db, withdrawal.id);
    if (signed.some(({ tx }) => tx.blockHash !== null)) return [];
    const bids = signed.filter(({ tx }) => tx.state === "open");
    return bids.some(isNoVoid) ? [{ withdrawal, bids }] : [];
  }));
  return alike.flat();
}

function isNoVoid({ payment: { purpose } }: Paying): boolean {
  return purpose !== "void";
}

/** Its money is already held, and nothing signed for it can be mined as well. */
function claimWaiting({ found: { tx: row }, actor }: Payout, known: WithdrawalRow): Claim {
  const { id } = known;
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

/** All that was signed for it is lost, so that this was signed for it in the same place. */
async function claimSignedAgain(
  deps: Deps,
  { found }: Payout,
  { withdrawal: { id }, bids }: Alike,
): Promise<Claim> {
  const { network, tx: { txHash } } = found;
  const standing = await firstStanding(deps, { network, bids });
  if (standing) {
    const spend = { network: network.code, txHash };
    throw refuse("withdrawal_not_lost", { ...spend, id, standing: standing.txHash });
  }
  const { tx, payment } = last(bids.filter(isNoVoid));
  const claim = bidClaim(found, payment);
  return {
    ...claim,
    place: tx.place,
    reads: [
      ...claim.reads,
      ...readAll(SignedTransactions, bids.map((bid) => [bid.tx.id])),
      ...readAll(SignedPayments, bids.map((bid) => [bid.payment.id])),
    ],
    owner: (view, nowMs) => {
      const areOpen = bids.every((bid) => {
        const now = view.get(SignedTransactions, [bid.tx.id]);
        view.get(SignedPayments, [bid.payment.id]);
        return now.state === "open" && now.blockHash === null;
      });
      if (!areOpen) throw refuse("state_changed");
      return claim.owner(view, nowMs);
    },
  };
}

/** The first that can be mined, as far as these books know. */
async function firstStanding(
  deps: Deps,
  { network, bids }: { network: NetworkRow; bids: readonly Paying[] },
): Promise<SignedTransactionRow | undefined> {
  const signed = bids.map(({ tx }) => tx);
  const addresses = [...new Set(signed.map(({ sender }) => sender))];
  const families = await unminedOf(deps, { network: network.code, addresses });
  const undone = await undoneCoinsOf(deps, { cursor: await cursorOf(deps, network), signed });
  return signed.find(({ id, txHash }) =>
    families.lostOf(txHash).length === 0 &&
    !undone.get(id)?.some(({ rival }) => rival !== undefined)
  );
}
