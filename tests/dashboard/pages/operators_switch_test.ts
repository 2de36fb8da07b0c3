import assert from "node:assert/strict";
import { AccountCurrencies } from "../../../src/accounts/tables/accounts.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { runIn } from "../../cli/world_host.ts";
import { startBrowser } from "../../support/dashboard/browser.ts";
import {
  dashboardFetch,
  type Login,
  makeLogin,
  openAs,
} from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { withdraw } from "../../support/views.ts";

async function startScene() {
  const anvil = await startAnvil();
  const world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, api } } = world;
  const operator = await makeLogin(deps);
  const merchant = await makeLogin(deps, { accountId });
  const switchTo = async ({ token }: Login, to: "on" | "off", what = "withdrawal") => {
    const asset = { account: String(accountId), network: "ETH", currency: "ETH" };
    const form = { csrf: csrfOf(token), ...asset, what, to };
    const answer = await dashboardFetch(url, { path: "/currencies/switch", token, form });
    return { status: answer.status, text: await answer.text() };
  };
  return {
    ...{ world, operator, merchant, switchTo, accountId },
    isPaying: async () => {
      const { status } = await withdraw(api, { to: STRANGER, amount: "0.1" });
      return status === 200;
    },
    switches: async () => {
      const row = await deps.db.find(AccountCurrencies, [accountId, "ETH", "ETH"]);
      return [row?.isDepositEnabled, row?.isWithdrawalEnabled];
    },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await anvil[Symbol.asyncDispose]();
    },
  };
}

Deno.test("what an operator switched off in the dashboard, no merchant can switch on again", async () => {
  await using scene = await startScene();
  const { operator, merchant, switchTo, isPaying, switches } = scene;
  assert.ok(await isPaying());
  assert.equal((await switchTo(operator, "off")).status, 303);
  assert.equal(await isPaying(), false);
  const refused = await switchTo(merchant, "on");
  assert.equal(refused.status, 422);
  assert.match(refused.text, /were switched off by an operator/);
  assert.equal(await isPaying(), false);
  assert.deepEqual(await switches(), [true, false]);

  // The merchant's own switch still works and doesn't override the operator's.
  assert.equal((await switchTo(merchant, "off", "deposit")).status, 303);
  assert.equal((await switchTo(merchant, "off")).status, 303);
  assert.equal((await switchTo(merchant, "on")).status, 422);
  assert.equal((await switchTo(merchant, "on", "deposit")).status, 303);
  assert.deepEqual(await switches(), [true, false]);

  assert.equal((await switchTo(operator, "on")).status, 303);
  assert.ok(await isPaying());
  assert.equal((await switchTo(merchant, "off")).status, 303);
  assert.equal((await switchTo(merchant, "on")).status, 303);
  assert.ok(await isPaying());
});

Deno.test("what the command line switched off only the command line can switch on again", async () => {
  await using scene = await startScene();
  const { world, merchant, switchTo, switches, accountId } = scene;
  const enable = ["account", "enable", "--account", String(accountId)];
  const asset = ["--network", "ETH", "--currency", "ETH"];
  const off = await runIn(world, [...enable, ...asset, "--deposit", "off", "--json"]);
  assert.equal(off.code, 0, off.err);
  assert.equal(JSON.parse(off.out).deposit_enabled, false);
  assert.equal((await switchTo(merchant, "on", "deposit")).status, 422);
  assert.deepEqual(await switches(), [false, true]);
  assert.equal((await runIn(world, [...enable, ...asset])).code, 0);
  assert.deepEqual(await switches(), [true, true]);
});

Deno.test("an operator can keep off what is off already, and pages show whose switch it is", async () => {
  await using scene = await startScene();
  await using browser = await startBrowser();
  const { world: { url }, operator, merchant, switchTo, switches, accountId } = scene;
  assert.equal((await switchTo(merchant, "off")).status, 303);
  const page = await openAs(browser, { url, login: operator });
  await page.goto(`${url}/dashboard/currencies?account=${accountId}`);
  await page.getByRole("button", { name: "Keep off payouts of ETH" }).click();
  await page.getByText("Switched off by the operator").waitFor();
  assert.equal((await switchTo(merchant, "on")).status, 422);

  const own = await openAs(browser, { url, login: merchant });
  await own.goto(`${url}/dashboard/currencies`);
  await own.getByText("Switched off by the operator").waitFor();
  const button = (what: string) => own.getByRole("button", { name: `${what} of ETH` });
  assert.ok(await button("Switch on payouts").isDisabled());
  assert.ok(await button("Switch off deposits").isEnabled());
  assert.equal(await own.getByRole("button", { name: /Keep off/ }).count(), 0);

  await page.reload();
  await page.getByRole("button", { name: "Switch on payouts of ETH" }).click();
  await page.getByText("payouts are on").waitFor();
  assert.deepEqual(await switches(), [true, true]);
});
