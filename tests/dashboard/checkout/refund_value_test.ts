import assert from "node:assert/strict";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { addSource, removeSource } from "../../../src/rates/manage.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { makeInvoice, partlyPaidInvoice } from "../../support/checkout/invoices.ts";
import { assertAccessible, assertFits, startBrowser } from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { startPayingWorld } from "../../support/payouts.ts";

const ETH = "ETH/ETH";

Deno.test("a refund in euros is sent in coins, at the price that the payment counted for", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const price = (value: string) =>
    addSource(deps, { base: "ETH", quote: "EUR", kind: "manual", value, actor: "test" });
  const source = await price("2400");
  const { id } = await partlyPaidInvoice(world, {}, { amount: "25", currency: "EUR" });
  await removeSource(deps, { id: source.id, actor: "test" });
  await price("9999");
  const login = await makeLogin(deps, { accountId, role: "finance" });
  const { token } = login;
  const at = async (path: string, form?: Record<string, string>) => {
    const sent = form && { form: { ...form, csrf: csrfOf(token) } };
    const answer = await dashboardFetch(url, { path, token, ...sent });
    const text = (await answer.text()).replaceAll("&#39;", "'");
    const amountIn = (name: string) =>
      new RegExp(`<input[^>]*name="${name}"[^>]*? value="([^"]*)"`).exec(text)?.[1];
    return { status: answer.status, to: answer.headers.get("location"), text, amountIn };
  };
  const page = `/invoices/${id}/refund`;
  const convert = (value: string) => at(`${page}-value`, { asset: ETH, value });

  const first = await at(page);
  assert.match(first.text, /0\.004 ETH left to refund counted for €9\.60\./);
  assert.equal(first.amountIn("amount"), "0.004");
  for (
    const [typed, said] of [
      ["", /Must be a plain decimal number greater than 0/],
      ["0", /Must be a plain decimal number greater than 0/],
      ["1,000.5", /without thousands separators/],
      ["0.000000000000000001", /less than the smallest unit of ETH/],
    ] as const
  ) {
    const refused = await convert(typed);
    assert.equal(refused.status, 422, typed);
    assert.match(refused.text, said);
    assert.equal(refused.amountIn("value"), typed);
  }
  // 1 / 2400, cut off after 18 decimals.
  const { to } = await convert("1,00");
  assert.equal(to, `/dashboard/invoices/${id}/refund?coin=ETH%2FETH&value=1`);
  const shown = await at(to!.slice("/dashboard".length));
  const coins = "0.000416666666666666";
  assert.ok(shown.text.includes(`€1.00 = ${coins} ETH`));
  assert.deepEqual([shown.amountIn("amount"), shown.amountIn("link_amount")], [coins, coins]);
  assert.equal(shown.amountIn("value"), "1");

  const phone = await openAs(browser, { url, login });
  await phone.setViewportSize({ width: 360, height: 800 });
  await phone.goto(`${url}/dashboard${page}`);
  await phone.getByLabel("Amount in EUR").fill("1");
  await phone.getByRole("button", { name: "Convert" }).click();
  await phone.getByText(`€1.00 = ${coins} ETH`).waitFor();
  await assertAccessible(phone);
  await assertFits(phone);
  await phone.getByLabel("To address").fill(STRANGER);
  await phone.getByRole("button", { name: "Refund", exact: true }).click();
  await phone.getByRole("dialog").getByText(`Refund ${coins} ETH to`).waitFor();
  assert.deepEqual(await deps.db.rows(Withdrawals, ""), []);

  // It stays while the rest is corrected.
  const order = { asset: ETH, once: "o", to_address: "0x12", amount: coins, value: "1" };
  const again = await at(page, order);
  assert.equal(again.status, 422);
  assert.match(again.text, /This is not an address of that network/);
  assert.ok(again.text.includes(`€1.00 = ${coins} ETH`));
  const sent = await at(page, { ...order, to_address: STRANGER });
  assert.equal(sent.to, "/dashboard/withdrawals/1");
  assert.deepEqual((await deps.db.rows(Withdrawals, "")).map(({ amount }) => amount), [coins]);

  // More than is left meets the limit of any refund.
  const { to: more } = await convert("10");
  const tooMuch = (await at(more!.slice("/dashboard".length))).amountIn("amount")!;
  assert.equal(tooMuch, "0.004166666666666666");
  const refused = await at(page, { ...order, once: "p", to_address: STRANGER, amount: tooMuch });
  assert.match(refused.text, /This is more than what was credited for the invoice/);
});

Deno.test("an invoice in the coin itself has nothing to convert", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const { id } = await partlyPaidInvoice(world);
  const { id: unpaid } = await makeInvoice(deps, { accountId });
  const { token } = await makeLogin(deps, { accountId });
  const path = `/invoices/${id}/refund`;
  const html = await (await dashboardFetch(url, { path, token })).text();
  assert.match(html, /name="amount"/);
  assert.doesNotMatch(html, /name="value"/);
  for (const one of [id, unpaid]) {
    const form = { csrf: csrfOf(token), asset: ETH, value: "1" };
    const sent = { path: `/invoices/${one}/refund-value`, token, form };
    const answer = await dashboardFetch(url, sent);
    assert.match(await answer.text(), /What was paid has no price in ETH/);
  }
});
