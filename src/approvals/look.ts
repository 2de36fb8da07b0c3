import { type ApiKeyRow, ApiKeys } from "../access/tables/keys.ts";
import { type PaidBefore, paidBefore, payoutsBefore } from "./reads/inbox.ts";
import type { ApprovalRequestRow } from "./table.ts";
import { AuditLog } from "../audit/table.ts";
import { genuine, isGenuine } from "../books/tampered.ts";
import { PAYER, REQUESTED } from "../books/trail.ts";
import { rulesOf } from "../chains/registry.ts";
import { refundWords } from "../control/reads/last_words.ts";
import type { Deps } from "../deps/deps.ts";
import { REFUNDS_MAX } from "../invoices/refund_room.ts";
import type { InvoiceRow } from "../invoices/tables/invoices.ts";
import { lookAlike, usableFrom } from "../payees/payees.ts";
import { type PayeeRow, Payees } from "../payees/table.ts";
import type { HeldBack } from "../payouts/rules/held_back.ts";
import { type Compared, compared } from "../policies/rules/compared.ts";
import { refundedInvoices } from "../refunds/refunded_invoices.ts";
import { RefundLinks, Refunds } from "../refunds/table.ts";
import { whyHeldBack } from "../withdrawals/held_back.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";

const SPAN_MS = 30 * 86_400_000;

/** What somebody has to know before they approve a payout. */
export interface PayoutLook {
  readonly request: ApprovalRequestRow;
  readonly row: WithdrawalRow;
  readonly key: ApiKeyRow | undefined;
  /** Where the request came from. */
  readonly ip: string | null;
  /** By a refund link, which the key or a person made. */
  readonly isByPayer: boolean;
  /** "user:7", or "cli": whoever asked, or made the link. They may approve it if no rule asks. */
  readonly askedBy: string | null;
  /** The last 30 days, in the same currency on the same network, without this one. */
  readonly ofAccount: Compared;
  readonly ofRecipient: Compared;
  /** Ever, and confirmed. */
  readonly toRecipient: PaidBefore;
  readonly lastToRecipient: WithdrawalRow | undefined;
  readonly payee: PayeeRow | undefined;
  /** The invoice that it gives back. */
  readonly refunded: InvoiceRow | undefined;
  /** A known address that this one could be mistaken for. */
  readonly looksLike: string | undefined;
  /** Why it can't be approved now. */
  readonly heldBack: HeldBack | undefined;
}

export async function lookAtPayout(
  deps: Deps,
  request: ApprovalRequestRow,
): Promise<PayoutLook> {
  const { db, clock } = deps;
  const row = await db.get(Withdrawals, [request.withdrawalId]);
  await genuine(deps, Withdrawals, [row]);
  const address = await canonical(deps, row);
  const { accountId, network } = row;
  const place = { accountId, network, address };
  const [before, toRecipient, key, asked, payee, refunds, looksLike, heldBack] = await Promise.all([
    payoutsBefore(db, row, clock.nowMs() - SPAN_MS),
    paidBefore(db, row),
    db.find(ApiKeys, [row.keyId]),
    askedAs(deps, request),
    db.find(Payees, [accountId, network, address], "recipient"),
    refundedInvoices(deps, [row]),
    lookAlike(deps, place),
    whyHeldBack(deps, row),
  ]);
  const same = before.filter(({ toAddress }) =>
    toAddress.toLowerCase() === row.toAddress.toLowerCase()
  );
  return {
    ...{ request, row, key, ...asked, looksLike, toRecipient, heldBack },
    lastToRecipient: await lastOf(deps, toRecipient),
    ofAccount: compared(before.map(({ amount }) => amount)),
    ofRecipient: compared(same.map(({ amount }) => amount)),
    payee: payee && await isListed(deps, payee) ? payee : undefined,
    refunded: refunds.get(row.id),
  };
}

/** Somebody could have put one in, to make a recipient look known. */
async function lastOf(deps: Deps, { lastId }: PaidBefore): Promise<WithdrawalRow | undefined> {
  const row = lastId === null ? undefined : await deps.db.find(Withdrawals, [lastId]);
  return row && await isGenuine(deps, Withdrawals, row) ? row : undefined;
}

/** The log has the last word: an old row may have been put back. */
async function isListed(deps: Deps, row: PayeeRow): Promise<boolean> {
  if (row.removedAtMs !== null || !await isGenuine(deps, Payees, row)) return false;
  const fromMs = await usableFrom(deps, row.id);
  return fromMs !== undefined && fromMs <= row.usableAtMs;
}

async function canonical(
  { catalog }: Deps,
  { network: code, toAddress }: WithdrawalRow,
): Promise<string> {
  const network = (await catalog.current()).network(code);
  const rules = network && rulesOf(network);
  return rules?.isAddress(toAddress) ? rules.canonicalAddress(toAddress) : toAddress;
}

async function askedAs(
  deps: Deps,
  { withdrawalId, requestedIp, requestedBy }: ApprovalRequestRow,
): Promise<Pick<PayoutLook, "ip" | "isByPayer" | "askedBy">> {
  const said = await deps.db.list(AuditLog, { subject: `withdrawal:${withdrawalId}` });
  const asked = said.find(({ action }) => action === REQUESTED);
  const isByPayer = asked?.actor === PAYER;
  return {
    ...{ ip: requestedIp ?? asked?.ip ?? null, isByPayer },
    askedBy: requestedBy ?? (isByPayer ? await linkMaker(deps, withdrawalId) : null),
  };
}

/** Null: a key. */
async function linkMaker(deps: Deps, withdrawalId: number): Promise<string | null> {
  const { db } = deps;
  const refund = await db.find(Refunds, [withdrawalId]);
  const said = refund ? await refundWords(db, `invoice:${refund.invoiceId}`, REFUNDS_MAX) : [];
  const linkId = said.find(({ detail }) => detail.withdrawal_id === withdrawalId)?.detail.link_id;
  const link = typeof linkId === "number" ? await db.find(RefundLinks, [linkId]) : undefined;
  return link && await isGenuine(deps, RefundLinks, link) ? link.madeBy : null;
}
