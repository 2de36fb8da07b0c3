import { createInvoiceByHand } from "../../../src/invoices/by_hand.ts";
import type { NewInvoice } from "../../../src/invoices/create.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { makePaymentLink } from "../../../src/invoices/payment_links.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { InvoiceAddresses, type InvoiceRow } from "../../../src/invoices/tables/invoices.ts";
import type { PaymentLinkRow } from "../../../src/invoices/tables/payment_links.ts";
import { sendTx } from "../nodes/contracts.ts";
import { settleAll } from "../payouts.ts";
import type { World } from "../world.ts";

const ETH = { network: "ETH", currency: "ETH" };

/** Somebody owes 0.01 ETH, and an address is chosen. */
export async function makeInvoice(
  deps: Deps,
  { accountId, details = {}, ...asked }:
    & { accountId: number; details?: Partial<NewInvoice["details"]> }
    & Partial<Omit<NewInvoice, "details">>,
): Promise<InvoiceRow> {
  return await createInvoiceByHand(deps, {
    ...{ amount: "0.01", currency: "ETH", coins: null, chosen: ETH, accountId, actor: "test" },
    ...{ expiresInS: null, tolerancePercent: null, idempotencyKey: null },
    ...asked,
    details: {
      ...{ reference: null, description: null, customer: null, metadata: {}, redirectUrl: null },
      ...{ language: null, ...details },
    },
  });
}

async function payInvoice({ deps, anvil }: World, id: number, raw: bigint): Promise<void> {
  const { address } = await deps.db.get(InvoiceAddresses, [id, "ETH"]);
  await sendTx(anvil, { to: address, valueRaw: raw });
}

/** A part of it is credited. */
export async function partlyPaidInvoice(
  world: World,
  details: Partial<NewInvoice["details"]> = {},
  asked: Partial<Omit<NewInvoice, "details">> = {},
): Promise<InvoiceRow> {
  const { deps, merchant: { accountId } } = world;
  const row = await makeInvoice(deps, { accountId, details, ...asked });
  await payInvoice(world, row.id, 4n * 10n ** 15n);
  await settleAll(world);
  await settleAll(world);
  await judgeDue(deps);
  return row;
}

/** Anybody who has it may start an invoice over 0.01 ETH. */
export function makeLink(
  deps: Deps,
  { accountId, title = "Tea" }: { accountId: number; title?: string },
): Promise<PaymentLinkRow> {
  const open = { min: null, max: null, redirectUrl: null };
  const wish = { title, amount: "0.01", currency: "ETH", ...open };
  return makePaymentLink(deps, { accountId, actor: "test", wish });
}
