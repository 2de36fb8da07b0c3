import assert from "node:assert/strict";
import { receivingWalletSet } from "../../../src/accounts/receiving_wallet.ts";
import { revokeApiKey } from "../../../src/access/manage_api_keys.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { raiseAlert } from "../../../src/books/alerts.ts";
import { addPolicy } from "../../../src/policies/manage.ts";
import { addPayee, payeeAdd } from "../../../src/payees/payees.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { Payees } from "../../../src/payees/table.ts";
import { Proposals } from "../../../src/proposals/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import {
  assertAccessible,
  assertFits,
  keepScreenshot,
  startBrowser,
} from "../../support/dashboard/browser.ts";
import {
  dashboardFetch,
  forgetProof,
  makeLogin,
  makeSession,
  makeUser,
  openAs,
  PASSWORD,
} from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { makePerson, proposed } from "../../support/people/proposals.ts";
import { makeStage } from "../../support/stage.ts";
import type { World } from "../../support/world.ts";

const DAY_MS = 86_400_000;
const PHONE = { width: 390, height: 844 };
/** Begins and ends like the stranger's. */
const ALIKE = STRANGER.slice(0, 6) + "7".repeat(32) + STRANGER.slice(-4);

/** Asked for with an API key. */
async function heldOf({ merchant: { api } }: World, reference: string): Promise<number> {
  const order = { network: "ETH", currency: "ETH", to_address: STRANGER, amount: "1" };
  const { body } = await api.post("/v1/withdrawals", { ...order, client_reference: reference });
  return body.data.withdrawal_id;
}

Deno.test("everything that waits for a decision is on one screen, and decided there", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const stage = makeStage(world);
  await stage.sentWithdrawal();
  await addPolicy(deps, {
    ...{ label: "Two people", accountId, keyId: null, network: null, currency: null, each: null },
    ...{ condition: "always", cap: null, outcome: "approve", approvals: 1 },
    ...{ expiresMs: DAY_MS, setBy: "operator", actor: "test" },
  });
  const place = { accountId, network: "ETH", address: STRANGER };
  await addPayee(deps, { ...place, label: "Known shop", usableAfterMs: 0, actor: "test" });
  const [held, refused] = [await heldOf(world, "held"), await stage.waitingWithdrawal()];
  const order = { email: "me@example.com", role: "operator", accountId: null } as const;
  const user = await makeUser(deps, { ...order, actor: "test" });
  const login = { user, token: await makeSession(deps, user) };
  const ann = await makePerson(deps, { role: "operator", name: "ann", accountId: null });
  await makePerson(deps, { role: "approver", name: "bob", accountId: null });
  await setAccount(deps, { id: accountId, change: { dualControl: true }, actor: "test" });
  const payee = { accountId, network: "ETH", label: "Supplier", usableAfterMs: DAY_MS };
  const wanted = { ...payee, address: ALIKE };
  const id = await proposed(deps, payeeAdd, { wanted, by: ann });
  await raiseAlert(deps, { kind: "network_silent", subject: "network:ETH", message: "No answer" });

  const page = await openAs(browser, { url, login });
  await page.goto(`${url}/dashboard`);
  await page.getByRole("link", { name: "Inbox: 3 to decide" }).click();
  await page.getByRole("heading", { name: "Inbox: 3 to decide", level: 1 }).waitFor();
  const payout = await page.locator(`#payout-${held}`).innerText();
  assert.match(payout, /Two people/);
  assert.match(payout, /Known shop/);
  assert.match(payout, /Paid before\s+Not confirmed yet/);
  assert.match(payout, /API key .+, from 127\.0\.0\.1/);
  assert.match(payout, /1 payout, of 1 ETH/);
  const proposal = await page.locator(`#proposal-${id}`).innerText();
  assert.match(proposal, /ann@example\.com, from 192\.0\.2\.7/);
  assert.ok(proposal.includes(STRANGER), "the known address that it looks like");
  await page.getByText("No answer").waitFor();
  for (const size of [{ width: 1440, height: 900 }, PHONE]) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await assertFits(page);
      await assertAccessible(page);
      await keepScreenshot(page, `inbox-${colorScheme}-${size.width}`);
    }
  }

  await forgetProof(deps, login);
  await page.locator(`#payout-${held}`).getByRole("button", { name: "Approve" }).click();
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText(`Payout ${held} is approved`).waitFor();
  assert.equal((await deps.db.get(Withdrawals, [held])).approval, "approved");
  await page.locator(`#payout-${refused} summary`).click();
  await page.locator(`#payout-${refused}`).getByLabel("Reason").fill("Unknown");
  await page.locator(`#payout-${refused}`).getByRole("button", { name: "Reject" }).click();
  await page.getByText(`Payout ${refused} is rejected`).waitFor();

  const { token } = login;
  const path = `/inbox/proposals/${id}/approve`;
  const answer = await dashboardFetch(url, { path, token, form: { csrf: csrfOf(token) } });
  assert.equal(answer.status, 303, "without scripts");
  await answer.body?.cancel();
  assert.equal((await deps.db.get(Proposals, [id])).state, "approved");
  assert.equal((await deps.db.rows(Payees, "WHERE removed_at_ms IS NULL")).length, 2);
  await page.goto(`${url}/dashboard/inbox`);
  await page.getByText("Nothing waits for a decision").waitFor();
  const last = await heldOf(world, "last");
  await revokeApiKey(deps, { keyId: world.merchant.credentials.keyId, actor: "test" });
  await page.reload();
  assert.match(await page.locator(`#payout-${last}`).innerText(), /API key .+ \(revoked\)/);
});

Deno.test("nobody decides on their own proposal, nor sees another account's", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const login = await makeLogin(deps);
  const merchant = await makeLogin(deps, { accountId, email: "own@example.com" });
  await makePerson(deps, { role: "operator", name: "ann", accountId: null });
  await makePerson(deps, { role: "approver", name: "bob", accountId: null });
  await setAccount(deps, { id: accountId, change: { dualControl: true }, actor: "test" });
  const by = { actor: { name: `user:${login.user.id}`, ip: "192.0.2.1" } };
  const wanted = { accountId, network: "ETH", address: STRANGER, isNow: false };
  const id = await proposed(deps, receivingWalletSet, { wanted, by });
  const own = await (await dashboardFetch(url, { path: "/inbox", token: login.token })).text();
  assert.ok(own.includes(`id="proposal-${id}"`));
  assert.ok(!own.includes(`/inbox/proposals/${id}/approve`), "no button");
  const post = async ({ token }: { token: string }) => {
    const path = `/inbox/proposals/${id}/approve`;
    const answer = await dashboardFetch(url, { path, token, form: { csrf: csrfOf(token) } });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await post(login), 422);
  const theirs = await (await dashboardFetch(url, { path: "/inbox", token: merchant.token }))
    .text();
  assert.match(theirs, /Asked for by[^]{1,40}the operator/);
  assert.ok(!theirs.includes(login.user.email) && !theirs.includes("192.0.2.1"));
  const { id: other } = await createAccount(deps, { name: "Other", actor: "test" });
  const stranger = await makeLogin(deps, { accountId: other });
  const seen = await (await dashboardFetch(url, { path: "/inbox", token: stranger.token })).text();
  assert.ok(!seen.includes(`proposal-${id}`));
  assert.equal(await post(stranger), 404);
  assert.equal((await deps.db.get(Proposals, [id])).state, "waiting");
});
