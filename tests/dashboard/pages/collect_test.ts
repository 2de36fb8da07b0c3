import assert from "node:assert/strict";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";

const gateway = await startGateway({ CPG_WORKER: "false" });
Deno.test.afterAll(() => gateway.stop());
const { deps, url } = gateway;
const { accountId } = await makeMerchant(gateway, { name: "Acme" });
await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"] });
const { token } = await makeLogin(deps);

async function send(path: string, fields?: Record<string, string>) {
  const form = fields && { csrf: csrfOf(token), ...fields };
  const answer = await dashboardFetch(url, { path, token, ...form ? { form } : {} });
  return { status: answer.status, text: await answer.text() };
}

const SETTINGS = {
  ...{ active: "on", name: "Ether", rpc_urls: "http://127.0.0.1:1", min_confirmations: "12" },
  ...{ quorum: "1", poll_interval_ms: "2000", gas_price_max: "0", hot_gas_target: "0" },
  ...{ finality: "none", traces: "auto", force: "on" },
};

Deno.test("an operator chooses on a network's page how its sweeps are sent, and how long they wait", async () => {
  const before = (await send("/networks/ETH")).text;
  assert.match(before, /Sweeps<\/dt>\s*<dd[^>]*>Each in a transaction of its own/);
  assert.match(before, /name="collect_wait"[^>]* value="10m"/);
  const form = { ...SETTINGS, collect: "auto", collect_wait: "15m" };
  assert.equal((await send("/networks/ETH", form)).status, 303);
  const { collect, collectWaitMs } = (await deps.catalog.current()).network("ETH")!;
  assert.deepEqual([collect, collectWaitMs], ["auto", 900_000]);
  assert.match((await send("/networks/ETH")).text, /<dd[^>]*>Whichever is cheaper/);
  const refused = await send("/networks/ETH", { ...form, collect: "batch" });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /can only share a transaction through a contract/);
  const short = await send("/networks/ETH", { ...form, collect_wait: "1s" });
  assert.match(short.text, /at least 30s and at most 1d/);
});

Deno.test("an account's page says what delegating means for payers of native coins, and sets it", async () => {
  const page = (await send(`/accounts/${accountId}`)).text;
  assert.match(page, /always sends exactly 21,000 can&#39;t pay there any more/);
  const path = `/accounts/${accountId}/settings`;
  await send(path, { quota_mb: "64", delegate_native: "on" });
  assert.equal((await deps.db.get(Accounts, [accountId])).delegatesNative, true);
  await send(path, { quota_mb: "64" });
  assert.equal((await deps.db.get(Accounts, [accountId])).delegatesNative, false);
});
