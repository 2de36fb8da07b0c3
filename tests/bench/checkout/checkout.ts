import { startAnvil } from "../../support/nodes/anvil.ts";
import { makeInstallation } from "../installation.ts";
import type { Part, PartOrder } from "../part.ts";
import type { Row } from "../row.ts";
import { CREATED, measureCreating } from "./creating.ts";
import { DETECTED, measureDetecting, PAID } from "./detecting.ts";
import { ENDED, measureEnding } from "./ending.ts";
import { fillInvoices, OPEN_INVOICES } from "./fill_invoices.ts";
import { measurePainting, PAINTED } from "./painting.ts";

/** What open invoices cost everything else. */
export const CHECKOUT_PART: Part = {
  key: "checkout",
  heading: "With 10,000 open invoices",
  names: [CREATED.name, DETECTED.name, PAINTED.name, ENDED.name],
  measure: measureCheckout,
};

async function* measureCheckout({ names, rounds, say }: PartOrder): AsyncGenerator<Row> {
  await using anvil = await startAnvil();
  await using few = await makeInstallation({ rpcUrl: anvil.url });
  await using many = await makeInstallation({ rpcUrl: anvil.url });
  say("checkout: making 10,000 invoices");
  await fillInvoices(few, PAID);
  await fillInvoices(many, OPEN_INVOICES);
  if (names.has(CREATED.name)) yield await measureCreating(many, rounds);
  if (names.has(DETECTED.name)) yield await measureDetecting({ few, many, anvil, rounds });
  if (names.has(PAINTED.name)) yield await measurePainting(many, rounds);
  if (names.has(ENDED.name)) yield await measureEnding(few, rounds);
}
