import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { addPayee } from "../../../src/payees/payees.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import type { Role } from "../../../src/access/rules/roles.ts";
import { Balances } from "../../../src/books/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { keepScreenshot, startBrowser } from "../../support/dashboard/browser.ts";
import {
  dashboardFetch,
  type Login,
  makeLogin,
  openAs,
} from "../../support/dashboard/dashboard.ts";
import { STRANGER } from "../../support/payers.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";
import { askForApprovals } from "../../support/payouts.ts";

const [PAGE, APPROVE, REJECT] = ["", "/approve", "/reject"].map((end) => `/withdrawals/1${end}`);

/** A payout that a merchant asked for, and that waits for two approvals by operators. */
async function startWaiting(amount = "5") {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const { accountId, credentials: { keyId } } = await makeMerchant(gateway);
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount: "9000", note: "test", actor: "test" });
  await askForApprovals(deps, 2);
  const login = (role: Role, name: string) => {
    const owner = role === "operator" || role === "approver" ? null : accountId;
    return makeLogin(deps, { role, accountId: owner, email: `${name}@example.com` });
  };
  const asker = await login("operator", "asker");
  await createWithdrawal(deps, {
    caller: { accountId, keyId, actor: `user:${asker.user.id}`, signature: null },
    ...{ network: "ETH", currency: "ETH", toAddress: STRANGER, amount, clientReference: "a" },
  });
  const ask = async ({ token }: Login, path = PAGE!, form?: Record<string, string>) => {
    const sent = { path, token, ...form && { form: { csrf: csrfOf(token), ...form } } };
    const answer = await dashboardFetch(url, sent);
    return { status: answer.status, text: await answer.text() };
  };
  return { gateway, deps, accountId, login, asker, ask };
}

Deno.test("those whose approval counts can approve on the payout's page, each once", async () => {
  const { gateway, deps, login, asker, ask } = await startWaiting();
  await using _ = gateway;
  const isOffered = async (who: Login) => (await ask(who)).text.includes("Approve</button>");
  const [one, two] = [await login("approver", "one"), await login("operator", "two")];
  for (const role of ["merchant", "finance", "viewer"] as const) {
    assert.equal(await isOffered(await login(role, role)), false, role);
  }
  assert.deepEqual([await isOffered(asker), await isOffered(one)], [false, true]);
  const isOnHome = async (who: Login) => (await ask(who, "/")).text.includes("One decision waits");
  assert.deepEqual([await isOnHome(asker), await isOnHome(one)], [false, true]);
  const own = await ask(asker, APPROVE, {});
  assert.equal(own.status, 422);
  assert.match(own.text, /Somebody else must approve payout 1/);
  assert.equal((await ask(one, APPROVE, {})).status, 303);
  assert.match((await ask(one)).text, /You have approved it/);
  const { text } = await ask(two);
  assert.match(text, /1 of 2 approvals/);
  assert.equal((await ask(two, APPROVE, {})).status, 303);
  assert.equal((await deps.db.get(Withdrawals, [1])).approval, "approved");
  assert.equal(await isOffered(two), false);
});

Deno.test("a payout is rejected on its page with a reason, and its money is available again", async () => {
  const { gateway, deps, accountId, login, ask } = await startWaiting();
  await using _ = gateway;
  const approver = await login("approver", "one");
  const without = await ask(approver, REJECT, { reason: " " });
  assert.equal(without.status, 422);
  assert.match(without.text, /Must be a text of 1 to 500 characters/);
  assert.equal((await ask(approver, REJECT, { reason: "Unknown recipient" })).status, 303);
  assert.equal((await deps.db.get(Withdrawals, [1])).status, "cancelled");
  assert.equal((await deps.db.get(Balances, [accountId, "ETH", "ETH"])).held, "0");
  assert.equal((await ask(approver, APPROVE, {})).status, 422);
});

Deno.test("a payout's page says before its button what speaks against it", async () => {
  const { gateway, deps, accountId, login, ask } = await startWaiting();
  await using _ = gateway;
  const known = STRANGER.slice(0, 6) + "7".repeat(32) + STRANGER.slice(-4);
  const payee = { accountId, network: "ETH", address: known, label: "Known", usableAfterMs: 0 };
  await addPayee(deps, { ...payee, actor: "test" });
  const { text } = await ask(await login("approver", "one"));
  const before = text.slice(0, text.indexOf("Approve</button>"));
  const facts = [known, "Not a listed payee", "asker@example.com", "Never", "No payouts"];
  assert.deepEqual(facts.filter((fact) => !before.includes(fact)), []);
});

Deno.test("an approver is asked with a readable amount, and the address on a line of its own", async () => {
  const { gateway, login } = await startWaiting("2500.5");
  await using _ = gateway;
  await using browser = await startBrowser();
  const page = await openAs(browser, { url: gateway.url, login: await login("approver", "one") });
  for (const isPhone of [false, true]) {
    await page.setViewportSize({ width: isPhone ? 360 : 1280, height: 800 });
    await page.goto(`${gateway.url}/dashboard${PAGE}`);
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    const dialog = page.getByRole("dialog");
    const question = dialog.locator("#question");
    assert.deepEqual((await question.innerText()).split(/\n+/), [
      "Pay 2,500.5 ETH",
      STRANGER,
      "not a listed payee",
      "a",
      "All payouts",
    ]);
    const named = question.locator("[data-name]");
    const names = await named.evaluateAll((all) => all.map((it) => it.getAttribute("data-name")));
    assert.deepEqual(names, ["Known since: ", "Reference: ", "Rule: "]);
    const agreed = dialog.getByRole("button", { name: "Approve" });
    assert.doesNotMatch((await agreed.getAttribute("class"))!, /danger/);
    assert.equal(await dialog.locator("code").textContent(), STRANGER);
    await keepScreenshot(page, `approve-${isPhone ? "phone" : "desk"}`);
    await dialog.getByRole("button", { name: "Go back" }).click();
  }
});
