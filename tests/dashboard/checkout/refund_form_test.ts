import assert from "node:assert/strict";
import { addPolicy, removePolicy } from "../../../src/policies/manage.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { Policies } from "../../../src/policies/table.ts";
import { ApprovalRequests } from "../../../src/approvals/table.ts";
import { Refunds } from "../../../src/refunds/table.ts";
import { AuditLog } from "../../../src/audit/table.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { partlyPaidInvoice } from "../../support/checkout/invoices.ts";
import { assertAccessible, assertFits, startBrowser } from "../../support/dashboard/browser.ts";
import {
  dashboardFetch,
  forgetProof,
  makeLogin,
  openAs,
} from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { askForApprovals, startPayingWorld } from "../../support/payouts.ts";

const PAYERS = `0x${"b0".repeat(20)}`;

Deno.test("a refund form offers what is left, pays once, obeys rules, and makes links to be approved", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const { id } = await partlyPaidInvoice(world);
  const login = await makeLogin(deps, { accountId, role: "finance" });
  const page = await openAs(browser, { url, login });
  await page.setViewportSize({ width: 390, height: 800 });
  const [payment] = await deps.db.rows(Transactions, "");
  await page.goto(`${url}/dashboard/deposits/${payment?.id}`);
  await page.getByRole("link", { name: `Invoice ${id}` }).waitFor();
  await page.getByRole("link", { name: "Refund", exact: true }).click();
  await page.getByRole("heading", { name: `Refund invoice ${id}` }).waitFor();
  assert.equal(await page.getByLabel("Amount", { exact: true }).inputValue(), "0.004");
  await assertAccessible(page);
  await assertFits(page);
  await page.getByLabel("To address").fill("0x12");
  const asked = page.getByRole("dialog");
  const amount = page.getByLabel("Amount", { exact: true });
  await amount.fill("0,0041");
  await page.getByRole("button", { name: "Refund", exact: true }).click();
  await asked.getByText("Refund 0,0041 ETH to").waitFor();
  await asked.getByText("Fee: 0.0001205 ETH. 0.0042205 ETH leave your balance.").waitFor();
  await asked.getByRole("button", { name: "Refund" }).click();
  await page.getByText("This is not an address of that network").waitFor();
  await page.getByText("This is more than what was credited for the invoice").waitFor();
  assert.deepEqual(await deps.db.rows(Withdrawals, ""), []);

  const { token } = login;
  const send = async (path: string, change: Record<string, string>, as = token) => {
    const form = {
      ...{ csrf: csrfOf(as), asset: "ETH/ETH", once: "o", to_address: STRANGER, amount: "0.001" },
      ...change,
    };
    const answer = await dashboardFetch(url, { path: `/invoices/${id}/${path}`, token: as, form });
    const text = (await answer.text()).replaceAll("&#39;", "'").replaceAll("&quot;", '"');
    return { status: answer.status, to: answer.headers.get("location"), text };
  };
  for (let i = 0; i < 2; i++) {
    const again = await send("refund", { reference: "return-7", once: `o${i}` });
    assert.equal(again.to, "/dashboard/withdrawals/1");
  }
  assert.match(
    (await send("refund", { reference: "return-7", amount: "0.002" })).text,
    /return-7/,
  );
  const [paid] = await deps.db.rows(Withdrawals, "");
  assert.deepEqual([paid?.status, paid?.amount], ["broadcasted", "0.001"]);
  assert.equal(paid?.clientReference, "return-7");
  assert.deepEqual((await deps.db.list(Refunds, { invoiceId: id })).length, 1);
  const said = await deps.db.list(AuditLog, { subject: `invoice:${id}` });
  const by = (action: string) => said.find((entry) => entry.action === action)?.actor;
  assert.equal(by("invoice.refunded"), `user:${login.user.id}`);
  await page.goto(`${url}/dashboard/invoices/${id}/refund?coin=ETH%2FETH`);
  assert.equal(await page.getByLabel("Amount", { exact: true }).inputValue(), "0.003");
  await addPolicy(deps, {
    ...{ label: "Never so much", accountId, keyId: null, network: null, currency: "ETH" },
    ...{ each: null, condition: "max_payment", cap: "0.002", outcome: "refuse", approvals: 1 },
    ...{ expiresMs: 1, setBy: "operator", actor: "test" },
  });
  const refused = await send("refund", { once: "p", amount: "0.003" });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /The rule "Never so much" refuses this payout/);

  const { text } = await send("refund-link", { link_amount: "0.002" });
  const [, path] = /(\/refund\/[\w-]{22})</.exec(text) ?? assert.fail("No link");
  assert.match((await send("refund-link", { link_amount: "0.0031" })).text, /still left to refund/);
  await askForApprovals(deps);
  const body = new URLSearchParams({ address: PAYERS });
  const given = await fetch(url + path, { method: "POST", body, redirect: "manual" });
  assert.equal(given.status, 303, await given.text());
  const [request] = await deps.db.rows(ApprovalRequests, "");
  // Who made the link doesn't approve it alone.
  assert.equal(request?.requestedBy, `user:${login.user.id}`);
  const { toAddress, approval } = await deps.db.get(Withdrawals, [2]);
  assert.deepEqual([toAddress.toLowerCase(), approval], [PAYERS, "waiting"]);
  for (
    const [path, said] of [
      [`invoices/${id}`, `Refunded 0.001 ETH by ${login.user.email}`],
      [`invoices/${id}`, `Refund link made for 0.002 ETH by ${login.user.email}`],
      [`invoices/${id}`, "Refund asked for 0.002 ETH by the payer"],
      ["withdrawals/2", "Requested by\nthe payer"],
      ["inbox", `The payer, by a link of ${login.user.email}`],
    ] as const
  ) {
    await page.goto(`${url}/dashboard/${path}`);
    assert.ok((await page.locator("main").innerText()).includes(said), said);
  }
  await page.goto(`${url}/dashboard/invoices/${id}/refund`);
  assert.equal(await page.getByLabel("Amount", { exact: true }).inputValue(), "0.001");

  for (const row of await deps.db.rows(Policies, "")) {
    await removePolicy(deps, { id: row.id, actor: "test" });
  }
  const { text: shown } = await send("refund-link", { link_amount: "0.001" });
  const [, last] = /(\/refund\/[\w-]{22})</.exec(shown) ?? assert.fail("No link");
  assert.equal((await fetch(url + last, { method: "POST", body, redirect: "manual" })).status, 303);
  const unruled = await deps.db.get(ApprovalRequests, [3]);
  assert.equal(unruled.requestedBy, null, "without a rule whoever made the link may approve it");
  for (const path of ["withdrawals/3", "inbox"]) {
    await page.goto(`${url}/dashboard/${path}`);
    const said = (await page.locator("main").innerText()).split(login.user.email).length - 1;
    assert.equal(said, path === "inbox" ? 2 : 1, "and those who may approve read who it was");
  }

  const stranger = await makeLogin(deps, {
    accountId: (await world.addMerchant("Other")).accountId,
  });
  assert.equal((await send("refund", { once: "q" }, stranger.token)).status, 404);
  await forgetProof(deps, login);
  assert.match((await send("refund", { once: "r" })).to ?? "", /^\/dashboard\/prove/);
});
