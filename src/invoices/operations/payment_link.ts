import { ownerOfId } from "../../operations/owners.ts";
import { first } from "../../base/lists.ts";
import { buttonHtml, paymentLinkShape } from "../payment_link_shape.ts";
import { deactivatePaymentLink, makePaymentLink } from "../payment_links.ts";
import { filterGenuine } from "../../books/tampered.ts";
import { owed, redirectUrl } from "../rules/kinds.ts";
import * as kind from "../../domain/kinds.ts";
import { listCommand } from "../../operations/lists/command.ts";
import { PAYMENT_LINKS } from "../lists/payment_links.ts";
import { PaymentLinks } from "../tables/payment_links.ts";
import { operation, optional, required, UsageError } from "../../operations/operation.ts";

export const CREATE_PAYMENT_LINK = operation({
  words: ["payment-link", "create"],
  changes: "manage_invoices",
  summary: "Creates a link that anybody can start an invoice with, and a button for a shop's page",
  flags: {
    account: required(kind.recordId, { help: "who is paid", example: "1" }),
    title: required(kind.text({ max: 500 }), { help: "for what", example: '"A donation"' }),
    currency: required(kind.symbol, {
      help: "one with rates, or a coin that the account can receive",
      example: "EUR",
    }),
    amount: optional(owed, {
      help: "how much; if not given, the payer chooses",
      example: "25",
    }),
    min: optional(owed, { help: "the least that the payer may choose", example: "5" }),
    max: optional(owed, { help: "the most that the payer may choose", example: "500" }),
    "redirect-url": optional(redirectUrl, {
      help: "the way back to the shop",
      example: "https://shop.example.com/thanks",
    }),
  },
  examples: [
    'payment-link create --account 1 --title "A pot of tea" --amount 4.5 --currency EUR',
    'payment-link create --account 1 --title "A donation" --currency EUR --min 5 --max 500',
  ],
  run: async (context, { flags }) => {
    const deps = await context.deps();
    const { account: accountId, title, currency } = flags;
    const row = await makePaymentLink(deps, {
      accountId,
      actor: context.actor,
      wish: {
        ...{ title, currency, amount: flags.amount ?? null },
        ...{ min: flags.min ?? null, max: flags.max ?? null },
        redirectUrl: flags["redirect-url"] ?? null,
      },
    });
    const shape = paymentLinkShape(row, deps.publicUrl);
    const print_url = `${shape.url}/print`;
    return { ...shape, print_url, button_html: buttonHtml(row, deps.publicUrl) };
  },
});

const LIST_PAYMENT_LINKS = listCommand(PAYMENT_LINKS, {
  words: ["payment-link", "list"],
  isOfAccount: true,
  summary: "Lists an account's payment links, newest first",
  limit: { fallback: 100, max: 200, example: "20" },
  examples: ["payment-link list --account 1"],
  columns: ["payment_link_id", "title", "amount", "min", "max", "currency", "active", "url"],
  shapes: async (deps, rows) => {
    const ours = await filterGenuine(deps, PaymentLinks, rows);
    return ours.map((row) => paymentLinkShape(row, deps.publicUrl));
  },
});

export const DEACTIVATE_PAYMENT_LINK = operation({
  words: ["payment-link", "deactivate"],
  changes: "manage_invoices",
  of: ownerOfId(PaymentLinks),
  isUrgent: true,
  summary: "Deactivates a payment link for good; its invoices stay as they are",
  positionals: [{ name: "ID", help: "the link's id, as payment-link list shows it" }],
  flags: {},
  examples: ["payment-link deactivate 1"],
  run: async (context, { positionals }) => {
    const id = kind.recordId.read(first(positionals));
    if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a payment link's id`);
    const deps = await context.deps();
    const row = await deactivatePaymentLink(deps, { id, actor: context.actor });
    return paymentLinkShape(row, deps.publicUrl);
  },
});

export const PAYMENT_LINK_COMMANDS = [
  CREATE_PAYMENT_LINK,
  LIST_PAYMENT_LINKS,
  DEACTIVATE_PAYMENT_LINK,
];
