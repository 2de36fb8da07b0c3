import { z } from "zod";
import { genuine } from "../../books/tampered.ts";
import {
  createPaymentLink as create,
  deactivatePaymentLink as deactivate,
  findPaymentLink,
  type NewPaymentLink as Wish,
} from "../payment_links.ts";
import { paymentLinkShape } from "../payment_link_shape.ts";
import { Amount } from "../../domain/money/amount.ts";
import { PAYMENT_LINKS } from "../lists/payment_links.ts";
import { type PaymentLinkRow, PaymentLinks } from "../tables/payment_links.ts";
import { text } from "../../http/body_schema.ts";
import { accountOf, idParam, signedCaller } from "../../http/caller.ts";
import { strict } from "../../http/endpoint.ts";
import { listed } from "../../http/lists/listed.ts";
import { ok, okReplay } from "../../http/reply.ts";
import * as wire from "../../domain/wire.ts";
import { asRefused, URGENT, writerOf } from "../../http/routes/writer.ts";
import { owed, redirectUrl } from "./_wishes.ts";

const PaymentLink = z.object({
  payment_link_id: wire.Id,
  url: z.string().meta({ description: "The page that starts an invoice." }),
  title: z.string(),
  amount: wire.Amount.nullable().describe("Null: the payer chooses."),
  min: wire.Amount.nullable(),
  max: wire.Amount.nullable(),
  currency: z.string(),
  redirect_url: z.string().nullable(),
  active: z.boolean(),
  created_at: wire.Time,
  deactivated_at: wire.Time.nullable(),
}).meta({ id: "PaymentLink" });

const LINK_EXAMPLE: z.input<typeof PaymentLink> = {
  payment_link_id: 3,
  url: "https://pay.example.com/buy/Yk3nXcQ1vY8rT4wKpL0aBg",
  title: "A donation",
  amount: null,
  min: "5",
  max: "500",
  currency: "EUR",
  redirect_url: "https://shop.example.com/thanks",
  active: true,
  created_at: "2026-01-31T12:00:00+00:00",
  deactivated_at: null,
};

const NewPaymentLink = z.object({
  title: text({ min: 1, max: 500 }).meta({
    description: "Shown to the payer. It becomes the description of each invoice.",
  }),
  amount: owed.nullish().meta({ description: "Without it, or with null, the payer chooses." }),
  min: owed.optional().meta({ description: "The least that the payer may choose." }),
  max: owed.optional().meta({ description: "The most that the payer may choose." }),
  currency: text({ min: 1, max: 32 }).meta({
    description: "One with rates, such as EUR, or the symbol of an enabled coin.",
  }),
  redirect_url: redirectUrl.optional().meta({
    description: "The way back to the shop, an https URL, with `invoice_id` and `status` added.",
  }),
  idempotency_key: text({ max: 128 }).optional().meta({
    description: "Repeating a request with the same key returns what the first one created.",
  }),
}).superRefine(({ amount, min, max }, context) => {
  const fault = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  const isFixed = typeof amount === "string";
  if (isFixed && min !== undefined) fault("min", "Only if the payer chooses");
  if (isFixed && max !== undefined) fault("max", "Only if the payer chooses");
  const isUpsideDown = min !== undefined && max !== undefined &&
    Amount.parse(max, "").isLessThan(Amount.parse(min, ""));
  if (isUpsideDown) fault("max", "Must be at least min");
});

const ALL = { tag: "Payment links", path: "/v1/payment-links", data: PaymentLink } as const;
const ONE = { ...ALL, path: "/v1/payment-links/{payment_link_id}" } as const;
const EXAMPLE = {
  path: { payment_link_id: LINK_EXAMPLE.payment_link_id },
  data: LINK_EXAMPLE,
};

export const createPaymentLink = strict({
  ...ALL,
  method: "POST",
  operationId: "createPaymentLink",
  permission: "manage_invoices",
  summary: "Create a payment link",
  description:
    "Whoever opens `url` can start an invoice, as often as they like. Its `metadata` has the `payment_link_id`.",
  body: NewPaymentLink,
  reference: "idempotency_key",
  refusals: ["currency_not_found", "account_suspended"],
  example: {
    body: {
      title: "A donation",
      amount: null,
      min: "5",
      max: "500",
      currency: "EUR",
      redirect_url: "https://shop.example.com/thanks",
    },
    data: LINK_EXAMPLE,
  },
  handle: (deps) => async (c, { body }) => {
    const caller = signedCaller(c);
    const actor = { name: `api:${caller.keyId}`, ip: c.env.state.ip };
    const wish = wishOf(body);
    const { row, isReplay } = await create(deps, { caller, actor, wish });
    const data = paymentLinkShape(row, deps.publicUrl);
    return isReplay ? okReplay(c, data, isSame(wish, row) ? "same" : "different") : ok(c, data);
  },
});

function wishOf(body: z.output<typeof NewPaymentLink>): Wish {
  return {
    title: body.title,
    amount: body.amount ?? null,
    min: body.min ?? null,
    max: body.max ?? null,
    currency: body.currency,
    redirectUrl: body.redirect_url ?? null,
    idempotencyKey: body.idempotency_key ?? null,
  };
}

function isSame(wish: Wish, row: PaymentLinkRow): boolean {
  const { title, amount, min, max, redirectUrl } = wish;
  return title === row.title && amount === row.amount && min === row.min && max === row.max &&
    redirectUrl === row.redirectUrl && wish.currency.toLowerCase() === row.currency.toLowerCase();
}

export const listPaymentLinks = listed({
  of: PAYMENT_LINKS,
  ...ALL,
  operationId: "listPaymentLinks",
  permission: "read_invoices",
  summary: "List payment links",
  description: "All payment links, newest first.",
  refusals: [],
  example: { data: LINK_EXAMPLE },
  entries: async (deps, rows) =>
    (await genuine(deps, PaymentLinks, rows)).map((row) => paymentLinkShape(row, deps.publicUrl)),
});

export const readPaymentLink = strict({
  ...ONE,
  method: "GET",
  operationId: "readPaymentLink",
  permission: "read_invoices",
  summary: "Read a payment link",
  description: "Invoices that were started through it have its id in their `metadata`.",
  refusals: ["not_found"],
  example: EXAMPLE,
  handle: (deps) => async (c) => {
    const asked = { accountId: accountOf(c), id: idParam(c, "payment_link_id") };
    return ok(c, paymentLinkShape(await asRefused(findPaymentLink(deps, asked)), deps.publicUrl));
  },
});

export const deactivatePaymentLink = strict({
  ...ONE,
  method: "POST",
  path: `${ONE.path}/deactivate`,
  operationId: "deactivatePaymentLink",
  permission: "manage_invoices",
  summary: "Deactivate a payment link",
  description: "For good. Invoices that were started through it stay as they are.",
  refusals: ["not_found"],
  example: {
    ...EXAMPLE,
    data: { ...LINK_EXAMPLE, active: false, deactivated_at: "2026-02-01T12:00:00+00:00" },
  },
  handle: (deps) => async (c) => {
    const order = { ...await writerOf(deps, c, URGENT), id: idParam(c, "payment_link_id") };
    return ok(c, paymentLinkShape(await asRefused(deactivate(deps, order)), deps.publicUrl));
  },
});
