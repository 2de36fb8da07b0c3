import { createWithdrawal } from "../withdrawals/create.ts";
import type { Refunding } from "../withdrawals/hold.ts";
import type { PayoutOrder } from "../withdrawals/rules/fields.ts";
import type { WithdrawalRow } from "../withdrawals/table.ts";
import { Refunds } from "./table.ts";
import { isGenuine } from "../books/tampered.ts";
import type { HandCaller, SignedCaller } from "../books/claim_signature.ts";
import type { Deps } from "../deps/deps.ts";
import { dustTest } from "./dust.ts";
import { findInvoice } from "../invoices/manage.ts";
import { roomOf, whyUnsure } from "../invoices/refund_room.ts";

interface Refunded {
  readonly row: WithdrawalRow;
  /** True if an earlier request with this client_reference created it. */
  readonly isReplay: boolean;
  /** Whether that was a refund of the same invoice. */
  readonly isOfInvoice: boolean;
}

/** A withdrawal that gives back what was paid, with the same checks, hold and sending as any. */
export async function refundInvoice(
  deps: Deps,
  { invoiceId, caller, ...order }: PayoutOrder & {
    caller: SignedCaller | HandCaller;
    invoiceId: number;
  },
): Promise<Refunded> {
  const invoice = await findInvoice(deps, { accountId: caller.accountId, id: invoiceId });
  const room = await roomOf(deps, { invoice, asked: order });
  const actor = caller.signature === null ? caller.actor : `api:${caller.keyId}`;
  const [unsure, isDust] = await Promise.all([whyUnsure(deps, invoice), dustTest(deps, order)]);
  const refunding: Refunding = {
    reads: room.reads,
    approvedAs: unsure,
    needsAnother: unsure !== null,
    isByPayer: false,
    room: room.left,
    isDust,
    note: (view, row) => room.note(view, { row, actor }),
  };
  const made = await createWithdrawal(deps, { ...order, caller, refunding });
  const link = await deps.db.find(Refunds, [made.row.id]);
  const isOurs = link?.invoiceId === invoiceId && await isGenuine(deps, Refunds, link);
  return { ...made, isOfInvoice: isOurs };
}
