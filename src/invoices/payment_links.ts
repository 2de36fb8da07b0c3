import { handKeyOf } from "../access/manage_api_keys.ts";
import { Accounts } from "../accounts/tables/accounts.ts";
import { randomToken } from "../base/bytes.ts";
import { once, signatureRead, type SignedCaller } from "../books/claim_signature.ts";
import { findAccount } from "../books/find.ts";
import { storedRead, whyFull } from "../books/quota.ts";
import { recordAudit } from "../books/records.ts";
import { isSuspended } from "../books/stopped.ts";
import { genuine } from "../books/tampered.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { Amount } from "../domain/money/amount.ts";
import { type RefusalCode, Refused } from "../domain/refusal.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { insertInvoice, type NewInvoice } from "./create.ts";
import { invoiceCurrency } from "./currency.ts";
import { startsRead, takeStart } from "./link_starts.ts";
import { LINK_ID } from "./payment_link_shape.ts";
import { isWithin } from "./rules/chosen_amount.ts";
import type { InvoiceRow } from "./tables/invoices.ts";
import { type PaymentLinkRow, PaymentLinks } from "./tables/payment_links.ts";
import { groundOf, termsOf } from "./terms.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";

const SLUG_BYTES = 16;
const SLUG = /^[\w-]{22}$/;

export type NewPaymentLink = Pick<
  PaymentLinkRow,
  "title" | "amount" | "min" | "max" | "currency" | "redirectUrl" | "idempotencyKey"
>;

interface Created {
  readonly row: PaymentLinkRow;
  /** True if an earlier request with this idempotency key created it. */
  readonly isReplay: boolean;
}

/** For a signed request. */
export async function createPaymentLink(
  deps: Deps,
  { caller, actor, wish }: { caller: SignedCaller; actor: Actor; wish: NewPaymentLink },
): Promise<Created> {
  const { accountId, keyId } = caller;
  const reference = wish.idempotencyKey;
  const key = [keyId, reference];
  const earlier = reference === null
    ? undefined
    : await deps.db.find(PaymentLinks, key, "idempotency");
  if (earlier) await genuine(deps, PaymentLinks, [earlier]);
  if (earlier) return { row: earlier, isReplay: true };
  const currency = await invoiceCurrency(deps, { accountId, wanted: wish.currency });
  const order = { ...wish, accountId, keyId, currency };
  const reads: Read[] = [
    ...[read(PaymentLinks, key, "idempotency"), read(Accounts, [accountId])],
    ...[storedRead(accountId), signatureRead(caller)],
  ];
  const outcome = await deps.db.write<Created | Refused>({
    reads,
    decide: (view) => {
      const replay = reference === null ? undefined : view.find(PaymentLinks, key, "idempotency");
      if (replay) return { row: replay, isReplay: true };
      const row = once(view, { caller, reference }, () => insertLink(view, { order, actor }));
      return row instanceof Refused ? row : { row, isReplay: false };
    },
  });
  if (outcome instanceof Refused) throw outcome;
  return outcome;
}

/** For a person, whom the dashboard or the command line knows. */
export async function makePaymentLink(
  deps: Deps,
  { accountId, actor, wish }: {
    accountId: number;
    actor: Actor;
    wish: Omit<NewPaymentLink, "idempotencyKey">;
  },
): Promise<PaymentLinkRow> {
  await findAccount(deps, accountId);
  mustBePossible(wish);
  const currency = await invoiceCurrency(deps, { accountId, wanted: wish.currency })
    .catch((error) => {
      throw isOf(error, "currency_not_found")
        ? refuse("invoice_currency_unknown", { symbol: wish.currency })
        : error;
    });
  const keyId = await handKeyOf(deps, { accountId, actor });
  const plain = (text: string | null) => text === null ? null : Amount.parse(text, "").toString();
  const amounts = { amount: plain(wish.amount), min: plain(wish.min), max: plain(wish.max) };
  const order = { ...wish, ...amounts, accountId, keyId, currency, idempotencyKey: null };
  const row = await deps.db.write({
    reads: [read(Accounts, [accountId]), storedRead(accountId)],
    decide: (view) => insertLink(view, { order, actor }),
  });
  if (isOf(row, "quota_exceeded")) throw row;
  if (row instanceof Refused) throw refuse("payment_link_suspended", { id: accountId });
  return row;
}

function isOf(error: unknown, code: RefusalCode): error is Refused {
  return error instanceof Refused && error.code === code;
}

/** The API checks it field by field. */
function mustBePossible(
  { amount, min, max }: Pick<NewPaymentLink, "amount" | "min" | "max">,
): void {
  if (amount !== null && (min !== null || max !== null)) throw refuse("payment_link_fixed");
  const isZero = (text: string | null) => text !== null && Amount.parse(text, "").isZero();
  if (isZero(amount) || isZero(min) || isZero(max)) throw refuse("payment_link_zero");
  if (min !== null && !isWithin(min, { min: null, max })) throw refuse("payment_link_bounds");
}

function insertLink(
  view: View,
  { order, actor }: {
    order: NewPaymentLink & Pick<PaymentLinkRow, "accountId" | "keyId">;
    actor: Actor;
  },
): PaymentLinkRow | Refused {
  if (isSuspended(view, order.accountId)) return new Refused("account_suspended");
  const full = whyFull(view, order);
  if (full) return full;
  const { nowMs } = view;
  const row = view.insert(PaymentLinks, {
    ...order,
    slug: randomToken(SLUG_BYTES),
    createdAtMs: nowMs,
    deactivatedAtMs: null,
  });
  const subject = `payment_link:${row.id}`;
  const detail = { before: null, after: row };
  recordAudit(view, { actor, action: "payment_link.created", subject, detail, nowMs });
  return row;
}

/** Operators may use every account's links, merchants their own. */
interface LinkAsked {
  readonly id: number;
  readonly accountId?: number | undefined;
}

export async function findPaymentLink(
  deps: Deps,
  { id, accountId }: LinkAsked,
): Promise<PaymentLinkRow> {
  const row = await deps.db.find(PaymentLinks, [id]);
  if (!row || row.accountId !== (accountId ?? row.accountId)) {
    throw refuse("payment_link_unknown", { id });
  }
  await genuine(deps, PaymentLinks, [row]);
  return row;
}

export async function linkOfSlug(
  deps: Deps,
  slug: string,
): Promise<PaymentLinkRow | undefined> {
  const row = SLUG.test(slug) ? await deps.db.find(PaymentLinks, [slug], "slug") : undefined;
  if (row) await genuine(deps, PaymentLinks, [row]);
  return row;
}

/** For good. Invoices that were started through it stay as they are. */
export async function deactivatePaymentLink(
  deps: Deps,
  { actor, ...asked }: LinkAsked & { actor: Actor },
): Promise<PaymentLinkRow> {
  const { id } = await findPaymentLink(deps, asked);
  return await deps.db.write({
    reads: [read(PaymentLinks, [id])],
    decide: (view) => {
      const before = view.get(PaymentLinks, [id]);
      if (before.deactivatedAtMs !== null) return before;
      const { nowMs } = view;
      const after = view.update(PaymentLinks, before, { deactivatedAtMs: nowMs });
      const subject = `payment_link:${id}`;
      const detail = { before, after };
      recordAudit(view, { actor, action: "payment_link.deactivated", subject, detail, nowMs });
      return after;
    },
  });
}

/** A payer's invoice for this amount; undefined if the link is no longer active or asks for another. */
export async function startInvoice(
  deps: Deps,
  { link, amount, language }: { link: PaymentLinkRow; amount: string; language: string },
): Promise<InvoiceRow | undefined> {
  const { accountId } = link;
  const wish = wishOf(link, { amount, language });
  const ground = await groundOf(deps, accountId);
  const terms = await termsOf(deps, { ...ground, wish });
  const { checkout } = ground;
  const outcome = await deps.db.write({
    reads: [
      ...[read(PaymentLinks, [link.id]), startsRead(link.id)],
      ...[read(Accounts, [accountId]), storedRead(accountId)],
    ],
    decide: (view) => {
      // Starts have a limit of their own: visitors must not use up what the merchant may store.
      view.countAs("none");
      const now = view.get(PaymentLinks, [link.id]);
      if (now.deactivatedAtMs !== null || !asksFor(now, amount)) return undefined;
      const made = insertInvoice(view, { deps, caller: link, checkout, wish, terms, by: null });
      if (made instanceof Refused) return made;
      const refusal = takeStart(view, now);
      if (refusal) throw refusal;
      return made;
    },
  });
  if (outcome instanceof Refused) throw outcome;
  return outcome;
}

function wishOf(
  { id, currency, title, redirectUrl }: PaymentLinkRow,
  { amount, language }: { amount: string; language: string },
): NewInvoice {
  const details = { reference: null, description: title, customer: null, redirectUrl, language };
  return {
    ...{ amount, currency, coins: null, chosen: null },
    ...{ expiresInS: null, tolerancePercent: null, idempotencyKey: null },
    details: { ...details, metadata: { [LINK_ID]: String(id) } },
  };
}

function asksFor(link: PaymentLinkRow, amount: string): boolean {
  return link.amount === null ? isWithin(amount, link) : link.amount === amount;
}
