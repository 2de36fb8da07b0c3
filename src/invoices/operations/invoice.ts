import { first } from "../../base/lists.ts";
import { genuine } from "../../books/tampered.ts";
import * as kind from "../../domain/kinds.ts";
import { NoRecord } from "../../domain/refusal.ts";
import { createInvoiceByHand } from "../by_hand.ts";
import type { NewInvoice } from "../create.ts";
import { coinsOf } from "../currency.ts";
import { INVOICES } from "../lists/invoices.ts";
import { acceptInvoice, cancelInvoice, extendInvoice } from "../manage.ts";
import { methodOf } from "../rules/judge.ts";
import { expiresIn, owed, REASON_MAX, redirectUrl, tolerance } from "../rules/kinds.ts";
import { LANGUAGES } from "../rules/languages.ts";
import { invoiceRowShape, wholeInvoiceShape } from "../shapes.ts";
import { Invoices } from "../tables/invoices.ts";
import type { CurrencyRow } from "../../networks/table.ts";
import { listCommand } from "../../operations/lists/command.ts";
import {
  type Asking,
  operation,
  optional,
  required,
  UsageError,
} from "../../operations/operation.ts";
import { ownerOfId } from "../../operations/owners.ts";

const ID = { name: "ID", help: "the invoice's id" };

const coin: kind.Kind<{ network: string; currency: string }> = {
  word: "NETWORK/SYMBOL",
  is: "a network's code and a symbol, such as ETH/USDT",
  read: (text) => {
    const [network = "", currency = "", ...rest] = text.split("/");
    const isRight = kind.networkCode.read(network) !== undefined &&
      kind.symbol.read(currency) !== undefined && rest.length === 0;
    return isRight ? { network, currency } : undefined;
  },
};

const NEW_FLAGS = {
  account: required(kind.recordId, { help: "whose invoice it is", example: "1" }),
  amount: required(owed, { help: "what is owed", example: "25" }),
  currency: required(kind.symbol, {
    help: "a currency with rates, or the symbol of an enabled coin",
    example: "EUR",
  }),
  method: optional(coin, { help: "the coin that the payer has chosen", example: "ETH/USDT" }),
  reference: optional(kind.text({ max: 128 }), { help: "your name for it", example: "order-7" }),
  description: optional(kind.text({ max: 500 }), {
    help: "what it is for; the payer reads it",
    example: '"Two tickets"',
  }),
  customer: optional(kind.text({ max: 256 }), {
    help: "your name for the customer; the payer doesn't see it",
    example: "customer-7",
  }),
  "redirect-url": optional(redirectUrl, {
    help: "the way back to the shop",
    example: "https://shop.example.com/thanks",
  }),
  language: optional(kind.choice(LANGUAGES), { help: "of the payer's page", example: "de" }),
  "expires-in": optional(expiresIn, { help: "for how many seconds it is open", example: "3600" }),
  "tolerance-percent": optional(tolerance, {
    help: "how much of it may be missing",
    example: "0.5",
  }),
};

const LIST_INVOICES = listCommand(INVOICES, {
  words: ["invoice", "list"],
  summary: "Lists invoices, newest first",
  limit: { fallback: 100, max: 10_000, example: "20" },
  examples: ["invoice list", "invoice list --account 1 --status underpaid"],
  columns: [
    ...["invoice_id", "account_id", "status", "amount", "currency", "reference", "customer"],
    ...["created_at", "paid_at"],
  ],
  shapes: async (deps, rows) =>
    (await genuine(deps, Invoices, rows)).map((row) => invoiceRowShape(deps, row)),
});

const SHOW_INVOICE = operation({
  words: ["invoice", "show"],
  reads: "see",
  of: ownerOfId(Invoices),
  summary: "Shows an invoice with its coins, prices and payments",
  positionals: [ID],
  flags: {},
  examples: ["invoice show 7"],
  run: async (context, { positionals }) =>
    await wholeInvoiceShape(await context.deps(), await invoiceOf(context, positionals)),
});

export const CREATE_INVOICE = operation({
  words: ["invoice", "create"],
  changes: "manage_invoices",
  summary: "Creates an invoice and shows the link to the payer's page",
  flags: NEW_FLAGS,
  examples: [
    "invoice create --account 1 --amount 25 --currency EUR",
    "invoice create --account 1 --amount 0.5 --currency ETH --method ETH/ETH --reference order-7",
  ],
  run: async (context, { flags }) => {
    const deps = await context.deps();
    const order = { accountId: flags.account, actor: context.actor, ...wishOf(flags) };
    const row = await createInvoiceByHand(deps, order);
    const { enabled } = await coinsOf(deps, row.accountId);
    const isLeftOut = ({ network, symbol: currency }: CurrencyRow) =>
      methodOf(row, { network, currency }) === undefined;
    for (const { network, symbol } of enabled.filter(isLeftOut)) {
      context.note(
        `${symbol} on ${network} is left out, because there is no rate for ` +
          `${symbol}/${row.currency}: "rate source add" adds one`,
      );
    }
    return await wholeInvoiceShape(deps, row);
  },
});

export const CANCEL_INVOICE = operation({
  words: ["invoice", "cancel"],
  changes: "manage_invoices",
  of: ownerOfId(Invoices),
  isUrgent: true,
  summary: "Cancels an invoice; what arrives later is still credited",
  positionals: [ID],
  flags: {},
  examples: ["invoice cancel 7"],
  run: async (context, { positionals }) => {
    const deps = await context.deps();
    const order = await orderOf(context, positionals);
    return await wholeInvoiceShape(deps, await cancelInvoice(deps, order));
  },
});

export const EXTEND_INVOICE = operation({
  words: ["invoice", "extend"],
  changes: "manage_invoices",
  of: ownerOfId(Invoices),
  summary: "Gives the payer more time from now on, at the same prices",
  positionals: [ID],
  flags: {
    "expires-in": required(expiresIn, { help: "how many seconds from now", example: "3600" }),
  },
  examples: ["invoice extend 7 --expires-in 3600"],
  run: async (context, { positionals, flags }) => {
    const deps = await context.deps();
    const order = await orderOf(context, positionals);
    const expiresInS = flags["expires-in"];
    return await wholeInvoiceShape(deps, await extendInvoice(deps, { ...order, expiresInS }));
  },
});

export const ACCEPT_INVOICE = operation({
  words: ["invoice", "accept"],
  changes: "manage_invoices",
  of: ownerOfId(Invoices),
  isUrgent: true,
  summary: "Accepts an invoice as paid with whatever has been credited",
  positionals: [ID],
  flags: {
    reason: required(kind.text({ max: REASON_MAX }), {
      help: "for the audit log",
      example: "The rest is on us",
    }),
  },
  examples: ['invoice accept 7 --reason "The rest is on us"'],
  run: async (context, { positionals, flags: { reason } }) => {
    const deps = await context.deps();
    const order = await orderOf(context, positionals);
    return await wholeInvoiceShape(deps, await acceptInvoice(deps, { ...order, reason }));
  },
});

export const INVOICE_COMMANDS = [
  LIST_INVOICES,
  SHOW_INVOICE,
  CREATE_INVOICE,
  CANCEL_INVOICE,
  EXTEND_INVOICE,
  ACCEPT_INVOICE,
];

type Given = {
  readonly [F in keyof typeof NEW_FLAGS]: ReturnType<typeof NEW_FLAGS[F]["kind"]["read"]>;
};

function wishOf(flags: Given & { amount: string; currency: string }): NewInvoice {
  return {
    amount: flags.amount,
    currency: flags.currency,
    coins: null,
    chosen: flags.method ?? null,
    expiresInS: flags["expires-in"] ?? null,
    tolerancePercent: flags["tolerance-percent"] ?? null,
    idempotencyKey: null,
    details: {
      reference: flags.reference ?? null,
      description: flags.description ?? null,
      customer: flags.customer ?? null,
      redirectUrl: flags["redirect-url"] ?? null,
      language: flags.language ?? null,
      metadata: {},
    },
  };
}

async function invoiceOf(context: Asking, positionals: readonly string[]) {
  const id = kind.recordId.read(first(positionals));
  if (id === undefined) throw new UsageError(`"${positionals[0]}" is not an invoice id`);
  const deps = await context.deps();
  const row = await deps.db.find(Invoices, [id]);
  if (!row) throw new NoRecord(`There is no invoice ${id}; "invoice list" lists them`);
  await genuine(deps, Invoices, [row]);
  return row;
}

async function orderOf(context: Asking, positionals: readonly string[]) {
  const { id, accountId } = await invoiceOf(context, positionals);
  return { id, accountId, actor: context.actor };
}
