import { present } from "../base/assert.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import { type SignedTransferRow, SignedTransfers } from "../transfers/table.ts";
import { bookSpend, type Claim } from "../settlement/book_spend.ts";
import { bidClaim, isVoid, sameOrder, topUpClaim, VOID_CLAIM } from "../settlement/claim_spend.ts";
import { sweepClaim } from "./_claim_sweep.ts";
import { withdrawalClaim } from "./_claim_withdrawal.ts";
import type { PayoutTerms } from "./_claim_new_payout.ts";
import { type FoundSpend, lookAtSpend, type PaidSpend } from "../settlement/found_spend.ts";
import { letSign } from "../settlement/let_sign.ts";
import { settleTransfer } from "../settlement/settle_transfer.ts";
import type { Actor, Deps } from "../deps/deps.ts";

export interface AdoptOrder {
  readonly network: NetworkRow;
  readonly txHash: string;
  /** Undefined: book only what explains itself, and no withdrawal that the books don't know. */
  readonly terms: PayoutTerms | undefined;
  readonly actor: Actor;
  /** The look-up in progress; booking checks all of it again. */
  readonly looking?: Promise<FoundSpend>;
  /** Called with what bytes and chain show, before its owner is decided. */
  onFound?(found: FoundSpend): void;
  /** It was already booked, or explained itself: the given terms changed nothing. */
  onTermsUnused?(booked: SignedTransferRow): void;
}

/**
 * Books a transaction that this gateway signed, but these restored books don't know. It is booked
 * once: the row with its hash is foreign before and never after.
 */
export async function adoptSpend(deps: Deps, order: AdoptOrder): Promise<SignedTransferRow> {
  const { network, txHash, actor } = order;
  const known = await transferOf(deps, order);
  if (!known) throw refuse("spend_unknown", { txHash, network: network.code });
  const isByTerms = known.purpose === "foreign" && await book(deps, { ...order, row: known });
  const booked = present(await transferOf(deps, order), "It was found before");
  if (!isByTerms) order.onTermsUnused?.(booked);
  await letSign(deps, { network, address: booked.sender, actor });
  return booked;
}

/** If interrupted before it is settled, a worker settles it. True: the person's terms were used. */
async function book(
  deps: Deps,
  { row, ...order }: AdoptOrder & { row: SignedTransferRow },
): Promise<boolean> {
  const { network, actor } = order;
  const found = await (order.looking ?? lookAtSpend(deps, { network, row }));
  order.onFound?.(found);
  const { claim, isByTerms } = await claimOf(deps, { ...order, found });
  const booked = await bookSpend(deps, { found, claim, actor });
  if (booked) await settleTransfer(deps, { network, row: booked });
  return isByTerms && booked !== undefined;
}

function transferOf(deps: Deps, { network, txHash }: Pick<AdoptOrder, "network" | "txHash">) {
  return deps.db.find(SignedTransfers, [network.code, txHash], "hash");
}

async function claimOf(
  deps: Deps,
  { found, terms, actor }: AdoptOrder & { found: FoundSpend },
): Promise<{ claim: Claim; isByTerms: boolean }> {
  const { network, row, wallet, sent } = found;
  const spend = { txHash: row.txHash, network: network.code };
  if (sent.raw === "") throw refuse("spend_of_other_kind", spend);
  const bid = sameOrder(found);
  if (bid) return byItself(bidClaim(found, bid));
  if (isVoid(found)) return byItself(VOID_CLAIM);
  if (wallet.purpose === "gas") return byItself(await topUpClaim(deps, found));
  const paid = await paidBy(deps, found);
  if (wallet.purpose === "deposit") {
    return byItself(await sweepClaim(deps, { ...paid, isNamed: terms !== undefined }));
  }
  if (terms) {
    return { claim: await withdrawalClaim(deps, { ...paid, terms, actor }), isByTerms: true };
  }
  const accountId = present(wallet.accountId, "A hot wallet has an account");
  throw refuse("payout_unexplained", { ...spend, to: paid.payment.to, accountId });
}

function byItself(claim: Claim): { claim: Claim; isByTerms: boolean } {
  return { claim, isByTerms: false };
}

async function paidBy(deps: Deps, found: FoundSpend): Promise<PaidSpend> {
  const { network: { code }, row: { txHash }, sent: { payment } } = found;
  if (!payment) throw refuse("spend_without_payment", { txHash, network: code });
  const { contract } = payment;
  const catalog = await deps.catalog.current();
  const currency = catalog.currencyByContract(code, contract);
  if (currency) return { found, payment, currency };
  throw refuse("spend_of_no_currency", {
    txHash,
    network: code,
    contract: present(contract, "Every network has its coin"),
  });
}
