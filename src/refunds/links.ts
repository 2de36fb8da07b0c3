import { isHandKey } from "../access/manage_api_keys.ts";
import type { Permission } from "../access/rules/permissions.ts";
import { ApiKeys } from "../access/tables/keys.ts";
import { PAY_OUT } from "../accounts/rules/usable.ts";
import { AccountCurrencies, Accounts } from "../accounts/tables/accounts.ts";
import { randomToken } from "../base/bytes.ts";
import { sha256Hex } from "../base/secrets/crypto.ts";
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
import { PAYER } from "../books/trail.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { Refused } from "../domain/refusal.ts";
import { isNewestKey } from "../integrity/newest.ts";
import { findInvoice } from "../invoices/manage.ts";
import { inRefundTurn, type Room, roomOf, whyUnsure } from "../invoices/refund_room.ts";
import { type InvoiceRow, Invoices } from "../invoices/tables/invoices.ts";
import { dustTest } from "./dust.ts";
import { type RefundLinkRow, RefundLinks } from "./table.ts";
import type { Unit } from "../store/engine/group_commit.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { createWithdrawal } from "../withdrawals/create.ts";
import type { Refunding } from "../withdrawals/hold.ts";
import { belowMinimum } from "../withdrawals/rules/withdrawal_check.ts";

const TOKEN_BYTES = 16;
const TOKEN = /^[\w-]{22}$/;
const RIGHTS: readonly Permission[] = ["withdraw", "manage_invoices"];
const VALID_MS = 7 * 86_400_000;

interface LinkOrder {
  readonly invoiceId: number;
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
  readonly caller: SignedCaller | HandCaller;
}

/** A page on which the payer says where to. Returns its address, which nobody can learn again. */
export async function makeRefundLink(
  deps: Deps,
  { invoiceId, caller, ...asked }: LinkOrder,
): Promise<string> {
  const { accountId, keyId } = caller;
  const signed = caller.signature === null ? undefined : caller;
  const invoice = await findInvoice(deps, { accountId, id: invoiceId });
  const { network, currency, coin, amount } = await resolved(deps, asked);
  const [room, isDust] = await Promise.all([
    roomOf(deps, { invoice, asked: coin }),
    dustTest(deps, coin),
  ]);
  const token = randomToken(TOKEN_BYTES);
  const tokenHash = hashOf(token);
  const enabled = read(AccountCurrencies, [accountId, coin.network, coin.currency]);
  const unit: Unit<Refused | undefined> = {
    reads: [
      ...signed ? [signatureRead(signed)] : [],
      ...[read(Accounts, [accountId]), storedRead(accountId), enabled, ...room.reads],
    ],
    decide: (view) => {
      const make = () => {
        if (isSuspended(view, accountId)) return new Refused("account_suspended");
        const full = whyFull(view, { accountId });
        if (full) return full;
        const own = view.find(AccountCurrencies, enabled.values);
        const off = PAY_OUT.whyNot(PAY_OUT.of({ network, currency, enabled: own }));
        if (off) return new Refused(off);
        if (amount.isZero()) {
          const minimum = Amount.zero(amount.asset);
          return belowMinimum({ amount, minimum, decimals: currency.decimals });
        }
        const left = room.left(view);
        if (left.isLessThan(amount)) return new Refused("refund_too_high");
        if (isDust(amount) && amount.isLessThan(left)) return new Refused("refund_too_small");
        const terms = { accountId, keyId, ...coin, amount: amount.toString() };
        const nowMs = deps.clock.nowMs();
        insertLink(view, { row: { ...terms, invoiceId, tokenHash }, caller, nowMs });
        return undefined;
      };
      return signed ? once(view, { caller: signed, reference: null }, make) : make();
    },
  };
  const refusal = await inRefundTurn(deps, invoice, () => deps.db.write(unit));
  if (refusal) throw refusal;
  return `${deps.publicUrl}/refund/${token}`;
}

async function resolved({ catalog }: Deps, asked: Omit<LinkOrder, "invoiceId" | "caller">) {
  const known = await catalog.current();
  const network = known.network(asked.network);
  if (!network?.isActive) throw new Refused("network_not_found");
  const currency = known.currency(network.code, asked.currency);
  if (!currency?.isActive) throw new Refused("currency_not_found");
  const coin = { network: network.code, currency: currency.symbol };
  const amount = Amount.parse(asked.amount, assetOf(coin)).truncatedTo(currency.decimals);
  return { network, currency, coin, amount };
}

type Terms = "invoiceId" | "accountId" | "keyId" | "network" | "currency" | "amount" | "tokenHash";

function insertLink(
  view: View,
  { row: terms, caller, nowMs }: {
    row: Pick<RefundLinkRow, Terms>;
    caller: LinkOrder["caller"];
    nowMs: number;
  },
): void {
  const { invoiceId, network, currency, amount } = terms;
  const by = caller.signature === null ? caller.actor : null;
  const actor = by ?? `api:${terms.keyId}`;
  const madeBy = by === null || typeof by === "string" ? by : by.name;
  const times = { createdAtMs: nowMs, expiresAtMs: nowMs + VALID_MS };
  const { id } = view.insert(RefundLinks, { ...terms, ...times, madeBy, withdrawalId: null });
  recordAudit(view, {
    ...{ actor, action: "invoice.refund_link_made", subject: `invoice:${invoiceId}`, nowMs },
    detail: { amount, currency, network, link_id: id },
  });
}

function hashOf(token: string): string {
  return sha256Hex(token);
}

export interface RefundLink {
  readonly row: RefundLinkRow;
  readonly invoice: InvoiceRow;
  /** used: the payer has said where to. over: its time is up, or its key was revoked. */
  readonly state: "open" | "used" | "over";
}

export async function findRefundLink(deps: Deps, token: string): Promise<RefundLink | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const row = await deps.db.find(RefundLinks, [hashOf(token)], "token");
  if (!row) return undefined;
  await genuine(deps, RefundLinks, [row]);
  const invoice = await deps.db.get(Invoices, [row.invoiceId]);
  await genuine(deps, Invoices, [invoice]);
  const state = stateOf(row, deps.clock.nowMs());
  const isOver = state === "open" && !(await isOfToday(deps, row) && await isKeyUsable(deps, row));
  return { row, invoice, state: isOver ? "over" : state };
}

function stateOf({ withdrawalId, expiresAtMs }: RefundLinkRow, nowMs: number): RefundLink["state"] {
  if (withdrawalId !== null) return "used";
  return nowMs < expiresAtMs ? "open" : "over";
}

/** After a restore nobody knows which links were used since the backup. */
async function isOfToday({ catalog }: Deps, { id }: RefundLinkRow): Promise<boolean> {
  return id >= (await catalog.current()).numberedFrom;
}

/** Revoking a key, or taking its rights, ends its links too. Links made by hand need no key. */
async function isKeyUsable(
  deps: Deps,
  { keyId, accountId }: Pick<RefundLinkRow, "keyId" | "accountId">,
): Promise<boolean> {
  if (isHandKey(keyId, accountId)) return true;
  const key = await deps.db.find(ApiKeys, [keyId]);
  return key !== undefined && key.revokedAtMs === null &&
    RIGHTS.every((right) => key.permissions.includes(right)) && await isNewestKey(deps, key);
}

class NotOpen extends Error {}

/** The payer has said where to: the money is held until somebody at the merchant approves. */
export async function useRefundLink(
  deps: Deps,
  { link: { row, invoice }, toAddress, ip }: { link: RefundLink; toAddress: string; ip: string },
): Promise<void> {
  const { accountId, keyId, network, currency, amount } = row;
  const room = await roomOf(deps, { invoice, asked: row });
  const unsure = await whyUnsure(deps, invoice);
  const actor = { name: PAYER, ip };
  try {
    await createWithdrawal(deps, {
      ...{ network, currency, amount, toAddress, clientReference: null },
      caller: { accountId, keyId, actor, signature: null },
      refunding: {
        ...refundingOf(room, { row, actor, unsure, clock: deps.clock }),
        askedBy: row.madeBy,
      },
    });
  } catch (error) {
    if (!(error instanceof NotOpen)) throw error;
  }
}

/** Used up in the unit that holds the money, so sending the form twice asks for one payment. */
function refundingOf(
  room: Room,
  { row: { id, invoiceId }, actor, unsure, clock }: Pick<Deps, "clock"> & {
    row: RefundLinkRow;
    actor: { name: string; ip: string };
    /** What else the approver must know. */
    unsure: string | null;
  },
): Refunding {
  const source = `Refund link of invoice ${invoiceId}`;
  return {
    reads: [...room.reads, read(RefundLinks, [id])],
    approvedAs: unsure === null ? source : `${source}; ${unsure}`,
    needsAnother: unsure !== null,
    isByPayer: true,
    room: (view) => {
      const link = view.get(RefundLinks, [id]);
      if (stateOf(link, clock.nowMs()) !== "open" || room.isUsed(id)) throw new NotOpen();
      return room.left(view);
    },
    // It was asked when the link was made, and the payer can't ask for more.
    isDust: () => false,
    note: (view, withdrawal) => {
      room.note(view, { row: withdrawal, actor, linkId: id });
      view.update(RefundLinks, view.get(RefundLinks, [id]), { withdrawalId: withdrawal.id });
    },
  };
}
