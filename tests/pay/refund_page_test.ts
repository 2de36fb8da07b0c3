import { judgeDue } from "../../src/invoices/judge_due.ts";
import assert from "node:assert/strict";
import { approveWithdrawal } from "../../src/approvals/approve.ts";
import { setCurrency } from "../../src/networks/currencies.ts";
import { present } from "../../src/base/assert.ts";
import { LANGUAGES } from "../../src/invoices/rules/languages.ts";
import { Withdrawals } from "../../src/withdrawals/table.ts";
import { partlyPaidInvoice } from "../support/checkout/invoices.ts";
import { payInside } from "../support/checkout/pay_inside.ts";
import { assertAccessible, assertFits, startBrowser } from "../support/dashboard/browser.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { STRANGER } from "../support/payers.ts";
import { startGateway } from "../support/gateway.ts";
import { settleAll, startPayingWorld } from "../support/payouts.ts";

const WEIGHT_MAX = 51_200;
const CLI = { person: "cli", actor: "cli", user: undefined };

Deno.test("a payer says on a phone where to refund, in any language, below the minimum too", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api }, url: base } = world;
  const { id } = await partlyPaidInvoice(world);
  const change = { minWithdrawalAmount: "1" };
  await setCurrency(deps, { network: "ETH", symbol: "ETH", change, actor: "test" });
  const asked = { network: "ETH", currency: "ETH", amount: "0.004" };
  const plain = await api.post("/v1/withdrawals", { ...asked, to_address: STRANGER });
  assert.equal(plain.body.error.code, "amount_below_minimum");
  const { body } = await api.post(`/v1/invoices/${id}/refund-links`, asked);
  const url = base + new URL(body.data.url).pathname;

  for (const language of LANGUAGES) {
    const answer = await fetch(`${url}?lang=${language}`);
    const html = await answer.text();
    assert.match(html, new RegExp(`<html lang="${language}"`));
    assert.ok(html.length < WEIGHT_MAX && !/\{\w+\}/.test(html), language);
  }
  await using browser = await startBrowser();
  const page = await browser.open({ isPhone: true });
  await page.goto(url);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await assertAccessible(page);
  }
  await page.setViewportSize({ width: 320, height: 700 });
  await assertFits(page);
  await page.fill("#address", STRANGER);
  const field = "document.querySelector('#address')";
  const [whole, seen] = await page.evaluate<number[]>(
    `[${field}.scrollHeight, ${field}.clientHeight]`,
  );
  assert.ok(whole! <= seen!, "An address can be read in its field");
  await page.fill("#address", "0x1234567890");
  await page.click("button.button");
  await page.getByText("This is not an address on").waitFor();
  await assertAccessible(page);
  assert.equal(await page.inputValue("#address"), "0x1234567890");
  await page.fill("#address", ` ${STRANGER.replace(/.{4}/g, "$& ")} `);
  await page.click("button.button");
  await page.getByText("Thank you. Acme checks this").waitFor();
  await page.getByText("0.004 ETH").waitFor();
  await assertFits(page);
  assert.equal(await page.locator("#address").count(), 0);
  const [row, ...more] = await deps.db.rows(Withdrawals, "ORDER BY id");
  assert.deepEqual([row!.toAddress, row!.approval, more.length], [STRANGER, "waiting", 0]);
});

Deno.test("checkout 5: a payer's page says how much went back, when, and in which transaction", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api }, url: base } = world;
  const { id, token } = await partlyPaidInvoice(world);
  const seen = async (path: string) => {
    const html = await (await fetch(base + path)).text();
    return html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  };
  const payer = () => seen(`/pay/${token}?lang=en`);
  const asked = { network: "ETH", currency: "ETH" };
  const wish = { ...asked, amount: "0.003", to_address: STRANGER };
  const refund = await api.post(`/v1/invoices/${id}/refunds`, wish);
  assert.equal(refund.status, 200);
  assert.doesNotMatch(await payer(), /Refund/, "It is under way");
  await settleAll(world);
  await judgeDue(deps);
  const [first] = await deps.db.rows(Withdrawals, "ORDER BY id");
  const day = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" })
    .format(present(first?.confirmedAtMs, "It is confirmed"));
  const part = await payer();
  assert.ok(part.includes("Partly refunded."), part);
  const [, when] =
    new RegExp(`Refund (${day} at .*? UTC) 0.003 ETH · Ethereum ${first?.txHash}`).exec(part) ??
      assert.fail(part);
  assert.match(when!, /\d:\d\d/);
  assert.ok(!part.includes(STRANGER), "Where to is between the payer and the shop");

  const { body } = await api.post(`/v1/invoices/${id}/refund-links`, { ...asked, amount: "0.001" });
  const { pathname } = new URL(body.data.url);
  const form = new URLSearchParams({ address: STRANGER });
  await (await fetch(base + pathname, { method: "POST", body: form })).body?.cancel();
  assert.match(await seen(`${pathname}?lang=en`), /Acme checks this and then sends it/);
  await approveWithdrawal(deps, { id: 2, decider: CLI });
  await settleAll(world);
  await settleAll(world);
  await judgeDue(deps);
  const second = await deps.db.get(Withdrawals, [2]);
  const link = await seen(`${pathname}?lang=en`);
  assert.match(
    link,
    new RegExp(`Refunded\\. .*Refund .* UTC 0.001 ETH · Ethereum ${second.txHash}`),
  );
  assert.doesNotMatch(link, /checks this/);
  const whole = await payer();
  for (const row of [first!, second]) {
    assert.ok(whole.includes(`${row.amount} ETH · Ethereum ${row.txHash}`));
  }
  assert.doesNotMatch(whole, /Partly/);
});

Deno.test("one place says 60 addresses a minute, and other places aren't held up by it", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const ask = payInside(gateway);
  const path = `/refund/${"A".repeat(22)}`;
  const asked = Array.from({ length: 70 }, () => ask("192.0.2.1", path, "POST"));
  const counts = Map.groupBy(await Promise.all(asked), (status) => status);
  assert.deepEqual([counts.get(404)?.length, counts.get(429)?.length], [60, 10]);
  assert.equal(await ask("192.0.2.2", path, "POST"), 404);
  assert.equal(await ask("192.0.2.1", path), 404);
});
