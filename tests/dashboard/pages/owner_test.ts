import assert from "node:assert/strict";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { addSource } from "../../../src/rates/manage.ts";
import { partlyPaidInvoice } from "../../support/checkout/invoices.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startPayingWorld } from "../../support/payouts.ts";

const DETAILS = { reference: "1042", description: "Book", customer: "Ann" };

Deno.test("an owner reads in their own currency what is theirs and what came in, with the coins below", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const { token } = await makeLogin(deps, { accountId });
  const seen = async (path: string) => {
    const html = await (await dashboardFetch(url, { path, token })).text();
    const text = html.slice(html.indexOf("<main")).replaceAll(/<\/?i>/g, "");
    return text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  };
  assert.doesNotMatch(await seen(""), /at the prices of now/);
  const price = { kind: "manual", actor: "test" } as const;
  await addSource(deps, { ...price, base: "ETH", quote: "EUR", value: "2000" });
  await setAccount(deps, { id: accountId, change: { reporting: "EUR" }, actor: "test" });
  const { id } = await partlyPaidInvoice(world, DETAILS);
  const home = await seen("");
  assert.match(home, /Your money Balances €200,008\.00 at the prices of now/);
  assert.match(home, /What came in .* €8\.00 in 30 days, more than the 30 days before/);
  const line = /Order 1042 · Book · Ann €8\.00 0\.004 ETH/;
  for (const text of [home, await seen("/deposits")]) assert.match(text, line);
  assert.match(
    await seen("/balances"),
    /€200,008\.00 at the prices of now .*€200,008\.00 100\.004 /,
  );
  assert.doesNotMatch(home, /Blocks behind/);
  const payment = await seen("/deposits/1");
  assert.match(payment, /Order 1042 · Book · Ann .*€8\.00 0\.004 ETH partly paid Credited/);
  assert.match(payment, new RegExp(`Invoice ${id} : 1042, Book`));
});

Deno.test("who chose no currency reads what payments count for in their invoices, or what they are worth now", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const { token } = await makeLogin(deps, { accountId });
  const price = { kind: "manual", actor: "test" } as const;
  await addSource(deps, { ...price, base: "ETH", quote: "USD", value: "2500" });
  await addSource(deps, { ...price, base: "ETH", quote: "EUR", value: "2000" });
  await partlyPaidInvoice(world, DETAILS);
  const asked = { amount: "20", currency: "EUR" };
  const { id } = await partlyPaidInvoice(world, { reference: "1043" }, asked);
  const seen = async () => {
    const html = await (await dashboardFetch(url, { path: "/deposits", token })).text();
    return html.replaceAll(/<\/?i>/g, "").replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  };
  const text = await seen();
  assert.match(text, /Order 1043 €8\.00 0\.004 ETH/);
  assert.match(text, /Order 1042 · Book · Ann about \$10\.00 0\.004 ETH/);
  await deps.db.execute([{ sql: `UPDATE invoices SET amount = '40' WHERE id = ${id}` }]);
  assert.match(await seen(), /Order 1043 about \$10\.00 0\.004 ETH/, "somebody else wrote it");
});

Deno.test("what can be done is found by its name, and a refund by its order, by those who may", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const { id } = await partlyPaidInvoice(world, DETAILS);
  const owner = await makeLogin(deps, { accountId });
  const viewer = await makeLogin(deps, { accountId, role: "viewer" });
  const search = async ({ token }: { token: string }, q: string, list = "") => {
    const path = `/search?q=${encodeURIComponent(q)}${list}`;
    const answer = await dashboardFetch(url, { path, token });
    return answer.headers.get("location") ?? await answer.text();
  };
  const refund = `/dashboard/invoices/${id}/refund`;
  assert.equal(await search(owner, "refund 1042"), refund);
  assert.equal(await search(owner, "Payouts"), "/dashboard/withdrawals");
  const shown = await search(owner, "refund 1042", "&list");
  assert.match(shown, new RegExp(`<a href="${refund}">\\s*<strong>Refund Order 1042 · Book · Ann`));
  assert.match(await search(owner, "new inv"), /href="\/dashboard\/invoices\/new"/);
  assert.doesNotMatch(await search(viewer, "refund 1042"), /invoices\/\d+\/refund/);
  assert.doesNotMatch(await search(viewer, "new inv"), /"\/dashboard\/invoices\/new"/);
  assert.doesNotMatch(await search(owner, "stop all"), /"\/dashboard\/stop"/);
});
