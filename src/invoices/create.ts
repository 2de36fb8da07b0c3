import { Accounts } from "../accounts/tables/accounts.ts";
import { randomToken } from "../base/bytes.ts";
import {
  type HandCaller,
  once,
  signatureRead,
  type SignedCaller,
} from "../books/claim_signature.ts";
import { storedRead, whyFull } from "../books/quota.ts";
import { recordAudit } from "../books/records.ts";
import { isSuspended } from "../books/stopped.ts";
import { genuine } from "../books/tampered.ts";
import type { CheckoutRow } from "../checkout/table.ts";
import { type AddressToGive, type GivenAddress, withAddress } from "../deposits/for_invoice.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { Refused } from "../domain/refusal.ts";
import { judgedAgainAtMs } from "./rules/judge.ts";
import { NO_SUMS } from "./rules/sums.ts";
import { type InvoiceRow, Invoices } from "./tables/invoices.ts";
import { type Asked, groundOf, type Terms, termsOf } from "./terms.ts";
import { read, type View } from "../store/engine/workspace.ts";

const TOKEN_BYTES = 16;
export const EXPIRES_S = 900;
export const TOLERANCE_PERCENT = "0.5";

export interface NewInvoice extends Asked {
  readonly expiresInS: number | null;
  readonly tolerancePercent: string | null;
  readonly idempotencyKey: string | null;
  readonly details: Pick<
    InvoiceRow,
    "reference" | "description" | "customer" | "metadata" | "redirectUrl" | "language"
  >;
}

interface Created {
  readonly row: InvoiceRow;
  /** Given by this request; null: by an earlier one, or none yet. */
  readonly given: GivenAddress | null;
  /** True if an earlier request with this idempotency key created it. */
  readonly isReplay: boolean;
}

/** With an address if a coin is chosen: both or neither. */
export async function createInvoice(
  deps: Deps,
  { caller, ...wish }: NewInvoice & { caller: SignedCaller | HandCaller },
): Promise<Created> {
  const { accountId, keyId } = caller;
  const { idempotencyKey } = wish;
  const key = [keyId, idempotencyKey];
  // At once, because each waits for a turn of the event loop.
  const [earlier, ground] = await Promise.all([
    idempotencyKey === null ? undefined : deps.db.find(Invoices, key, "idempotency"),
    groundOf(deps, accountId),
  ]);
  if (earlier) await genuine(deps, Invoices, [earlier]);
  if (earlier) return replayOf(earlier);
  const terms = await termsOf(deps, { ...ground, wish });
  const making = { caller, checkout: ground.checkout, wish, terms };
  if (!wish.chosen) return await make(deps, making);
  const asked = { caller, asset: wish.chosen };
  return await withAddress(deps, asked, (given) => make(deps, { ...making, given }));
}

function replayOf(row: InvoiceRow): Created {
  return { row, given: null, isReplay: true };
}

interface Making {
  readonly caller: SignedCaller | HandCaller;
  readonly checkout: CheckoutRow;
  readonly wish: NewInvoice;
  readonly terms: Terms;
  /** Of the chosen coin. */
  readonly given?: AddressToGive;
}

async function make(deps: Deps, making: Making): Promise<Created> {
  const { caller, given, wish: { idempotencyKey } } = making;
  const { accountId, keyId } = caller;
  const key = [keyId, idempotencyKey];
  const signed = caller.signature === null ? undefined : caller;
  const outcome = await deps.db.write<Created | Refused>({
    reads: [
      ...[read(Invoices, key, "idempotency"), read(Accounts, [accountId]), storedRead(accountId)],
      ...signed ? [signatureRead(signed)] : [],
      ...given?.reads ?? [],
    ],
    decide: (view) => {
      const replay = idempotencyKey === null ? undefined : view.find(Invoices, key, "idempotency");
      if (replay) return replayOf(replay);
      const order = () => insertWithAddress(view, { deps, ...making });
      return signed ? once(view, { caller: signed, reference: idempotencyKey }, order) : order();
    },
  });
  if (outcome instanceof Refused) throw outcome;
  return outcome;
}

function insertWithAddress(
  view: View,
  { given, ...making }: Making & { deps: Deps },
): Created | Refused {
  const { caller } = making;
  const give = given?.prepare(view);
  if (give instanceof Refused) return give;
  const by = caller.signature === null ? caller.actor : null;
  const row = insertInvoice(view, { ...making, by });
  if (row instanceof Refused) return row;
  return { row, given: give?.(row) ?? null, isReplay: false };
}

export function insertInvoice(
  view: View,
  { deps, caller, checkout, wish, terms, by }: {
    deps: Deps;
    caller: Pick<HandCaller, "accountId" | "keyId">;
    checkout: CheckoutRow;
    wish: NewInvoice;
    terms: Terms;
    /** Who made it by hand. */
    by: Actor | null;
  },
): InvoiceRow | Refused {
  const { accountId, keyId } = caller;
  if (isSuspended(view, accountId)) return new Refused("account_suspended");
  const full = whyFull(view, { accountId });
  if (full) return full;
  const nowMs = deps.clock.nowMs();
  const expiresAtMs = nowMs + (wish.expiresInS ?? checkout.expiresInS ?? EXPIRES_S) * 1_000;
  const row = view.insert(Invoices, {
    ...{ accountId, keyId, idempotencyKey: wish.idempotencyKey, ...wish.details, ...terms },
    token: randomToken(TOKEN_BYTES),
    tolerancePercent: wish.tolerancePercent ?? checkout.tolerancePercent ?? TOLERANCE_PERCENT,
    status: "open",
    expiresAtMs,
    createdAtMs: nowMs,
    ...{ paidAtMs: null, cancelledAtMs: null, acceptedValue: null, acceptedCoins: null },
    judgeAtMs: judgedAgainAtMs("open", { expiresAtMs }, { sums: NO_SUMS, nowMs }),
    sums: NO_SUMS,
  });
  if (by !== null) {
    const { amount, currency, reference } = row;
    const [subject, detail] = [`invoice:${row.id}`, { accountId, amount, currency, reference }];
    recordAudit(view, { actor: by, action: "invoice.created", subject, detail, nowMs });
  }
  return row;
}
