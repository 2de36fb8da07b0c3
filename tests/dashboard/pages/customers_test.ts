import assert from "node:assert/strict";
import { makeInvoice } from "../../support/checkout/invoices.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startPayingWorld } from "../../support/payouts.ts";

const NAMED = 12;

Deno.test("customers whom only invoices name are on the Customers page, with what they paid", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const other = await world.addMerchant("Other");
  const invoice = (customer: string, owner = accountId) =>
    makeInvoice(deps, { accountId: owner, details: { customer } });
  await invoice("Ann & Ben");
  const { id } = await invoice("Ann & Ben");
  await invoice("Not mine", other.accountId);
  await deps.db.execute([{ sql: `UPDATE invoices SET status = 'paid' WHERE id = ${id}` }]);
  const read = async (path: string, token: string) => {
    const html = await (await dashboardFetch(url, { path, token })).text();
    return html.slice(html.indexOf("<main"));
  };
  const rowOf = (html: string, name: string) =>
    html.split("<tr>").find((row) => row.includes(name))?.replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ").trim();

  const { token } = await makeLogin(deps, { accountId });
  const page = await read("/customers", token);
  assert.equal(rowOf(page, "Ann &amp; Ben"), "Ann &amp; Ben 2 1 0 .01 ETH");
  assert.match(page, /data-l="Invoices">2</, "on a phone the number says what it counts");
  assert.ok(page.includes('href="/dashboard/invoices?customer=Ann+%26+Ben"'));
  assert.ok(!page.includes("Not mine") && !page.includes("All of them"));
  const list = await read("/invoices?customer=Ann+%26+Ben", token);
  assert.equal(list.split('class="at-title"').length - 1, 2, "the link leads to their invoices");

  for (let i = 0; i < NAMED; i++) await invoice(`customer-${String(i).padStart(2, "0")}`);
  const more = await read("/customers", token);
  assert.ok(more.includes("customer-08") && !more.includes("customer-09"));
  assert.ok(more.includes('href="/dashboard/customers/invoices"'), "the others are further on");
  assert.ok((await read("/customers/invoices", token)).includes("customer-11"));

  const operator = await makeLogin(deps);
  const all = await read("/customers/invoices", operator.token);
  assert.ok(all.includes(`href="/dashboard/invoices?customer=Not+mine&amp;account=2"`));
});
