import assert from "node:assert/strict";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { Currencies } from "../../../src/networks/table.ts";
import { dashboardFetch, type Login, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { makeStage } from "../../support/stage.ts";

const PATH = "/recipients";

async function ask(url: string, { token }: Login, path: string, fields?: object) {
  const form = fields && { csrf: csrfOf(token), ...fields };
  const answer = await dashboardFetch(url, form ? { path, token, form } : { path, token });
  return { status: answer.status, text: await answer.text() };
}

Deno.test("operators see which recipients are blocked, and allow them; merchants don't", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const address = await makeStage(world).failingRecipient();
  const operator = await makeLogin(deps);
  const merchant = await makeLogin(deps, { accountId });
  const form = { account: String(accountId), network: "ETH", address };

  assert.ok((await ask(url, operator, PATH)).text.includes(address));
  assert.ok(!(await ask(url, merchant, PATH)).text.includes(address));
  assert.notEqual((await ask(url, merchant, `${PATH}/allow`, form)).status, 303);
  assert.ok((await ask(url, operator, PATH)).text.includes(address), "it is blocked still");

  assert.equal((await ask(url, operator, `${PATH}/allow`, form)).status, 303);
  assert.ok(!(await ask(url, operator, PATH)).text.includes(address));
  const again = await ask(url, operator, `${PATH}/allow`, form);
  assert.match(again.text, /are not refused/);
  const [row] = await auditPage(deps.db, { actor: null, subject: null, cursor: null, limit: 1 });
  const { after, ...detail } = row!.detail;
  const place = { network: "ETH", address };
  assert.equal(row!.action, "recipient.allowed");
  assert.deepEqual(detail, { ...place, before: { allowedAtMs: null } });
  assert.ok(Number((after as { allowedAtMs: number }).allowedAtMs) > 0);
});

Deno.test("a currency's page limits the gas of code, and warns if withdrawals are free", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const operator = await makeLogin(deps);
  const path = "/networks/ETH/currencies/ETH";
  const gasMax = async () => (await deps.db.find(Currencies, ["ETH", "ETH"]))!.gasMax;
  const limits = {
    ...{ active: "on", name: "Ether", min_deposit: "0", min_withdrawal: "0", fee_flat: "0" },
    ...{ fee_percent: "0", sweep_min: "0", native_rate: "0" },
  };
  const set = (change: object) => ask(url, operator, path, { ...limits, ...change });
  assert.equal((await set({ gas_max: "150000" })).status, 303);
  assert.equal(await gasMax(), 150_000);
  assert.equal((await set({ gas_max: "" })).status, 303);
  assert.equal(await gasMax(), 150_000, "left empty it stays");
  assert.match((await set({ gas_max: "30000001" })).text, /a whole number from 0 to 30000000/);
  const warning = /Withdrawals are free of charge; each costs about 0\.\d+ ETH/;
  const accountPage = `/currencies?account=${accountId}`;
  assert.match((await ask(url, operator, path)).text, warning);
  assert.match((await ask(url, operator, accountPage)).text, warning);
  assert.equal((await set({ fee_flat: "0.001" })).status, 303);
  assert.doesNotMatch((await ask(url, operator, path)).text, warning);
  assert.doesNotMatch((await ask(url, operator, accountPage)).text, warning);
});
