import assert from "node:assert/strict";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { createBatch } from "../../../src/payouts/create_batch.ts";
import { approveWithdrawal } from "../../../src/approvals/approve.ts";
import { deciderOf } from "../../../src/approvals/decider.ts";
import { endWaiting, waitingIn, waitingReads } from "../../../src/approvals/waiting.ts";
import { rejectWithdrawal } from "../../../src/approvals/reject.ts";
import { addPolicy } from "../../../src/policies/manage.ts";
import { suspendAccount } from "../../../src/accounts/suspend.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { assertAccessible, assertFits, startBrowser } from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { STRANGER } from "../../support/payers.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { makeStage, noteTest } from "../../support/stage.ts";
import { makeWebhook } from "../../support/webhooks.ts";
import type { World } from "../../support/world.ts";

const WAITED_MS = 250_000;
/** 7 gwei, more than twice what the payments offered. */
const DEARER = "0x1a13b8600";

/** As if everything had been signed some minutes earlier. */
async function signedEarlier({ deps }: World): Promise<void> {
  for (const { id, createdAtMs } of await deps.db.rows(SignedTransactions, "")) {
    await deps.db.write({
      reads: [read(SignedTransactions, [id])],
      decide: (view) => {
        noteTest(view);
        const row = view.get(SignedTransactions, [id]);
        view.update(SignedTransactions, row, { createdAtMs: createdAtMs - WAITED_MS });
      },
    });
  }
}

Deno.test("a stuck payout says how long, what it offers and what pushing costs, and one click pushes it", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const stage = makeStage(world);
  const [first, second] = [await stage.sentWithdrawal(), await stage.sentWithdrawal()];
  await signedEarlier(world);
  await anvil.rpc("anvil_setNextBlockBaseFeePerGas", [DEARER]);
  await anvil.mine(1);
  // What it knows of prices and balances may be some seconds old otherwise.
  await world.restart();
  await world.round();
  const { deps, url, merchant: { accountId } } = world;
  const page = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
  const base = `${url}/dashboard/withdrawals`;
  await page.goto(`${base}/${second}`);
  await page.getByRole("link", { name: `payout ${first}` }).click();
  const state = page.locator(".message.warn");
  await state.getByText("Only the operator can do that at once").waitFor();
  await setAccount(deps, { id: accountId, change: { mayPush: true }, actor: "test" });
  await page.reload();
  const text = await state.innerText();
  assert.match(text, /^Waiting for \d+ min\. Offers [\d.]+ gwei, blocks charge [789][\d.]*\./);
  const [before] = await deps.db.rows(
    SignedTransactions,
    "WHERE id IN (SELECT signed_id FROM signed_payments WHERE withdrawal_id = ?)",
    [first],
  );
  await assertAccessible(page);
  await page.setViewportSize({ width: 390, height: 900 });
  await assertFits(page);
  await page.getByRole("button", { name: /^Pay about 0\.\d+ ETH more$/ }).click();
  await page.getByText("The payment was sent again with a higher fee").waitFor();
  const row = await deps.db.get(Withdrawals, [first]);
  const shown = (hash: string) => page.locator(".facts").getByTitle(hash).count();
  assert.equal(await shown(row.txHash!), 1);
  assert.equal(await shown(before!.txHash), 0, "another transaction has replaced it");
  const steps = await page.locator(".timeline > li > strong").allInnerTexts();
  assert.ok(steps[0]!.startsWith("Payment signed, superseded later"));
  assert.equal(steps.at(-1), "Payment signed");
});

Deno.test("why a fee can't be bumped is told in full to operators, and without rows to merchants", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const id = await makeStage(world).sentWithdrawal();
  await setAccount(deps, { id: accountId, change: { mayPush: true }, actor: "test" });
  await deps.db.execute([{ sql: "UPDATE balances SET balance = '5000'", args: [] }]);
  const bump = async ({ token }: { token: string }) => {
    const sent = { path: `/withdrawals/${id}/bump`, token, form: { csrf: csrfOf(token) } };
    const text = await (await dashboardFetch(url, sent)).text();
    return /role="alert">([^<]*)/.exec(text)?.[1] ?? text;
  };
  const shown = await bump(await makeLogin(deps, { accountId }));
  assert.match(shown, /Nothing is paid until the operator has checked an alert$/);
  assert.match(await bump(await makeLogin(deps)), /balances/);
  assert.equal((await deps.db.rows(SignedTransactions, "")).length, 1);
});

Deno.test("a payout of a batch links to it, and says who sent it", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const { token } = await makeLogin(deps, { accountId, email: "ann@example.com" });
  const get = async (path: string) => await (await dashboardFetch(url, { path, token })).text();
  const line = { line: 1, network: "ETH", currency: "ETH", toAddress: STRANGER, amount: "0.5" };
  const { id: batchId } = await createBatch(deps, {
    ...{ accountId, actor: "test" },
    lines: [{ ...line, reference: null }],
  });
  const form = { csrf: csrfOf(token) };
  await (await dashboardFetch(url, { path: `/batches/${batchId}/send`, token, form })).text();
  const [paid] = await deps.db.rows(Withdrawals, "");
  const shown = await get(`/withdrawals/${paid!.id}`);
  assert.match(shown, new RegExp(`href="/dashboard/batches/${batchId}"`));
  assert.match(shown, /Requested by[^]*ann@example\.com/);
});

Deno.test("a payout that isn't signed says everything that keeps it from that", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, hotWallet } } = world;
  const logins = [await makeLogin(deps, { accountId }), await makeLogin(deps)];
  const get = async (path: string, { token } = logins[0]!) =>
    await (await dashboardFetch(url, { path, token })).text();
  const id = await makeStage(world).waitingWithdrawal();
  await anvil.rpc("anvil_setBalance", [hotWallet, "0x0"]);
  await suspendAccount(deps, { accountId, reason: "test", actor: "test" });
  for (const login of logins) {
    const page = await get(`/withdrawals/${id}`, login);
    assert.match(page, /The account is suspended, so nothing is signed for it/);
    assert.match(page, /0 ETH in the hot wallet\. Fund it\./);
  }
  await makeStage(world).haltedWallet();
  assert.match(
    await get(`/withdrawals/${id}`),
    /The hot wallet signs nothing until an operator has looked at it/,
  );
});

Deno.test("a payout shows its events with their answers, and sends them again", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  await makeWebhook(deps, { url: "https://shop.example.invalid/hooks", accountId });
  const id = await makeStage(world).sentWithdrawal();
  const page = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
  await page.goto(`${url}/dashboard/withdrawals/${id}`);
  const events = page.getByRole("region", { name: "Events" });
  await page.locator("summary", { hasText: "Events" }).click();
  assert.equal(await events.getByRole("row").count(), 2);
  await events.getByRole("button", { name: "Send again" }).click();
  await page.getByText("Sent, but not delivered").waitFor();
  await page.goto(`${url}/dashboard/withdrawals/${id}`);
  assert.equal(await events.getByText("none yet").count(), 0);
  const viewer = await makeLogin(deps, { accountId, role: "viewer" });
  const text = await (await dashboardFetch(url, {
    path: `/withdrawals/${id}`,
    token: viewer.token,
  })).text();
  assert.doesNotMatch(text, /Send again|Add note|Bump fee/);
});

Deno.test("a payout that waits for approvals says how many, for which rule, and how it was decided", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, hotWallet } } = world;
  await addPolicy(deps, {
    ...{ label: "Large <ones>", accountId: null, keyId: null, network: null, currency: "ETH" },
    ...{ each: null, cap: null, outcome: "approve", approvals: 2, expiresMs: 60_000 },
    ...{ condition: "always", setBy: "operator", actor: "test" },
  });
  const { token } = await makeLogin(deps, { accountId });
  const get = async (id: number) =>
    await (await dashboardFetch(url, { path: `/withdrawals/${id}`, token })).text();
  const stage = makeStage(world);
  await anvil.rpc("anvil_setBalance", [hotWallet, "0x0"]);
  const [id, late] = [await stage.waitingWithdrawal(), await stage.waitingWithdrawal()];
  const { user } = await makeLogin(deps, { role: "approver" });
  const decider = deciderOf(user, `user:${user.id}`);
  await approveWithdrawal(deps, { id, decider });
  const waiting = await get(id);
  assert.match(waiting, /Waiting for 1 more approval by the operator\. Nothing is signed before/);
  assert.match(waiting, /0 ETH in the hot wallet\. Fund it\./);
  assert.match(waiting, /aria-current="step">[^]{0,80}>1 of 2 approvals</);
  assert.match(waiting, /Asked for by <bdi class="whole">Large &lt;ones&gt;</);
  assert.match(waiting, /<strong>Approved<\/strong> by the operator/);
  assert.match(waiting, /withdrawal\.approval_required/);
  await rejectWithdrawal(deps, { id, decider, reason: "who is that?" });
  const rejected = await get(id);
  assert.match(rejected, /Rejected by an approver: nothing was paid/);
  assert.match(rejected, /<strong>Rejected<\/strong> by the operator[^]*who is that\?/);
  assert.match(rejected, /withdrawal\.cancelled/);
  await deps.db.write({
    reads: waitingReads(await deps.db.get(Withdrawals, [late])),
    decide: (view) =>
      endWaiting(view, waitingIn(view, late), { trigger: "expired", actor: "worker" }),
  });
  assert.match(await get(late), /Cancelled, because nobody approved it in time/);
});
