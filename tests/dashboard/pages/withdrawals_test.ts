import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { verifyAudit } from "../../../src/integrity/verify_audit.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startBrowser } from "../../support/dashboard/browser.ts";
import {
  dashboardFetch,
  forgetProof,
  makeLogin,
  openAs,
  PASSWORD,
} from "../../support/dashboard/dashboard.ts";
import { auditPayer, receivedBy, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { STRANGER } from "../../support/payers.ts";
import { makeStage } from "../../support/stage.ts";

async function order(page: Page, amount: string): Promise<void> {
  await page.getByLabel("To address").fill(STRANGER);
  await page.getByLabel("Amount").fill(amount);
  await page.getByRole("button", { name: "Pay out" }).click();
}

Deno.test("a manual withdrawal needs proof and confirmation, pays once, and is in the audit log", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const login = await makeLogin(deps, { accountId });
  await forgetProof(deps, login);
  const page = await openAs(browser, { url, login });
  await page.goto(`${url}/dashboard/withdrawals/new`);
  await page.getByRole("heading", { name: "Confirm it's you" }).waitFor();
  await page.getByLabel("Password").fill("not the password");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("That is not correct").waitFor();
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "New payout" }).waitFor();

  await order(page, "1000");
  await page.getByRole("dialog").getByRole("button", { name: "Pay out" }).click();
  await page.getByText("The available balance doesn't cover the amount and its fee").waitFor();
  assert.equal(await page.getByLabel("Amount").inputValue(), "1000");
  await order(page, "2.5");
  const asked = page.getByRole("dialog").getByRole("paragraph");
  assert.equal(
    await asked.innerText(),
    `Pay 2.5 ETH to\n${STRANGER}\nFee: 0.0126 ETH. 2.5126 ETH leave your balance. ` +
      "Payments to a wrong address can't be called back.",
  );
  assert.equal(await asked.locator("code").innerText(), STRANGER);
  await page.getByRole("dialog").getByRole("button", { name: "Go back" }).click();
  assert.equal((await deps.db.rows(Withdrawals, "")).length, 0);
  await page.getByRole("button", { name: "Pay out" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pay out" }).click();
  await page.getByText("The payout is on its way").waitFor();
  const pushes = ["Bump fee", "Resend", "Revoke"];
  for (const name of pushes) assert.equal(await page.getByRole("button", { name }).count(), 0);
  await setAccount(deps, { id: accountId, change: { mayPush: true }, actor: "test" });
  await page.reload();
  for (const name of pushes) assert.equal(await page.getByRole("button", { name }).count(), 1);
  await page.getByRole("button", { name: "Resend" }).click();
  await page.getByText(/^Sent again/).waitFor();

  await settleAll(world);
  await page.getByRole("listitem").getByText("Paid", { exact: true }).waitFor();
  assert.equal(await receivedBy(anvil, STRANGER), 25n * 10n ** 17n);
  const filter = {
    actor: `user:${login.user.id}`,
    subject: "withdrawal:1",
    cursor: null,
    limit: 9,
  };
  const actions = (await auditPage(deps.db, filter)).map(({ action, ip }) => [action, ip]);
  assert.deepEqual(actions.map(([action]) => action).toSorted(), [
    "withdrawal.requested",
    "withdrawal.resent",
    "withdrawal.sent",
  ]);
  assert.ok(actions.every(([, ip]) => ip === "127.0.0.1"));
  assert.equal((await verifyAudit(deps)).brokenId, null);
  await auditPayer(world);
});

Deno.test("a form sent twice pays once, and a reference used for something else is refused", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const { token } = await makeLogin(deps, { accountId });
  const form = {
    csrf: csrfOf(token),
    account: String(accountId),
    once: "of_one_page_only_123",
    asset: "ETH/ETH",
    to_address: STRANGER,
    amount: "1",
  };
  const post = async (change: Record<string, string>) => {
    const sent = { path: "/withdrawals/new", token, form: { ...form, ...change } };
    const answer = await dashboardFetch(url, sent);
    return `${answer.status} ${answer.headers.get("location") ?? await answer.text()}`;
  };
  const twice = await Promise.all([post({}), post({}), post({ amount: "1.0" })]);
  assert.deepEqual(new Set(twice), new Set(["303 /dashboard/withdrawals/1"]));
  assert.match(await post({ amount: "2" }), /^422 [^]*This form was already sent/);
  assert.match(await post({ once: "def", reference: "mine" }), /^303/);
  const other = await post({ once: "ghi", reference: "mine", amount: "2" });
  assert.match(other, /^422 [^]*already has the reference/);
  assert.equal((await deps.db.rows(Withdrawals, "")).length, 2);
});

Deno.test("a waiting withdrawal is cancelled, and its hold is released", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant } = world;
  const { accountId, credentials: { keyId } } = merchant;
  await createWithdrawal(deps, {
    caller: { accountId, keyId, actor: "test", signature: null },
    ...{ network: "ETH", currency: "ETH", toAddress: STRANGER, amount: "1", clientReference: "w" },
  });
  const page = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
  await page.goto(`${url}/dashboard/withdrawals/1`);
  await page.getByRole("button", { name: "Cancel payout" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel payout" }).click();
  await page.getByText("Cancelled. The held amount is released").waitFor();
  assert.equal(await page.getByRole("button", { name: "Cancel payout" }).count(), 0);
  await page.goto(`${url}/dashboard/balances`);
  const cells = await page.getByRole("row", { name: "ETH Ethereum" }).getByRole("cell")
    .allInnerTexts();
  assert.deepEqual(cells.slice(2, 5), ["100", "0", "100"]);
});

Deno.test("a sent withdrawal can't be cancelled, and bids higher when it is stuck", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  await setAccount(deps, { id: accountId, change: { mayPush: true }, actor: "test" });
  const page = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
  await page.goto(`${url}/dashboard/withdrawals/new`);
  await order(page, "1");
  await page.getByRole("dialog").getByRole("button", { name: "Pay out" }).click();
  await page.getByText("The payout is on its way").waitFor();
  assert.equal(await page.getByRole("button", { name: "Cancel payout" }).count(), 0);
  await page.getByRole("button", { name: "Bump fee" }).click();
  await page.getByText("The payment was sent again with a higher fee").waitFor();
  assert.equal(await page.getByText("Payment signed").count(), 2);
});

Deno.test("a merchant may push only if the operator allowed it, whatever is sent", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const { token } = await makeLogin(deps, { accountId });
  const id = await makeStage(world).sentWithdrawal();
  const push = async (name: string) => {
    const path = `/withdrawals/${id}/${name}`;
    const answer = await dashboardFetch(url, { path, token, form: { csrf: csrfOf(token) } });
    return { status: answer.status, text: await answer.text() };
  };
  const { txHash } = (await deps.db.find(Withdrawals, [id]))!;
  for (const name of ["bump", "resend", "revoke"]) {
    const { status, text } = await push(name);
    assert.equal(status, 422, name);
    assert.match(text, /Only the operator can do this for your account/);
  }
  assert.equal((await deps.db.find(Withdrawals, [id]))!.txHash, txHash);
  await setAccount(deps, { id: accountId, change: { mayPush: true }, actor: "test" });
  for (const name of ["bump", "resend", "revoke"]) {
    assert.equal((await push(name)).status, 303, name);
  }
});

Deno.test("the list and its CSV show one time, and a payout its requester and ledger entries", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const { token } = await makeLogin(deps, { accountId, email: "ann@example.com" });
  const { token: operator } = await makeLogin(deps);
  const id = await makeStage(world).sentWithdrawal();
  const get = async (path: string, as = token) =>
    await (await dashboardFetch(url, { path, token: as })).text();
  const day = new Date(deps.clock.nowMs()).toISOString().slice(0, 10);
  for (const as of [token, operator]) {
    for (const path of ["/withdrawals", "/withdrawals/export.csv"]) {
      assert.match(
        await get(`${path}?until=${day}&account=${accountId}`, as),
        new RegExp(STRANGER.slice(0, 8)),
      );
      assert.doesNotMatch(
        await get(`${path}?until=2026-01-01`, as),
        new RegExp(STRANGER.slice(0, 8)),
      );
      assert.doesNotMatch(
        await get(`${path}?from=2999-01-01`, as),
        new RegExp(STRANGER.slice(0, 8)),
      );
    }
  }
  const shown = await get(`/withdrawals/${id}`);
  assert.match(shown, /Requested by[^]*API key/);
  assert.match(shown, /Whole ledger[^]*Held for payout/);
  const form = {
    ...{ csrf: csrfOf(token), account: String(accountId), once: "abc", asset: "ETH/ETH" },
    ...{ to_address: STRANGER, amount: "1" },
  };
  const paid = await dashboardFetch(url, { path: "/withdrawals/new", token, form });
  const path = paid.headers.get("location")!.replace("/dashboard", "");
  assert.match(await get(path), /Requested by[^]*ann@example\.com/);
});
