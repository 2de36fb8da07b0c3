import type { Deed } from "../audit/rules/deeds.ts";
import { utf8 } from "../base/bytes.ts";
import { isAble } from "../access/rules/roles.ts";
import { extendedSums, GRACE_MS } from "./rules/judge.ts";
import { isFinalStatus } from "./rules/status.ts";
import { type InvoiceSums, NO_SUMS } from "./rules/sums.ts";
import { Refused } from "../domain/refusal.ts";
import {
  InvoiceAddresses,
  type InvoiceAddressRow,
  type InvoiceRow,
  Invoices,
} from "./tables/invoices.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { keyRoleOf } from "../access/key_maker.ts";
import { recordAudit } from "../books/records.ts";
import { genuine } from "../books/tampered.ts";
import { keepAddress, keptReads, symbolsOn } from "../deposits/for_invoice.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { isAddedUp, judgeNow, settle } from "./judge_due.ts";
import { paidStartReads } from "./link_starts.ts";
import { type InvoiceLook, lookAt } from "./look.ts";
import { invoiceShape } from "./shape.ts";

interface Order {
  readonly accountId: number;
  readonly id: number;
  readonly actor: Actor;
}

export async function findInvoice(
  deps: Deps,
  { accountId, id }: Pick<Order, "accountId" | "id">,
): Promise<InvoiceRow> {
  const row = await deps.db.find(Invoices, [id]);
  if (row?.accountId !== accountId) throw new Refused("not_found");
  await genuine(deps, Invoices, [row]);
  return row;
}

/** What arrives later is still credited and listed. */
export function cancelInvoice(deps: Deps, order: Order): Promise<InvoiceRow> {
  return change(deps, { order, action: "invoice.cancelled" }, (row, { nowMs }) => {
    if (row.status === "paid") throw new Refused("invoice_final");
    return row.cancelledAtMs === null ? { cancelledAtMs: nowMs } : {};
  });
}

const NOTHING_CREDITED = "Nothing has been credited that could be accepted";

/** Makes it count as paid with whatever has been credited. */
export async function acceptInvoice(
  deps: Deps,
  { reason, ...order }: Order & { reason: string },
): Promise<InvoiceRow> {
  await mayAccept(deps, order);
  return await change(
    deps,
    { order, action: "invoice.accepted", detail: { reason } },
    (row, { sums }) => {
      const { confirmed, credited } = sums;
      if (isFinalStatus(row.status)) throw new Refused("invoice_final");
      if (Object.keys(credited).length === 0) {
        throw new Refused("invoice_final", { text: NOTHING_CREDITED });
      }
      return { acceptedValue: confirmed, acceptedCoins: credited };
    },
  );
}

/** A key may as much as whoever made it. What people may is decided where they ask. */
async function mayAccept(deps: Deps, { actor }: Order): Promise<void> {
  const name = typeof actor === "string" ? actor : actor.name;
  const [, keyId] = /^api:(.+)$/.exec(name) ?? [];
  if (keyId === undefined) return;
  const role = await keyRoleOf(deps, keyId);
  if (role && isAble(role, "manage_invoices")) return;
  throw new Refused("role_denied", { text: role ?? "unknown" });
}

/** Open for longer, at the same rates. An address that others got meanwhile is given up. */
export function extendInvoice(
  deps: Deps,
  { expiresInS, ...order }: Order & { expiresInS: number },
): Promise<InvoiceRow> {
  const detail = { expires_in: expiresInS };
  return change(
    deps,
    { order, action: "invoice.extended", detail },
    (row, { view, addresses, nowMs }) => {
      if (isFinalStatus(row.status)) throw new Refused("invoice_final");
      const expiresAtMs = Math.max(row.expiresAtMs, nowMs + expiresInS * 1_000);
      const openUntilMs = expiresAtMs + GRACE_MS;
      for (const { invoiceId, network } of addresses) {
        const given = view.find(InvoiceAddresses, [invoiceId, network]);
        const symbols = symbolsOn(row, network);
        if (given) keepAddress(view, { windows: deps.windows, given, symbols, openUntilMs });
      }
      return { expiresAtMs };
    },
  );
}

interface Now {
  readonly view: View;
  readonly sums: InvoiceSums;
  readonly addresses: readonly InvoiceAddressRow[];
  readonly nowMs: number;
}

const ATTEMPTS_MAX = 3;

interface Change {
  readonly order: Order;
  readonly action: Deed;
  readonly detail?: object;
}

async function change(
  deps: Deps,
  asked: Change,
  decide: (row: InvoiceRow, now: Now) => Partial<InvoiceRow>,
): Promise<InvoiceRow> {
  for (let attempt = 1;; attempt++) {
    const isLast = attempt === ATTEMPTS_MAX;
    const changed = await changeOnce(deps, { ...asked, isLast }, decide);
    if (changed) return changed;
  }
}

/** Undefined: something has come since it was added up, so it is added up again. */
async function changeOnce(
  deps: Deps,
  { order, action, detail = {}, isLast }: Change & { readonly isLast: boolean },
  decide: (row: InvoiceRow, now: Now) => Partial<InvoiceRow>,
): Promise<InvoiceRow | undefined> {
  const found = await findInvoice(deps, order);
  const row = isAddedUp(found) ? found : await judgeNow(deps, found);
  const look = await lookAt(deps, row);
  return await deps.db.write({
    reads: [
      read(Invoices, [row.id]),
      ...paidStartReads(row),
      ...look.addresses.flatMap((given) => [
        read(InvoiceAddresses, [given.invoiceId, given.network]),
        ...keptReads(given, symbolsOn(row, given.network)),
      ]),
    ],
    decide: (view) => {
      const before = view.get(Invoices, [row.id]);
      if (!isLast && !isAddedUp(before)) return undefined;
      const sums = before.sums ?? NO_SUMS;
      const now = { view, sums, addresses: look.addresses, nowMs: deps.clock.nowMs() };
      const change = decide(before, now);
      if (Object.keys(change).length === 0) return before;
      const isExtended = change.expiresAtMs !== undefined;
      recordAudit(view, {
        ...{ actor: order.actor, action, subject: `invoice:${row.id}`, nowMs: now.nowMs },
        detail: { ...detail, before: asBefore(before, change), change },
      });
      const changed = settle(view, {
        ...{ deps, look, row: view.update(Invoices, before, change) },
        sums: isExtended ? extendedSums(sums) : sums,
        isMarked: !isAddedUp(before) || (isExtended && sums.payments > 0),
      });
      if (isExtended && hasEnded(before)) countSecondEnd(view, { deps, row: changed, look });
      return changed;
    },
  });
}

/** The fields that change, as they were. */
function asBefore(before: InvoiceRow, change: Partial<InvoiceRow>): Partial<InvoiceRow> {
  const changed = new Set(Object.keys(change));
  return Object.fromEntries(Object.entries(before).filter(([field]) => changed.has(field)));
}

/** The event that says so has been written. */
function hasEnded({ status }: InvoiceRow): boolean {
  return status === "expired" || status === "underpaid";
}

/** When its time is up again, another event has all of it, and the clock causes that one. */
function countSecondEnd(
  view: View,
  { deps, row, look }: { deps: Deps; row: InvoiceRow; look: InvoiceLook },
): void {
  const shape = invoiceShape(row, { look, publicUrl: deps.publicUrl, nowMs: view.nowMs });
  view.countAhead(row.accountId, utf8(JSON.stringify(shape)).length);
}
