import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient } from "../../support/api_client.ts";
import { startChildGateway } from "../../support/programs/child_gateway.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { makePlace } from "../../support/database/database.ts";
import { enable, makeMerchant, makeNetwork } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { receivedBy } from "../../support/payouts.ts";
import { startReceiver } from "../../support/programs/receiver.ts";
import { allocate, balanceOf, withdraw } from "../../support/views.ts";
import { makeWebhook } from "../../support/webhooks.ts";

/** The program itself has about forty open. */
const FILES_MAX = 96;
const AT_ONCE = 40;
const WAVES = 20;

Deno.test("with more connections than file descriptors the program answers, pays and credits", async () => {
  await using anvil = await startAnvil();
  await using receiver = startReceiver();
  const place = await makePlace({ isMigrated: true });
  const env = { ...place.env, CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
  const { deps, close } = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  await makeNetwork(deps, { rpcUrls: [anvil.url], minConfirmations: 2 });
  const { accountId, credentials } = await makeMerchant({ deps, url: "http://127.0.0.1" });
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await setBalance(anvil, await enable(deps, asset), 200n * ETHER);
  await adjustBalance(deps, { ...asset, amount: "100", note: "test", actor: "test" });
  await makeWebhook(deps, { accountId, url: receiver.url });
  const child = await startChildGateway(env, { filesMax: FILES_MAX });
  const api = apiClient(child.url, credentials);
  const { address } = await allocate(api, {});
  await eventually(() => api.get("/readyz"), {
    until: ({ body }) => body.networks[0]?.lag_blocks === 0,
  });

  const flood = startFlood(child.url);
  await flood.under;
  // Lost or pending withdrawals are requested again; failed ones need a new order.
  for (let [paid, order, tries] = [0, 0, 0]; paid < 3; tries++) {
    const reply = await withdraw(api, { to: STRANGER, amount: "1", reference: `w${order}` })
      .catch(() => undefined);
    const status = reply?.status === 200 ? reply.body.data.status : "pending";
    if (status !== "pending") order++;
    if (status !== "pending" && status !== "failed") paid++;
    assert.ok(tries < 100, "payments get through");
  }
  await sendTx(anvil, { to: address, valueRaw: ETHER });
  await anvil.mine(3);
  await eventually(() => Promise.resolve(receiver.received), {
    until: (all) => all.some(({ body }) => body.includes("deposit.confirmed")),
  });
  await flood.stop();

  const alive = await fetch(`${child.url}/healthz`).catch(() => assert.fail(child.stderr()));
  assert.equal((await alive.json()).status, "alive");
  await eventually(() => balanceOf(api), { until: ({ held }) => held === "0" });
  assert.equal(await receivedBy(anvil, STRANGER), 3n * ETHER);
  assert.equal(await child.terminate(), 0);
  assert.match(child.stderr(), /no file descriptors left/);
  assert.doesNotMatch(child.stderr(), /Uncaught|Unexpected error/);
  await close();
  await place.remove();
});

/** Ever more connections that say nothing; the oldest are let go. `under`: the program has felt it. */
function startFlood(url: string) {
  const { hostname, port } = new URL(url);
  const connections: Deno.Conn[] = [];
  let isOn = true;
  const under = Promise.withResolvers<void>();
  const wave = () =>
    Promise.all(Array.from({ length: AT_ONCE }, async () => {
      connections.push(await Deno.connect({ hostname, port: Number(port) }));
    }));
  const done = (async () => {
    for (let i = 0; isOn; i++) {
      await wave();
      if (i === 5) under.resolve();
      for (const old of connections.splice(0, connections.length - AT_ONCE * WAVES)) old.close();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    under: under.promise,
    stop: async () => {
      isOn = false;
      await done;
      for (const connection of connections) connection.close();
    },
  };
}
