import assert from "node:assert/strict";
import { freezeWhatDiffers } from "../../../src/integrity/freeze.ts";
import { reconcileReports, startReconcile } from "../../../src/reconcile/by_hand.ts";
import { haltNetwork } from "../../../src/following/rewind_network.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import {
  assertAccessible,
  assertFits,
  keepScreenshot,
  startBrowser,
} from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { makeNetwork, startGateway } from "../../support/gateway.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import { sentId, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { payIn } from "../../support/sweeping.ts";
import { alertsOf, allocate, withdraw } from "../../support/views.ts";
import { livedIn } from "../lived_in.ts";

Deno.test("an operator compares the books, sees the result, and lets paused payouts continue", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  await livedIn(world);
  const { deps, url, merchant: { accountId } } = world;
  const asset = { accountId, network: "ETH", currency: "ETH" };
  const wrong = { kind: "ledger_balance", expected: "1", found: "2", detail: "made up" } as const;
  await freezeWhatDiffers(deps, [{ ...asset, ...wrong }]);
  const login = await makeLogin(deps);
  const page = await openAs(browser, { url, login });
  await page.goto(`${url}/dashboard/reconcile`);
  await page.getByRole("button", { name: "Compare now" }).click();
  await page.getByRole("heading", { name: "Latest result" }).waitFor();
  await page.getByText("No differences").waitFor();
  await page.getByText("Differences: 0").waitFor();
  await assertAccessible(page);
  await keepScreenshot(page, "operator-reconcile-result");
  const paused = page.getByRole("region", { name: "Paused payouts" });
  assert.match(await paused.innerText(), /ETH\s+made up \(expected 1, found 2\)/);
  await paused.getByRole("link", { name: "Acme" }).click();
  await page.getByRole("button", { name: "Resume payouts" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resume payouts" }).click();
  await page.getByText("Payouts have resumed").waitFor();
  await page.goto(`${url}/dashboard/reconcile`);
  assert.equal(await page.getByText("made up").count(), 0);
  const actor = `user:${login.user.id}`;
  const rows = await auditPage(deps.db, { actor, subject: null, cursor: null, limit: 9 });
  assert.deepEqual(rows.map(({ action }) => action), ["account.unfrozen", "books.reconciled"]);
});

Deno.test("the findings of reconcile are kept, and so is the reason if a node is away", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, api } } = world;
  const { address } = await allocate(api);
  await payIn(world, { to: address, raw: ETHER });
  await settleAll(world);
  await deps.db.execute([{ sql: "UPDATE balances SET balance = '7'" }]);
  await (await startReconcile(deps, { network: "eth", actor: "test" }))!.end;
  const [first] = await reconcileReports(deps, 9);
  const { report } = first!;
  assert.equal(report.network, "ETH");
  assert.equal(report.differenceCount, 1);
  assert.deepEqual([report.differences[0]!.expected, report.differences[0]!.found], ["101", "7"]);
  await anvil[Symbol.asyncDispose]();
  await (await startReconcile(deps, { network: null, actor: "test" }))!.end;
  const [newest] = await reconcileReports(deps, 9);
  assert.equal(newest!.report.skipped[0]!.network, "ETH");
  const { token } = await makeLogin(deps);
  const answer = await dashboardFetch(url, { path: "/reconcile", token });
  const text = await answer.text();
  assert.match(text, /Ethereum was not compared with its chain/);
  assert.match(text, new RegExp(`accounts/${accountId}`));
});

Deno.test("the audit log links to accounts and keys, and an account to its sweeps and webhooks", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { api, accountId } } = world;
  sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  const page = await openAs(browser, { url, login: await makeLogin(deps) });
  await page.goto(`${url}/dashboard/audit`);
  const row = page.getByRole("row", { name: "Payout requested" });
  assert.match(await row.innerText(), /Key "test"\s+Acme/);
  await row.getByRole("link", { name: "Acme" }).click();
  const links = page.getByRole("main");
  for (const [label, path] of [["Sweeps", "sweeps"], ["Webhooks", "webhooks"]] as const) {
    const href = await links.getByRole("link", { name: label }).getAttribute("href");
    assert.equal(href, `/dashboard/${path}?account=${accountId}`);
  }
});

Deno.test('unbooked tokens are found by ticking "everywhere", and the result says how far it looked', async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { api } } = world;
  const token = await world.addToken();
  const { address } = await allocate(api);
  await settleAll(world);
  await anvil.rpc("anvil_dealERC20", [address, token.address, "0x7a120"]);
  await settleAll(world);
  const page = await openAs(browser, { url, login: await makeLogin(deps), isPhone: true });
  await page.goto(`${url}/dashboard/reconcile`);
  const result = page.locator("section", { hasText: "Latest result" });
  const compare = async (isEverywhere: boolean) => {
    if (isEverywhere) await page.getByLabel(/^Full comparison/).check();
    await page.getByRole("button", { name: "Compare now" }).click();
    await result.getByText(isEverywhere ? "all networks, full comparison, in" : "all networks, in")
      .waitFor();
    return await result.innerText();
  };
  assert.match(
    await compare(false),
    /A full comparison checks everything else[^]*None/,
  );
  const found = await compare(true);
  assert.doesNotMatch(found, /A full comparison/);
  assert.match(found, new RegExp(`0\\.5 USDT[^]*${address}`));
  await assertAccessible(page);
  await assertFits(page);
  await keepScreenshot(page, "operator-reconcile-everywhere-phone");
  const reports = await reconcileReports(deps, 9);
  assert.deepEqual(reports.map(({ report }) => report.isEverywhere), [true, false]);
});

Deno.test("two who start it at once start one, beside it one network, and no unknown one", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const runs = await Promise.all([
    startReconcile(deps, { network: null, actor: "a" }),
    startReconcile(deps, { network: null, actor: "b" }),
    startReconcile(deps, { network: "ETH", actor: "c" }),
  ]);
  assert.deepEqual(runs.map((started) => started !== undefined), [true, false, true]);
  for (const run of runs) await run?.end;
  assert.equal((await reconcileReports(deps, 9)).length, 2);
  const { token } = await makeLogin(deps);
  const form = { csrf: csrfOf(token), network: "NOWHERE" };
  const answer = await dashboardFetch(url, { path: "/reconcile", token, form });
  assert.equal(answer.status, 422);
  await answer.body?.cancel();
});

Deno.test("verifying the audit log names the first broken row, and whether a noted head is still there", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  await livedIn(world);
  const { deps, url } = world;
  const page = await openAs(browser, { url, login: await makeLogin(deps), isScriptOn: false });
  await page.goto(`${url}/dashboard/audit`);
  await page.getByRole("link", { name: "Verify" }).click();
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByRole("heading", { name: "Result" }).waitFor();
  const facts = page.locator("dl");
  assert.match(await facts.innerText(), /First broken row\s+none/);
  const head = await facts.locator("code").getAttribute("title");
  await page.getByLabel("Head hash noted earlier").fill(head!);
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText("found", { exact: true }).waitFor();

  await deps.db.execute([
    { sql: "DROP TRIGGER audit_log_no_update" },
    { sql: "UPDATE audit_log SET action = 'nothing' WHERE id = 3" },
  ]);
  await page.goto(`${url}/dashboard/audit/verify`);
  await page.getByLabel("Head hash noted earlier").fill("ff");
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText("Row 3 was changed").waitFor();
  await page.getByText("The hash noted earlier is not in the log.").waitFor();
  assert.match(await facts.innerText(), /First broken row\s+3/);
  await keepScreenshot(page, "operator-audit-broken");
});

Deno.test("a halted network says why, and an operator resumes it, from a block if given", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  await settleAll(world);
  const { deps, url } = world;
  await haltNetwork(deps, { network: "ETH", reason: "it was reorganised" });
  const login = await makeLogin(deps);
  const page = await openAs(browser, { url, login, isScriptOn: false });
  await page.goto(`${url}/dashboard/alerts`);
  await page.getByRole("link", { name: "View", exact: true }).click();
  await page.getByText("This network is halted: it was reorganised").waitFor();
  await page.getByLabel("Re-read from block").fill("x");
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("Must be a block number").waitFor();
  await page.getByLabel("Re-read from block").fill("2");
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("ETH has resumed").waitFor();
  assert.equal(await page.getByText("This network is halted").count(), 0);
  const actor = `user:${login.user.id}`;
  const [audited] = await auditPage(deps.db, { actor, subject: null, cursor: null, limit: 9 });
  assert.equal(audited!.action, "network.resumed");
  assert.deepEqual(audited!.detail, {
    before: { haltedReason: "it was reorganised" },
    after: { haltedReason: null },
    from_block: 2,
  });
  assert.deepEqual(await alertsOf(deps), []);
});

Deno.test("settings are changed where they are shown, and the environment is shown without secrets", async () => {
  await using anvil = await startAnvil();
  const env = { CPG_AUTH_FAILURES_PER_MINUTE: "77" };
  await using world = await startPayingWorld({ anvil, env });
  await using browser = await startBrowser();
  const { deps, url } = world;
  const login = await makeLogin(deps);
  const page = await openAs(browser, { url, login });
  await page.goto(`${url}/dashboard/settings`);
  await assertAccessible(page);
  await keepScreenshot(page, "operator-settings-filled");
  const table = page.getByRole("region", { name: "Environment" });
  const row = (name: string) => table.getByRole("row", { name });
  assert.match(await row("CPG_AUTH_FAILURES_PER_MINUTE").innerText(), /77\s+environment/);
  assert.match(await row("CPG_REUSE_WINDOW").innerText(), /604800 seconds: 7 days\s+default/);
  assert.match(await row("CPG_MASTER_KEY").innerText(), /not shown/);
  await page.getByLabel("Top up hot wallets to").fill("0.5");
  await page.getByRole("button", { name: "Save settings" }).click();
  await page.getByText("Settings saved").waitFor();
  assert.equal((await deps.catalog.current()).network("ETH")!.hotGasTarget, "0.5");
  const actor = `user:${login.user.id}`;
  const [audited] = await auditPage(deps.db, { actor, subject: null, cursor: null, limit: 9 });
  assert.equal(audited!.subject, "network:ETH");
});
