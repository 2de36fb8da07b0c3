import { extendInvoice } from "../../invoices/manage.ts";
import { makePaymentLink, startInvoice } from "../../invoices/payment_links.ts";
import { addSource } from "../../rates/manage.ts";
import type { Deps } from "../../deps/deps.ts";
import { present } from "../../base/assert.ts";

const DAY_S = 86_400;
/** In USD. Round, so that anybody can check an invoice in USD or EUR in their head. */
const PRICES = [["ETH", "2500"], ["USDT", "1"], ["EUR", "1.25"]] as const;

/** For the payer's page. The link starts others. */
export async function makeInvoice(
  deps: Deps,
  { accountId, prices }: { accountId: number; prices: Readonly<Record<string, string>> },
) {
  const price = { quote: "USD", kind: "manual", actor: "cli" } as const;
  for (const [base, value] of [...PRICES, ...Object.entries(prices)]) {
    await addSource(deps, { ...price, base, value });
  }
  const link = await makePaymentLink(deps, {
    accountId,
    actor: "cli",
    wish: {
      ...{ title: "A pot of tea", amount: "5", currency: "USD" },
      ...{ min: null, max: null, redirectUrl: null },
    },
  });
  const invoice = await startInvoice(deps, { link, amount: "5", language: "en" });
  const { id, token } = present(invoice, "The link is active");
  // Whoever tries it out may come back to it later.
  await extendInvoice(deps, { id, accountId, expiresInS: DAY_S, actor: "cli" });
  return { linkPath: `/buy/${link.slug}`, invoicePath: `/pay/${token}` };
}
