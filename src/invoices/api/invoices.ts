import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { PAY_IN } from "../../accounts/rules/usable.ts";
import { genuine } from "../../books/tampered.ts";
import type { Deps } from "../../deps/deps.ts";
import { createInvoice as create, type NewInvoice as Wish } from "../create.ts";
import { chooseMethod } from "../choose.ts";
import { type InvoiceLook, lookAt, lookAtNew } from "../look.ts";
import {
  acceptInvoice as accept,
  cancelInvoice as cancel,
  extendInvoice as extend,
  findInvoice,
} from "../manage.ts";
import { invoiceShape } from "../shape.ts";
import { isSame } from "../terms.ts";
import { LISTED_IN_LISTS_MAX, PAYMENTS_LISTED_MAX, REFUNDS_LISTED_MAX } from "../rules/listed.ts";
import { INVOICES } from "../lists/invoices.ts";
import { type InvoiceRow, Invoices } from "../tables/invoices.ts";
import { accountOf, idParam, signedCaller } from "../../http/caller.ts";
import { strict } from "../../http/endpoint.ts";
import { listed } from "../../http/lists/listed.ts";
import { ok, okReplay } from "../../http/reply.ts";
import { URGENT, writerOf } from "../../http/routes/writer.ts";
import { Acceptance, ChosenMethod, Extension, NewInvoice } from "./_wishes.ts";
import { Invoice, INVOICE_EXAMPLE } from "./schemas.ts";

const ALL = { tag: "Invoices", path: "/v1/invoices", data: Invoice } as const;
const ONE = { ...ALL, path: "/v1/invoices/{invoice_id}" } as const;
const CHANGE = { ...ONE, method: "POST", permission: "manage_invoices" } as const;
const PATH = { invoice_id: INVOICE_EXAMPLE.invoice_id };
const EXAMPLE = { path: PATH, data: INVOICE_EXAMPLE };
const IN_LISTS = { paymentsMax: LISTED_IN_LISTS_MAX, refundsMax: LISTED_IN_LISTS_MAX };

export const createInvoice = strict({
  ...ALL,
  method: "POST",
  operationId: "createInvoice",
  permission: "manage_invoices",
  summary: "Create an invoice",
  description:
    "Locks the price of each coin that can pay it. Send the payer to `url`, or show an address of `methods` yourself.",
  body: NewInvoice,
  reference: "idempotency_key",
  refusals: [...PAY_IN.refusals, "rate_unavailable", "account_suspended"],
  example: {
    body: {
      amount: "25",
      currency: "EUR",
      method: { network: "ETH", currency: "ETH" },
      reference: "order-7",
      description: "Two tickets",
      redirect_url: "https://shop.example.com/thanks",
      idempotency_key: "order-7",
    },
    data: INVOICE_EXAMPLE,
  },
  handle: (deps) => async (c, { body }) => {
    const caller = signedCaller(c);
    const { row, given, isReplay } = await create(deps, { caller, ...wishOf(body) });
    if (!isReplay) return ok(c, shapeOf(deps, row, await lookAtNew(deps, given)));
    const again = row.status === "open" ? body.method : undefined;
    if (again) await chooseMethod(deps, { row, coin: again });
    return okReplay(c, await entryOf(deps, row), isSameOrder(body, row) ? "same" : "different");
  },
});

function wishOf(body: z.output<typeof NewInvoice>): Wish {
  return {
    amount: body.amount,
    currency: body.currency,
    coins: body.methods ?? null,
    chosen: body.method ?? null,
    expiresInS: body.expires_in ?? null,
    tolerancePercent: body.tolerance_percent ?? null,
    idempotencyKey: body.idempotency_key ?? null,
    details: detailsOf(body),
  };
}

function detailsOf(body: z.output<typeof NewInvoice>): Wish["details"] {
  return {
    reference: body.reference ?? null,
    description: body.description ?? null,
    customer: body.customer ?? null,
    metadata: body.metadata ?? {},
    redirectUrl: body.redirect_url ?? null,
    language: body.language ?? null,
  };
}

function isSameOrder(body: z.output<typeof NewInvoice>, row: InvoiceRow): boolean {
  const { amount, currency, tolerance_percent: tolerance = row.tolerancePercent } = body;
  const { reference, description, customer, metadata, redirectUrl, language } = row;
  const kept = { reference, description, customer, metadata, redirectUrl, language };
  return isAmong(row.methods, body) && amount === row.amount &&
    currency.toLowerCase() === row.currency.toLowerCase() &&
    tolerance === row.tolerancePercent && isDeepStrictEqual(detailsOf(body), kept);
}

/** A coin without a rate is asked for in vain, so fewer than were asked for are the same. */
function isAmong(priced: InvoiceRow["methods"], asked: z.output<typeof NewInvoice>): boolean {
  if (asked.methods === undefined) return true;
  const coins = [...asked.methods, ...asked.method ? [asked.method] : []];
  return priced.every((method) => coins.some((coin) => isSame(coin, method)));
}

export const readInvoice = strict({
  ...ONE,
  method: "GET",
  operationId: "readInvoice",
  permission: "read_invoices",
  summary: "Read an invoice",
  description: "With its payments and what is still due. It lists at most " +
    `${PAYMENTS_LISTED_MAX} \`payments\`, those worth most, and the newest ${REFUNDS_LISTED_MAX} ` +
    "`refunds`. `GET /v1/deposits` and `GET /v1/withdrawals` list all of them by `invoice_id`.",
  refusals: ["not_found"],
  example: EXAMPLE,
  handle: (deps) => async (c) => {
    const asked = { accountId: accountOf(c), id: idParam(c, "invoice_id") };
    return ok(c, await entryOf(deps, await findInvoice(deps, asked)));
  },
});

export const listInvoices = listed({
  of: INVOICES,
  ...ALL,
  operationId: "listInvoices",
  permission: "read_invoices",
  summary: "List invoices",
  description:
    `All invoices, newest first, each with at most ${LISTED_IN_LISTS_MAX} of its \`payments\` and ` +
    "of its `refunds`: read one to see more. `from` and `until` refer to `created_at`.",
  // Each may be large, and has its addresses and payments read too.
  rowsAtOnce: 10,
  refusals: [],
  example: { query: { status: "paid", from: "2026-01-31" }, data: INVOICE_EXAMPLE },
  entries: async (deps, rows) => {
    await genuine(deps, Invoices, rows);
    const shapes = rows.map(async (row) => shapeOf(deps, row, await lookAt(deps, row, IN_LISTS)));
    return await Promise.all(shapes);
  },
});

export const chooseInvoiceMethod = strict({
  ...CHANGE,
  path: "/v1/invoices/{invoice_id}/methods",
  operationId: "chooseInvoiceMethod",
  summary: "Choose how an invoice is paid",
  description:
    "Gives the invoice an address on this network, as the payer's page does. The coin must be one of its `methods`.",
  body: ChosenMethod,
  refusals: ["not_found", ...PAY_IN.refusals, "rate_unavailable", "invoice_final"],
  example: { ...EXAMPLE, body: { network: "ETH", currency: "ETH" } },
  handle: (deps) => async (c, { body }) => {
    const { accountId } = await writerOf(deps, c, URGENT);
    const row = await findInvoice(deps, { accountId, id: idParam(c, "invoice_id") });
    await chooseMethod(deps, { row, coin: body });
    return ok(c, await entryOf(deps, row));
  },
});

export const cancelInvoice = strict({
  ...CHANGE,
  path: "/v1/invoices/{invoice_id}/cancel",
  operationId: "cancelInvoice",
  summary: "Cancel an invoice",
  description: "Payments that arrive later are still credited and listed.",
  refusals: ["not_found", "invoice_final"],
  example: { ...EXAMPLE, data: { ...INVOICE_EXAMPLE, status: "cancelled" } },
  handle: (deps) => async (c) => {
    const order = { ...await writerOf(deps, c, URGENT), id: idParam(c, "invoice_id") };
    return ok(c, await entryOf(deps, await cancel(deps, order)));
  },
});

export const extendInvoice = strict({
  ...CHANGE,
  path: "/v1/invoices/{invoice_id}/extend",
  operationId: "extendInvoice",
  summary: "Give the payer more time",
  description: "`expires_in` counts from now. The rates stay the same.",
  body: Extension,
  refusals: ["not_found", "invoice_final"],
  example: { ...EXAMPLE, body: { expires_in: 900 } },
  handle: (deps) => async (c, { body }) => {
    const order = { ...await writerOf(deps, c), id: idParam(c, "invoice_id") };
    const row = await extend(deps, { ...order, expiresInS: body.expires_in });
    return ok(c, await entryOf(deps, row));
  },
});

export const acceptInvoice = strict({
  ...CHANGE,
  path: "/v1/invoices/{invoice_id}/accept",
  operationId: "acceptInvoice",
  summary: "Accept an invoice as paid",
  description:
    "With whatever has been credited for it. The key must have been made by somebody whose role may accept invoices: an operator, or a user with the role merchant or finance.",
  body: Acceptance,
  refusals: ["role_denied", "not_found", "invoice_final"],
  example: { ...EXAMPLE, body: { reason: "The rest is on us" } },
  handle: (deps) => async (c, { body }) => {
    const order = { ...await writerOf(deps, c, URGENT), id: idParam(c, "invoice_id") };
    return ok(c, await entryOf(deps, await accept(deps, { ...order, reason: body.reason })));
  },
});

/** One invoice after the other, whoever asks for many of them at once. */
function entryOf(deps: Deps, row: InvoiceRow): Promise<z.input<typeof Invoice>> {
  return deps.memory.shares.turn(
    `invoices of account ${row.accountId}`,
    async () => shapeOf(deps, row, await lookAt(deps, row)),
  );
}

function shapeOf(
  { publicUrl, clock }: Deps,
  row: InvoiceRow,
  look: InvoiceLook,
): z.input<typeof Invoice> {
  return invoiceShape(row, { look, publicUrl, nowMs: clock.nowMs() });
}
