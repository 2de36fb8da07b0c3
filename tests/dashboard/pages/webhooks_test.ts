import assert from "node:assert/strict";
import { Sessions } from "../../../src/access/tables/users.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { read, readAll } from "../../../src/store/engine/workspace.ts";
import {
  WebhookAttempts,
  WebhookDeliveries,
  WebhookEndpoints,
} from "../../../src/webhooks/tables/webhooks.ts";
import {
  assertAccessible,
  assertFits,
  follow,
  keepScreenshot,
  startBrowser,
} from "../../support/dashboard/browser.ts";
import {
  dashboardFetch,
  type Login,
  makeLogin,
  openAs,
} from "../../support/dashboard/dashboard.ts";
import { startGateway } from "../../support/gateway.ts";
import { startReceiver, verify } from "../../support/programs/receiver.ts";
import { noteTest } from "../../support/stage.ts";
import { makeWebhook, writeEvents } from "../../support/webhooks.ts";

const ENV = { CPG_WORKER: "false", CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
const SHOP = "https://shop.example.com/hooks";
const SCRIPT = `<script>document.documentElement.id="taken"</script>`;

const actionsOf = async ({ db }: Deps) =>
  (await auditPage(db, { actor: null, subject: null, cursor: null, limit: 50 }))
    .filter(({ action }) => action.startsWith("webhook."))
    .map(({ action, actor }) => `${action} by ${actor}`);

const statesOf = async ({ db }: Deps) =>
  (await db.rows(WebhookDeliveries, "ORDER BY event_id, endpoint_id"))
    .map(({ eventId, endpointId, state }) => `${eventId} to ${endpointId} ${state}`);

async function makeDead(deps: Deps, keys: readonly (readonly [number, number])[]): Promise<void> {
  await deps.db.write({
    reads: readAll(WebhookDeliveries, keys),
    decide: (view) => {
      for (const [eventId, endpointId] of keys) {
        const row = view.find(WebhookDeliveries, [eventId, endpointId])!;
        view.update(WebhookDeliveries, row, { state: "dead", attempts: 10, settledAtMs: 1 });
        view.insert(WebhookAttempts, {
          eventId,
          endpointId,
          atMs: 1_767_225_600_000,
          latencyMs: 137,
          status: 500,
          error: "HTTP 500",
          response: SCRIPT,
        });
      }
    },
  });
}

async function forgetProof({ db }: Deps, { user }: Login): Promise<void> {
  const [session] = await db.list(Sessions, { userId: user.id });
  await db.write({
    reads: [read(Sessions, [session!.id])],
    decide: (view) => {
      noteTest(view);
      view.update(Sessions, view.find(Sessions, [session!.id])!, { provenAtMs: 0 });
    },
  });
}

for (const isScriptOn of [true, false]) {
  const title = isScriptOn ? "with scripts" : "without scripts";
  Deno.test(`a merchant adds a webhook, tests it, gives it a new secret and removes it, ${title}`, async () => {
    await using gateway = await startGateway(ENV);
    await using receiver = startReceiver();
    await using browser = await startBrowser();
    const { deps, url } = gateway;
    const { id: accountId } = await createAccount(deps, { name: "Acme", actor: "test" });
    const login = await makeLogin(deps, { accountId });
    const page = await openAs(browser, { url, login, isScriptOn });
    const press = async (name: string, isAsked = false) => {
      const button = page.getByRole("button", { name, exact: true });
      if (!isAsked || !isScriptOn) return await follow(button);
      await button.click();
      await follow(page.getByRole("dialog").getByRole("button", { name, exact: true }));
    };
    const look = async (name: string) => {
      if (isScriptOn) await assertAccessible(page);
      await assertFits(page);
      await keepScreenshot(page, `webhook-${name}-${isScriptOn ? "scripts" : "plain"}`);
    };

    await page.goto(`${url}/dashboard/webhooks`);
    await follow(page.getByRole("link", { name: "New webhook" }));
    await page.getByLabel("URL").fill(receiver.url);
    for (const box of await page.getByRole("checkbox").all()) await box.uncheck();
    await press("Add webhook");
    await page.getByText("Choose at least one").waitFor();
    assert.equal(await page.getByLabel("URL").inputValue(), receiver.url);
    await page.getByLabel("deposit.confirmed").check();
    await press("Add webhook");
    const first = await page.locator("#secret").innerText();
    await look("added");
    const [row] = await deps.db.list(WebhookEndpoints, { accountId });
    assert.deepEqual([row!.url, row!.eventTypes], [receiver.url, ["deposit.confirmed"]]);

    await follow(page.getByRole("link", { name: "I have saved it" }));
    await look("detail");
    assert.equal((await page.content()).includes(first), false);
    receiver.answer = () => new Response(SCRIPT, { status: 418 });
    await press("Send a test event");
    await page.getByText("HTTP 418").waitFor();
    await page.getByText(SCRIPT).waitFor();
    assert.equal(await page.locator("html#taken").count(), 0);
    await look("test");
    verify(first, receiver.received[0]!);

    await page.goto(`${url}/dashboard/webhooks/1`);
    await page.getByLabel("Type").selectOption("withdrawal.confirmed");
    await press("Send a sample");
    await page.getByText("This was a sample of withdrawal.confirmed").waitFor();
    const sample = receiver.received.pop()!;
    verify(first, sample);
    assert.deepEqual([sample.event.type, sample.event.sample], ["withdrawal.confirmed", true]);

    await page.goto(`${url}/dashboard/webhooks/1`);
    await press("New secret", true);
    const second = await page.locator("#secret").innerText();
    await look("rotated");
    assert.notEqual(second, first);
    await follow(page.getByRole("link", { name: "I have saved it" }));
    await press("Send a test event");
    await page.getByText("HTTP 418").waitFor();
    verify(first, receiver.received[1]!);
    verify(second, receiver.received[1]!);

    await page.goto(`${url}/dashboard/webhooks/1`);
    await follow(page.getByRole("link", { name: "Remove" }));
    await look("remove");
    await press("Remove webhook");
    await page.getByRole("status").getByText("Webhook 1 removed").waitFor();
    assert.deepEqual(await deps.db.list(WebhookEndpoints, { accountId }), []);
    const actor = `user:${login.user.id}`;
    assert.deepEqual(
      await actionsOf(deps),
      ["removed", "tested", "rotated", "triggered", "tested", "added"].map((did) =>
        `webhook.${did} by ${actor}`
      ),
    );
  });
}

Deno.test("deliveries are filtered, shown with their answers as text, and sent again", async () => {
  await using gateway = await startGateway(ENV);
  await using browser = await startBrowser();
  await using receiver = startReceiver();
  const { deps, url } = gateway;
  const { accountId } = await makeWebhook(deps, { url: receiver.url });
  await makeWebhook(deps, { url: `${SHOP}/2`, accountId });
  await writeEvents(deps, { accountIds: [accountId, accountId] });
  await makeDead(deps, [[1, 1], [2, 1], [2, 2]]);
  const page = await openAs(browser, {
    url,
    login: await makeLogin(deps, { accountId }),
    isPhone: true,
  });
  const list = `${url}/dashboard/webhooks/deliveries`;
  await page.goto(list);
  const rows = page.locator("tbody tr");
  assert.equal(await rows.count(), 4);
  await page.getByLabel("State").selectOption("dead");
  await page.getByLabel("Webhook", { exact: true }).fill("1");
  await follow(page.getByRole("button", { name: "Show" }));
  assert.equal(await rows.count(), 2);
  await assertAccessible(page);
  await assertFits(page);
  await keepScreenshot(page, "deliveries-phone");
  await rows.last().getByRole("link", { name: "deposit.confirmed" }).click();
  await page.getByText("HTTP 500").waitFor();
  await page.getByText("137 ms").waitFor();
  await page.getByText(SCRIPT).waitFor();
  await page.getByText("Payload").click();
  assert.match(await page.locator("pre", { hasText: '"id": "evt_' }).innerText(), /"data": \{/);
  await assertAccessible(page);
  await assertFits(page);
  await keepScreenshot(page, "delivery-phone");
  const press = async (name: string) => {
    await page.getByRole("button", { name, exact: true }).click();
    await follow(page.getByRole("dialog").getByRole("button", { name, exact: true }));
  };
  await follow(page.getByRole("button", { name: "Send again" }));
  await page.getByText("Delivered: HTTP 200").waitFor();
  assert.deepEqual(await statesOf(deps), [
    "1 to 1 delivered",
    "1 to 2 pending",
    "2 to 1 dead",
    "2 to 2 dead",
  ]);
  await page.goto(list);
  await press("Resend all dead deliveries");
  await page.getByText("Resending 2 deliveries").waitFor();
  assert.deepEqual((await statesOf(deps)).filter((line) => line.includes("dead")), []);
  await page.getByLabel("From").fill("2021-01-01T00:00");
  await page.getByLabel("Until").fill("2020-01-01T00:00");
  await press("Resend events");
  await page.getByText("Must not be before the start").waitFor();
  await page.getByLabel("Until").fill("2099-01-01T00:00");
  await press("Resend events");
  await page.getByText("Resending 4 deliveries").waitFor();
  assert.equal((await actionsOf(deps)).filter((it) => it.includes("redelivered")).length, 3);
});

Deno.test("a merchant sees and resends only their own deliveries, whatever ids are sent", async () => {
  await using gateway = await startGateway(ENV);
  const { deps, url } = gateway;
  const theirs = await makeWebhook(deps, { url: `${SHOP}/theirs` });
  const mine = await makeWebhook(deps, { url: `${SHOP}/mine` });
  await writeEvents(deps, { accountIds: [theirs.accountId, mine.accountId] });
  await makeDead(deps, [[1, theirs.id], [2, mine.id]]);
  const { token } = await makeLogin(deps, { accountId: mine.accountId });
  const get = async (path: string) => {
    const answer = await dashboardFetch(url, { path, token });
    return { status: answer.status, text: await answer.text() };
  };
  const post = async (path: string, form: Record<string, string>) => {
    const given = { csrf: csrfOf(token), ...form };
    return (await dashboardFetch(url, { path, token, form: given })).status;
  };
  const account = String(theirs.accountId);
  const hooks = await get(`/webhooks?account=${account}`);
  assert.ok(hooks.text.includes("/mine") && !hooks.text.includes("/theirs"));
  const list = await get(`/webhooks/deliveries?account=${account}`);
  assert.ok(list.text.includes("/webhooks/2/deliveries/2") && !list.text.includes("/webhooks/1/"));
  for (const id of [theirs.id, 999]) {
    assert.equal((await get(`/webhooks/deliveries?webhook=${id}`)).status, 404);
  }
  for (const path of ["/webhooks/1/deliveries/1", "/webhooks/2/deliveries/1", "/webhooks/1"]) {
    assert.equal((await get(path)).status, 404, path);
  }
  const range = { account, from: "2020-01-01", to: "2099-01-01" };
  assert.equal(await post("/webhooks/deliveries/dead", { account }), 303);
  assert.deepEqual(await statesOf(deps), ["1 to 1 dead", "2 to 2 pending"]);
  assert.equal(await post("/webhooks/deliveries/between", range), 303);
  assert.deepEqual(await statesOf(deps), ["1 to 1 dead", "2 to 2 pending"]);
  assert.equal(await post("/webhooks/new", { account, url: SHOP, events: "deposit.failed" }), 422);
  assert.equal(
    await post("/webhooks/new", { account, url: SHOP, events: "deposit.confirmed" }),
    200,
  );
  const added = await deps.db.find(WebhookEndpoints, [3]);
  assert.equal(added?.accountId, mine.accountId);
});

Deno.test("without a recent proof nobody gets a new secret or adds a webhook", async () => {
  await using gateway = await startGateway(ENV);
  const { deps, url } = gateway;
  const { accountId } = await makeWebhook(deps, { url: SHOP });
  const login = await makeLogin(deps, { accountId });
  await forgetProof(deps, login);
  const before = await deps.db.list(WebhookEndpoints, { accountId });
  const { token } = login;
  for (const path of ["/webhooks/1/rotate", "/webhooks/new"]) {
    const form = { csrf: csrfOf(token), url: SHOP, events: "deposit.confirmed" };
    const answer = await dashboardFetch(url, { path, token, form });
    assert.match(answer.headers.get("location") ?? "", /^\/dashboard\/prove\?next=/, path);
  }
  assert.deepEqual(await deps.db.list(WebhookEndpoints, { accountId }), before);
});

Deno.test("a disabled or paused webhook shows its problem and can be enabled", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const { id } = await makeWebhook(deps, { url: "http://10.0.0.1/hook" });
  await deps.db.write({
    reads: [read(WebhookEndpoints, [id])],
    decide: (view) =>
      void view.update(WebhookEndpoints, view.find(WebhookEndpoints, [id])!, {
        disabledAtMs: 1,
        disabledReason: "it answered 410",
        failures: 30,
      }),
  });
  const { token } = await makeLogin(deps);
  const text = async () =>
    await (await dashboardFetch(url, { path: `/webhooks/${id}`, token })).text();
  const before = await text();
  for (const words of ["it answered 410", "Nothing will be sent to this URL", "Resume sending"]) {
    assert.ok(before.includes(words), words);
  }
  const form = { csrf: csrfOf(token) };
  await dashboardFetch(url, { path: `/webhooks/${id}/enable`, token, form });
  const row = await deps.db.find(WebhookEndpoints, [id]);
  assert.deepEqual([row?.disabledAtMs, row?.failures], [null, 0]);
  assert.equal((await text()).includes("Resume sending"), false);
});

Deno.test("after an error in the range, the form is still about the chosen account", async () => {
  await using gateway = await startGateway(ENV);
  const { deps, url } = gateway;
  const { accountId } = await makeWebhook(deps, { url: SHOP });
  const { token } = await makeLogin(deps);
  const form = { csrf: csrfOf(token), account: String(accountId), from: "soon", to: "2020-01-01" };
  const path = "/webhooks/deliveries/between";
  const answer = await dashboardFetch(url, { path, token, form });
  assert.equal(answer.status, 422);
  const text = await answer.text();
  const { name } = await deps.db.get(Accounts, [accountId]);
  assert.ok(
    text.includes(`of ${name} (account ${accountId})`) && !text.includes("of all accounts"),
  );
});
