import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import type { ApiReply } from "../../support/api_client.ts";
import { startWorld } from "../../support/world.ts";
import { makePayer } from "./_paying.ts";

const anvil = await startAnvil();
const world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
Deno.test.afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await anvil.stop();
});

const TO = "0x52908400098527886E0F7030069857D2E4169EE7";

function replayOf({ status, body, headers }: ApiReply): string | null {
  assert.equal(status, 200, JSON.stringify(body));
  return headers.get("x-cpg-replay");
}

Deno.test("a repeated withdrawal says whether it asks for the same payment, compared by value", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const order = { to_address: TO, amount: "1.5", client_reference: "r" };
  assert.equal(replayOf(await payer.withdraw(order)), null);
  const changes: [string, Record<string, unknown>][] = [
    ["same", {}],
    ["same", { amount: "1.50" }],
    ["same", { amount: "01.5" }],
    ["same", { amount: `1.5${"0".repeat(20)}1` }],
    ["same", { currency: "eth", network: "eth" }],
    ["same", { to_address: TO.toLowerCase() }],
    ["different", { amount: "1.500000000000000001" }],
    ["different", { amount: "15" }],
    ["different", { to_address: "0x8617E340B3D01FA5F11F306F4090FD50E238070D" }],
    ["different", { to_address: "no address of this network" }],
    ["different", { currency: "USDT" }],
    ["different", { network: "BSC" }],
  ];
  for (const [expected, change] of changes) {
    const reply = await payer.withdraw({ ...order, ...change });
    assert.equal(replayOf(reply), expected, JSON.stringify(change));
    assert.equal(reply.body.data.amount, "1.5");
  }
  const number = await payer.api.send({
    method: "POST",
    target: "/v1/withdrawals",
    body:
      `{"network":"ETH","currency":"ETH","to_address":"${TO}","amount":150e-2,"client_reference":"r"}`,
  });
  assert.equal(replayOf(number), "same");
});

Deno.test("a repeated request for an address says whether it asks for the same", async () => {
  const { api } = await makePayer({ world, balance: "1" });
  const order = { network: "ETH", currency: "ETH", user_identifier: "u", idempotency_key: "k" };
  const post = async (change: Record<string, unknown>) =>
    replayOf(await api.post("/v1/deposit-addresses", { ...order, ...change }));
  assert.equal(await post({}), null);
  assert.equal(await post({}), "same");
  assert.equal(await post({ network: "eth" }), "same");
  assert.equal(await post({ user_identifier: "v" }), "different");
  assert.equal(await post({ user_identifier: null }), "different");
  assert.equal(await post({ currency: "USDT" }), "different");
  assert.equal(await post({ network: "nowhere" }), "different");
  assert.equal(await post({ idempotency_key: "other" }), null);
});
