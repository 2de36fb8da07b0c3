import assert from "node:assert/strict";
import { suspendAccount, unsuspendAccount } from "../../src/accounts/suspend.ts";
import { Accounts } from "../../src/accounts/tables/accounts.ts";
import { csrfOf } from "../../src/dashboard/cookies.ts";
import { NAV, ROUTES } from "../../src/dashboard/pages.ts";
import { type ActRoute, mayUse } from "../../src/dashboard/routes.ts";
import { findStop, stopSigning } from "../../src/integrity/manage_stop.ts";
import { doingOf, makeScene } from "./doings.ts";
import { startBrowser } from "../support/dashboard/browser.ts";
import {
  dashboardFetch,
  forgetProof,
  makeLogin,
  openAs,
  PASSWORD,
} from "../support/dashboard/dashboard.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { startPayingWorld } from "../support/payouts.ts";
import { writesNothing } from "../support/stage.ts";

const REASON = "Invoice 7 is unpaid";
const CONCERNS_OWN_LOGIN = [
  "/profile/passkeys/new",
  "/profile/password",
  "/profile/recovery-codes",
  "/profile/second-factor",
  "/profile/sessions/:id/end",
  "/prove",
  "/sign-out",
];

async function start() {
  const anvil = await startAnvil();
  const world = await startPayingWorld({ anvil });
  return {
    ...{ world, url: world.url, deps: world.deps, accountId: world.merchant.accountId },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await anvil[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a suspended account's users can change only their own sign-in, and read every page", async () => {
  await using gateway = await start();
  const { world, url, deps, accountId } = gateway;
  const { token } = await makeLogin(deps, { accountId });
  const scene = await makeScene(world);
  const suspension = { accountId, reason: REASON, actor: "test" };
  const acts = ROUTES.filter((it): it is ActRoute => it.kind === "act");
  const forMerchants = acts.filter((it) => mayUse("merchant", it));
  const refused = forMerchants.filter(({ isPersonal }) => !isPersonal);
  assert.deepEqual(
    forMerchants.filter(({ isPersonal }) => isPersonal).map(({ path }) => path).toSorted(),
    CONCERNS_OWN_LOGIN,
  );
  for (const route of refused) {
    const { path } = route;
    const { ids = {}, form } = await doingOf(route, scene);
    await suspendAccount(deps, suspension);
    const filled = path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => String(ids[name]));
    const sent = { path: filled, token, form: { ...form, csrf: csrfOf(token) } };
    const post = async () => {
      const answer = await dashboardFetch(url, sent);
      const text = await answer.text();
      assert.equal(answer.status, 422, `${path}: ${answer.headers.get("location")}`);
      assert.match(text, /This account is suspended, so you can/, path);
    };
    assert.ok(await writesNothing(deps, post), `${path} writes`);
    await unsuspendAccount(deps, suspension);
  }
  assert.ok(refused.length > 15, `${refused.length} forms`);
  await suspendAccount(deps, suspension);
  for (const { path } of NAV.merchant) {
    const answer = await dashboardFetch(url, { path: path === "/" ? "" : path, token });
    assert.equal(answer.status, 200, path);
    assert.match(await answer.text(), new RegExp(`This account is suspended: ${REASON}`), path);
  }
  const form = { csrf: csrfOf(token) };
  const { status, headers } = await dashboardFetch(url, { path: "/sign-out", token, form });
  assert.deepEqual([status, headers.get("location")], [303, "/dashboard/sign-in"]);
});

Deno.test("an operator suspends an account on its page, sees it in the list, and ends it", async () => {
  await using gateway = await start();
  await using browser = await startBrowser();
  const { url, deps, accountId } = gateway;
  const page = await openAs(browser, { url, login: await makeLogin(deps) });
  await page.goto(`${url}/dashboard/accounts/${accountId}`);
  await page.getByLabel("Reason").fill(REASON);
  await page.getByRole("button", { name: "Suspend" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
  await page.getByText("The account is suspended").waitFor();
  await page.getByText(REASON).waitFor();
  const account = await deps.db.find(Accounts, [accountId]);
  assert.equal(account?.suspendedReason, REASON);
  await page.goto(`${url}/dashboard/accounts`);
  await page.getByText("suspended", { exact: true }).waitFor();
  await page.goto(`${url}/dashboard/accounts/${accountId}`);
  await page.getByRole("button", { name: "Unsuspend" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Unsuspend" }).click();
  await page.getByText("The account is no longer suspended").waitFor();
  assert.equal((await deps.db.find(Accounts, [accountId]))?.suspendedAtMs, null);
});

Deno.test("operators' pages have a stop button that needs no proof, while resuming does", async () => {
  await using gateway = await start();
  await using browser = await startBrowser();
  const { url, deps } = gateway;
  const login = await makeLogin(deps);
  for (const { path } of NAV.operator) {
    const sent = { path: path === "/" ? "" : path, token: login.token };
    const text = await (await dashboardFetch(url, sent)).text();
    assert.match(text, /action="\/dashboard\/stop"[\s\S]*Stop all payouts/, path);
  }
  await forgetProof(deps, login);
  const page = await openAs(browser, { url, login });
  await page.goto(`${url}/dashboard/deposits`);
  await page.locator(".me > summary").click();
  await page.getByRole("button", { name: "Stop all payouts" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop all payouts" }).click();
  await page.getByText("All payouts are stopped").waitFor();
  assert.equal((await findStop(deps.db))?.reason, null);
  await page.getByLabel("Reason").fill("leaked key");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("leaked key").first().waitFor();
  await page.goto(`${url}/dashboard/networks`);
  await page.getByText(/All signing has been stopped since/).waitFor();
  assert.equal(await page.getByRole("button", { name: "Stop all payouts" }).count(), 0);
  await page.getByRole("link", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click();
  await page.getByLabel("Password").fill(PASSWORD);
  assert.ok(await findStop(deps.db));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Payouts have resumed").waitFor();
  assert.equal(await findStop(deps.db), undefined);
});

Deno.test("merchants can't stop or resume, and see that withdrawals are paused, but not why", async () => {
  await using gateway = await start();
  const { url, deps, accountId } = gateway;
  const { token } = await makeLogin(deps, { accountId });
  const csrf = csrfOf(token);
  const shown = async () => await (await dashboardFetch(url, { path: "", token })).text();
  assert.doesNotMatch(await shown(), /Stop all payouts|Payouts are paused/);
  const stopped = await dashboardFetch(url, { path: "/stop", token, form: { csrf } });
  assert.equal(stopped.status, 404);
  assert.equal(await findStop(deps.db), undefined);
  await stopSigning(deps, { reason: "leaked key", actor: "test" });
  const resumed = await dashboardFetch(url, { path: "/resume", token, form: { csrf } });
  assert.equal(resumed.status, 404);
  assert.ok(await findStop(deps.db));
  for (const { path } of NAV.merchant) {
    const answer = await dashboardFetch(url, { path: path === "/" ? "" : path, token });
    const text = await answer.text();
    assert.match(text, /Payouts are paused/, path);
    assert.doesNotMatch(text, /leaked key|dashboard\/stop/, path);
  }
});
