import assert from "node:assert/strict";
import { listDeliveries } from "../../../src/webhooks/reads/events.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import {
  type Received,
  startRawReceiver,
  startReceiver,
  verify,
} from "../../support/programs/receiver.ts";
import { makeWebhook } from "../../support/webhooks.ts";
import { lastingPort } from "../../support/programs/ports.ts";

const ETHER = 10n ** 18n;
const STRANGER = "0x00000000000000000000000000000000000A11cE";
const IN_ORDER = [
  "deposit.detected",
  "deposit.confirmed",
  "withdrawal.broadcasted",
  "withdrawal.confirmed",
];

/** Answers differently the first time it gets an event. */
function firstTime(otherwise: () => Response | Promise<Response>) {
  const seen = new Set<string>();
  return ({ id }: Received) => {
    const isFirst = !seen.has(id);
    seen.add(id);
    return isFirst ? otherwise() : new Response();
  };
}

Deno.test("contract 4: a deposit and a withdrawal arrive in order, whatever other receivers do", async () => {
  await using anvil = await startAnvil();
  await using healthy = startReceiver();
  await using failing = startReceiver();
  await using slow = startReceiver();
  await using redirecting = startReceiver();
  await using endless = startRawReceiver(async (conn) => {
    await conn.read(new Uint8Array(4096));
    await conn.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\n\r\n"));
    for (;;) await conn.write(new Uint8Array(65_536).fill(120));
  });
  await using breaking = startRawReceiver(async (conn, count) => {
    await conn.read(new Uint8Array(4096));
    const length = count <= 4 ? 100 : 2;
    await conn.write(
      new TextEncoder().encode(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\nok`),
    );
  });
  const downPort = lastingPort();
  const downUrl = `http://127.0.0.1:${downPort}/hook`;
  failing.answer = firstTime(() => new Response(null, { status: 500 }));
  redirecting.answer = () =>
    new Response(null, { status: 301, headers: { location: healthy.url } });
  slow.answer = firstTime(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return new Response();
  });

  await using gateway = await startGateway({ CPG_WEBHOOK_ALLOW_PRIVATE: "true" });
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: [anvil.url] });
  const { api, accountId } = await makeMerchant(gateway);
  const hotWallet = await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  const { secret } = await makeWebhook(deps, { url: healthy.url, accountId });
  const ids: number[] = [];
  for (const url of [failing.url, slow.url, endless.url, breaking.url, downUrl]) {
    ids.push((await makeWebhook(deps, { url, accountId })).id);
  }
  const redirected = await makeWebhook(deps, { url: redirecting.url, accountId });
  const reported = () => Promise.resolve(healthy.received.map(({ event }) => event.type as string));
  const untilTold = (count: number) =>
    eventually(reported, { until: (types) => types.length >= count });

  const { address } = (await api.post("/v1/deposit-addresses", { currency: "ETH", network: "ETH" }))
    .body.data;
  const value = `0x${(2n * ETHER).toString(16)}`;
  await anvil.rpc("eth_sendTransaction", [{ from: anvil.accounts[0], to: address, value }]);
  await untilTold(1);
  await anvil.mine(3);
  await untilTold(2);
  await anvil.rpc("anvil_setBalance", [hotWallet, `0x${(5n * ETHER).toString(16)}`]);
  const order = { currency: "ETH", network: "ETH", to_address: STRANGER, amount: "1" };
  const submitted = await api.post("/v1/withdrawals", { ...order, client_reference: "w1" });
  assert.equal(submitted.status, 200, JSON.stringify(submitted.body));
  await untilTold(3);
  await anvil.mine(3);
  assert.deepEqual(await untilTold(4), IN_ORDER);
  for (const received of healthy.received) verify(secret, received);
  const data = healthy.received.map(({ event }) => event.data);
  assert.equal(data[1].amount_decimal, "2");
  assert.equal(data[3].client_reference, "w1");
  assert.equal(data[3].tx_hash, submitted.body.data.tx_hash);

  // Receivers that were down, failed or disconnected get everything a little later.
  await using up = startReceiver({ port: downPort });
  const all = () =>
    listDeliveries(deps.db, { state: undefined, endpointId: undefined, limit: 100 });
  const rows = await eventually(all, {
    until: (list) =>
      list.filter(({ endpointId }) => ids.includes(endpointId))
        .every(({ state }) => state === "delivered"),
  });
  assert.equal(rows.length, 7 * IN_ORDER.length);
  const types = (list: readonly Received[]) => new Set(list.map(({ event }) => event.type));
  assert.deepEqual(types(up.received), new Set(IN_ORDER));
  assert.deepEqual(types(failing.received), new Set(IN_ORDER));
  assert.equal(failing.received.length, 8);
  assert.equal(slow.received.length, 4);
  assert.equal(endless.count(), 4);
  assert.equal(healthy.received.length, 4, "no redirect leads here");
  const refused = rows.filter(({ endpointId }) => endpointId === redirected.id);
  assert.ok(
    refused.every(({ state, lastError }) => state === "pending" && lastError === "HTTP 301"),
  );
});
