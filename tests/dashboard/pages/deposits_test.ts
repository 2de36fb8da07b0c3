import assert from "node:assert/strict";
import { setNetwork } from "../../../src/networks/set.ts";
import { payByHand } from "../../../src/payouts/pay.ts";
import { refundsOfPayment } from "../../../src/refunds/of_payment.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { verifyAudit } from "../../../src/integrity/verify_audit.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { assertAccessible, keepScreenshot, startBrowser } from "../../support/dashboard/browser.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import {
  dashboardFetch,
  forgetProof,
  makeLogin,
  openAs,
  PASSWORD,
} from "../../support/dashboard/dashboard.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import { askForApprovals, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { makeStage } from "../../support/stage.ts";
import { payIn } from "../../support/sweeping.ts";
import { alertsOf, allocate, balanceOf } from "../../support/views.ts";
import { startWorld } from "../../support/world.ts";

const BY_HAND = { CPG_WORKER: "false" };

Deno.test("a deposit's page shows owner, chain and bookings, and updates by itself", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  await using browser = await startBrowser();
  const { deps, url, merchant: { api, accountId } } = world;
  const { address } = await allocate(api, { user: "customer 7" });
  const txHash = await payIn(world, { to: address, raw: ETHER });
  await world.round();
  const page = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
  await page.goto(`${url}/dashboard`);
  const confirming = page.getByRole("region", { name: "Latest payments" });
  await confirming.getByText("1 of 3 blocks").waitFor();
  await anvil.mine(1);
  await world.round();
  await confirming.getByText("2 of 3 blocks").waitFor();
  await page.goto(`${url}/dashboard/deposits?q=customer+7`);
  const row = page.getByRole("row").nth(1);
  assert.match(await row.innerText(), /customer 7[^]*1 ETH[^]*on its way[^]*2 of 3 blocks/);
  await row.getByRole("link", { name: "1", exact: true }).click();
  await page.getByRole("heading", { name: "customer 7", level: 1 }).waitFor();
  const text = await page.locator("main").innerText();
  for (const fact of ["customer 7", "The transaction's own value"]) {
    assert.ok(text.includes(fact), fact);
  }
  for (const whole of [address, txHash]) await page.getByTitle(whole).first().waitFor();
  assert.match(text, /In block \d+ .*confirmations: 2 of 3/s);
  assert.match(text, /On its way: credited as soon as it has enough confirmations/);
  const steps = page.locator(".timeline");
  const current = steps.locator("[aria-current=step]");
  assert.equal(await current.innerText(), "2 of 3 blocks");
  assert.equal(text.includes("Balance afterwards"), false);
  await settleAll(world);
  await page.getByText("Balance afterwards: 1 ETH").waitFor();
  const known = (await steps.getByRole("listitem").allInnerTexts())
    .map((said) => /^(In your wallet|\w+)/.exec(said)?.[1]);
  assert.deepEqual(known, ["Seen", "Credited", "In your wallet"]);
  assert.equal(await current.count(), 0);
  await page.evaluate(`document.querySelectorAll("details").forEach((it) => it.open = true)`);
  const ledger = await page.getByRole("region", { name: "Ledger" }).innerText();
  assert.match(ledger, /Deposit 1[^]*\+1[^]*1/);
  assert.match(
    await page.getByRole("region", { name: "Events" }).innerText(),
    /deposit\.confirmed[^]*no webhook receives it/,
  );
  await page.getByRole("link", { name: "customer 7" }).click();
  await page.getByRole("heading", { name: "customer 7" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Refund", exact: true }).click();
  await page.getByRole("heading", { name: "New payout" }).waitFor();
  const typed = ["Currency", "To address", "Amount", "Your reference"]
    .map((label) => page.getByLabel(label).inputValue());
  assert.deepEqual(await Promise.all(typed), ["ETH/ETH", "", "1", "refund-of-payment-1"]);
  await page.goBack();
  assert.equal(await page.getByRole("link", { name: "Reverse", exact: true }).count(), 0);
});

Deno.test("a payment without an invoice offers what is left of it to refund, and says what went back", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { api, accountId } } = world;
  const { address } = await allocate(api, { user: "customer 7" });
  await payIn(world, { to: address, raw: ETHER });
  await settleAll(world);
  await settleAll(world);
  const { token, user } = await makeLogin(deps, { accountId });
  const seen = async () => {
    const html = await (await dashboardFetch(url, { path: "/deposits/1", token })).text();
    const [, query = ""] = /withdrawals\/new\?([^"]*)">Refund</.exec(html) ?? [];
    const { amount, reference } = Object.fromEntries(
      new URLSearchParams(query.replaceAll("&amp;", "&")),
    );
    const text = html.slice(html.indexOf("<main")).replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ");
    return { offered: [amount, reference], text };
  };
  const pay = (amount: string, clientReference: string) =>
    payByHand(deps, {
      ...{ accountId, network: "ETH", currency: "ETH", toAddress: STRANGER, amount },
      ...{ clientReference, actor: `user:${user.id}` },
    });
  const listed = () =>
    Promise.all(["/", "/deposits", "/customers?user=customer+7"].map(async (path) => {
      const html = await (await dashboardFetch(url, { path, token })).text();
      return /deposits\/1"[^]*?class="status[^>]*>([^<]*)</.exec(html)?.[1];
    }));
  assert.deepEqual((await seen()).offered, ["1", "refund-of-payment-1"]);
  assert.deepEqual(await listed(), ["paid", "paid", "paid"]);
  await pay("0.4", "refund-of-payment-1");
  const sent = await seen();
  assert.deepEqual(sent.offered, ["0.6", "refund-of-payment-1-2"]);
  assert.match(sent.text, /A refund of it is under way\..* Refund asked for 0\.4 ETH on its way/);
  await settleAll(world);
  await settleAll(world);
  assert.match((await seen()).text, /partly refunded .*Part of it has been refunded\./);
  assert.deepEqual(await listed(), Array(3).fill("partly refunded"));
  await pay("0.6", "refund-of-payment-1-2");
  await settleAll(world);
  await settleAll(world);
  const { offered, text } = await seen();
  assert.deepEqual(offered, [undefined, undefined]);
  assert.match(text, / refunded .*All of it has been refunded\./);
  assert.deepEqual(await listed(), Array(3).fill("refunded"));
  assert.match(text, /Refunded 0\.4 ETH paid .* Refunded 0\.6 ETH paid /);
});

Deno.test("a refund that was not paid can be made again from the payment's page", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, accountId } } = world;
  const { address } = await allocate(api, { user: "customer 7" });
  await payIn(world, { to: address, raw: ETHER });
  await settleAll(world);
  await settleAll(world);
  await askForApprovals(deps);
  const paid = await payByHand(deps, {
    ...{ accountId, network: "ETH", currency: "ETH", toAddress: STRANGER, amount: "1" },
    ...{ clientReference: "refund-of-payment-1", actor: "test" },
  });
  const row = await deps.db.get(Transactions, [1]);
  const refunds = () => refundsOfPayment(deps, { row, invoiceId: undefined });
  const before = await refunds();
  assert.deepEqual([before.left.toString(), before.rows.length], ["0", 1]);
  assert.equal(paid.kind, "paid");
  await cancelWithdrawal(deps, { id: 1, actor: "test" });
  const { left, reference } = await refunds();
  assert.deepEqual([left.toString(), reference], ["1", "refund-of-payment-1-2"]);
});

Deno.test("an operator takes a deposit back once, after proving who they are and saying why", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  await using browser = await startBrowser();
  const { deps, url, merchant: { api } } = world;
  const { address } = await allocate(api, { user: "customer 7" });
  await payIn(world, { to: address, raw: ETHER });
  await settleAll(world);
  await settleAll(world);
  const login = await makeLogin(deps);
  await forgetProof(deps, login);
  const page = await openAs(browser, { url, login, isScriptOn: false });
  await page.goto(`${url}/dashboard/deposits/1`);
  await page.getByRole("link", { name: "Reverse", exact: true }).click();
  await page.getByRole("heading", { name: "Confirm it's you" }).waitFor();
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Reverse a deposit" }).waitFor();
  await page.getByLabel("Reason").fill("burnt by the token");
  await page.getByRole("button", { name: "Reverse" }).dblclick();
  await page.getByText("Reversed 1 ETH").waitFor();
  await page.locator(".timeline").getByText("Reversed", { exact: true }).waitFor();
  const reversed = page.getByRole("row").filter({ hasText: login.user.email });
  await reversed.getByText("Deposit reversed", { exact: true }).waitFor();
  await reversed.getByText("burnt by the token").waitFor();
  assert.equal(await page.getByRole("link", { name: "Reverse", exact: true }).count(), 0);
  assert.equal((await balanceOf(api)).balance, "0");
  const actor = `user:${login.user.id}`;
  const rows = await auditPage(deps.db, {
    actor,
    subject: "transaction:1",
    cursor: null,
    limit: 9,
  });
  assert.deepEqual(rows.map(({ action, ip }) => [action, ip]), [["deposit.reversed", "127.0.0.1"]]);
  assert.equal((await verifyAudit(deps)).brokenId, null);
  // A user with an older page gets a message, and nothing is booked again.
  await page.goto(`${url}/dashboard/deposits/1/reverse`);
  await page.getByLabel("Reason").fill("again");
  await page.getByRole("button", { name: "Reverse" }).click();
  await page.getByText("Deposit 1 is failed: only a confirmed deposit").waitFor();
  assert.equal((await balanceOf(api)).balance, "0");
});

Deno.test("unexplained coins are shown to the operator with their amount, and credited from there", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  await using browser = await startBrowser();
  const { deps, url, merchant: { api } } = world;
  await setNetwork(deps, { code: "ETH", change: { traces: "off" }, actor: "test" });
  const { address } = await allocate(api, { user: "customer 7" });
  const disperse = await deploy(anvil, { name: "Disperse" });
  await anvil.mine(3);
  await disperse.send("ether_", [[address], [3n * ETHER / 2n]], { valueRaw: 3n * ETHER / 2n });
  await settleAll(world);
  await reconcile(deps, { network: "ETH" });
  const login = await makeLogin(deps);
  const page = await openAs(browser, { url, login });
  await page.goto(`${url}/dashboard/deposits`);
  const unmatched = page.getByRole("region", { name: "Unexplained surplus" });
  assert.match(await unmatched.innerText(), new RegExp(`ETH ${address}`));
  await assertAccessible(page);
  await keepScreenshot(page, "operator-deposits-unmatched");
  await unmatched.getByRole("link", { name: "Review and credit" }).click();
  await page.getByText("Unexplained surplus: 1.5 ETH").waitFor();
  await assertAccessible(page);
  await keepScreenshot(page, "operator-deposits-credit-found");
  assert.equal(await page.getByLabel("Amount").inputValue(), "1.5");
  await page.getByLabel("Reason").fill("paid by a contract");
  await page.getByRole("button", { name: "Credit" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Credit" }).click();
  await page.getByText("Credited 1.5 ETH as deposit 1").waitFor();
  assert.equal(await page.getByText("Unexplained surplus").count(), 0);
  await page.goto(`${url}/dashboard/deposits/1`);
  await page.getByText("credited manually", { exact: true }).waitFor();
  await page.getByText("An operator credited it manually").waitFor();
  assert.equal((await balanceOf(api)).balance, "1.5");
  assert.deepEqual(await alertsOf(deps), []);
  const query = new URLSearchParams({ network: "ETH", currency: "ETH", address });
  await page.goto(`${url}/dashboard/deposits/credit?${query}`);
  await page.getByText("There is no unexplained surplus").waitFor();
});

Deno.test("an operator vouches for a deposit that a broken audit log proves nothing about", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  await using browser = await startBrowser();
  const { deps, url, merchant: { api, accountId } } = world;
  // First, because the log is about to lose its newest row, and test logins' rows have no time.
  const [own, operator] = [await makeLogin(deps, { accountId }), await makeLogin(deps)];
  await makeStage(world).unprovenDeposit();
  await settleAll(world);
  const merchant = await openAs(browser, { url, login: own });
  await merchant.goto(`${url}/dashboard/deposits/1`);
  await merchant.getByText("On its way").first().waitFor();
  assert.equal(await merchant.getByText("audit log").count(), 0);
  assert.equal((await merchant.goto(`${url}/dashboard/deposits/1/vouch`))?.status(), 404);
  const page = await openAs(browser, { url, login: operator, isScriptOn: false });
  await page.goto(`${url}/dashboard/deposits/1`);
  await page.getByText("Nothing proves that deposit 1 was not credited before").waitFor();
  await page.getByRole("link", { name: "Vouch" }).click();
  await page.getByRole("heading", { name: "Vouch for a deposit" }).waitFor();
  await page.getByLabel("Reason").fill("the shop got no webhook");
  await page.getByRole("button", { name: "Vouch" }).click();
  await page.getByText("The deposit will be credited within seconds").waitFor();
  await page.getByText("Vouched for a deposit", { exact: true }).waitFor();
  await settleAll(world);
  assert.equal((await balanceOf(api)).balance, "1");
});
