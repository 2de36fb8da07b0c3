import assert from "node:assert/strict";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { startNodeDouble } from "../../support/nodes/node_double.ts";
import { startWorld } from "../../support/world.ts";
import {
  COST_OF_ONE,
  ETHER,
  freshRecipient,
  makePayer,
  nonceOf,
  receivedBy,
  settle,
  statusRead,
  submittedId,
} from "./_paying.ts";
import { assertRefused } from "./refusals.ts";

const anvil = await startAnvil();
const node = await startNodeDouble(anvil.url, (_call, ask) => ask());
const world = await startWorld({ anvil, rpcUrls: [node.url], env: { CPG_WORKER: "false" } });
Deno.test.afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
  await anvil.stop();
});

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/;

/** While this is held the node does not answer the question. */
function hold(method: string) {
  const gate = Promise.withResolvers<void>();
  node.answer = async (call, ask) => {
    if (call.method === method) await gate.promise;
    return await ask();
  };
  return {
    open: () => {
      node.answer = (_call, ask) => ask();
      gate.resolve();
    },
  };
}

Deno.test("spec 2.5, 4.6: a submission has these fields and pays exactly amount from the hot wallet", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const to_address = freshRecipient();
  const reply = await payer.withdraw({ to_address, amount: "1.2345678901234567899" });
  const id = submittedId(reply);
  assert.deepEqual(reply.body.data, {
    withdrawal_id: id,
    status: "broadcasted",
    tx_hash: reply.body.data.tx_hash,
    network: "ETH",
    currency: "ETH",
    to_address,
    amount_decimal: "1.234567890123456789",
    fee_decimal: "0.006272839450617283945",
  });
  const tx = await anvil.rpc("eth_getTransactionByHash", [reply.body.data.tx_hash]);
  assert.equal(tx.from, payer.hotWallet.toLowerCase());
  assert.equal(BigInt(tx.value), 1_234_567_890_123_456_789n);
  assert.equal(await receivedBy(anvil, to_address), 1_234_567_890_123_456_789n);
});

Deno.test("spec 3.2: balance, held and available change at POST and at confirmation", async () => {
  const payer = await makePayer({ world, balance: "10" });
  assert.deepEqual(await payer.balance(), { balance: "10", held: "0", available: "10" });
  const id = submittedId(await payer.withdraw());
  const posted = { balance: "10", held: COST_OF_ONE, available: "8.9949" };
  assert.deepEqual(await payer.balance(), posted);
  await world.round();
  assert.deepEqual(await payer.balance(), posted);
  await settle(world);
  assert.deepEqual(await payer.balance(), { balance: "8.9949", held: "0", available: "8.9949" });
  assert.equal(statusRead(await payer.api.get(`/v1/withdrawals/${id}`)).status, "confirmed");
  await settle(world);
  assert.deepEqual(await payer.balance(), { balance: "8.9949", held: "0", available: "8.9949" });
});

Deno.test("spec 2.5: the status-read shape has amount, fee and three times, before and after confirming", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const to_address = freshRecipient();
  const { body: { data } } = await payer.withdraw({ to_address });
  const read = async () => statusRead(await payer.api.get(`/v1/withdrawals/${data.withdrawal_id}`));
  const broadcasted = await read();
  const { requested_at, broadcast_at } = broadcasted;
  assert.match(requested_at, TIMESTAMP);
  assert.match(broadcast_at, TIMESTAMP);
  assert.ok(Math.abs(Date.parse(requested_at) - Date.now()) < 60_000);
  assert.deepEqual(broadcasted, {
    id: data.withdrawal_id,
    currency: "ETH",
    network: "ETH",
    to_address,
    amount: "1",
    fee: "0.0051",
    status: "broadcasted",
    tx_hash: data.tx_hash,
    error_message: null,
    requested_at,
    broadcast_at,
    confirmed_at: null,
  });
  await settle(world);
  const confirmed = await read();
  assert.match(confirmed.confirmed_at, TIMESTAMP);
  const { confirmed_at } = confirmed;
  assert.deepEqual(confirmed, { ...broadcasted, status: "confirmed", confirmed_at });
});

Deno.test("spec 2.6, 3.4: a withdrawal is a transaction row: detected with block 0, then confirmed", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const to_address = freshRecipient();
  const { body: { data } } = await payer.withdraw({ to_address });
  const read = async () => (await payer.api.get("/v1/transactions")).body.data;
  const [row, ...others] = await read();
  assert.deepEqual(others, []);
  const { id, created_at } = row;
  assert.deepEqual(row, {
    id,
    tx_hash: data.tx_hash,
    direction: "withdrawal",
    status: "detected",
    currency: "ETH",
    network: "ETH",
    from_address: payer.hotWallet,
    to_address,
    amount_decimal: "1",
    confirmations: 0,
    block_number: 0,
    created_at,
    confirmed_at: null,
  });
  await settle(world);
  const [confirmed] = await read();
  assert.deepEqual([confirmed.id, confirmed.status], [id, "confirmed"]);
  assert.ok(confirmed.block_number > 0 && confirmed.confirmations >= 3);
  assert.match(confirmed.confirmed_at, TIMESTAMP);
});

Deno.test("spec 4.6: of 200 concurrent withdrawals exactly the affordable ones succeed", async () => {
  const affordable = 40;
  const payer = await makePayer({ world, balance: "40.704" });
  const to_address = freshRecipient();
  // A node that mines while it takes in the next ones sometimes leaves those in its queue for ever.
  await anvil.rpc("evm_setAutomine", [false]);
  const replies = await Promise.all(
    Array.from({ length: 200 }, () => payer.withdraw({ to_address })),
  );
  await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [true]);
  const taken = replies.filter(({ status }) => status === 200);
  for (const reply of replies) {
    if (!taken.includes(reply)) assertRefused(reply, "insufficient_balance");
  }
  assert.equal(taken.length, affordable);
  assert.equal(new Set(taken.map(submittedId)).size, affordable);
  assert.equal(new Set(taken.map(({ body }) => body.data.tx_hash)).size, affordable);
  const held = { balance: "40.704", held: "40.204", available: "0.5" };
  assert.deepEqual(await payer.balance(), held);
  assert.equal(await nonceOf(anvil, payer.hotWallet), affordable);
  assert.equal(await receivedBy(anvil, to_address), BigInt(affordable) * ETHER);
  await settle(world);
  assert.deepEqual(await payer.balance(), { balance: "0.5", held: "0", available: "0.5" });
});

Deno.test("spec 3.2: an immediate second POST can spend all that remains, and not a digit more", async () => {
  const payer = await makePayer({ world, balance: "2.010200000000000000005" });
  submittedId(await payer.withdraw());
  // 1.000000000000000001 costs 1.005100000000000001005, and 1.005100000000000000005 is left.
  const more = await payer.withdraw({ amount: "1.000000000000000001" });
  assertRefused(more, "insufficient_balance");
  submittedId(await payer.withdraw());
  const { available } = await payer.balance();
  assert.equal(available, "0.000000000000000000005");
  assertRefused(await payer.withdraw({ amount: "0.001" }), "insufficient_balance");
});

Deno.test("spec 4.6: a retry with the same pair creates no duplicate and returns the current state", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const order = { client_reference: "invoice 7", to_address: freshRecipient() };
  const first = await payer.withdraw(order);
  const id = submittedId(first);
  for (const change of [{}, { amount: "2" }, { to_address: freshRecipient() }, { x: 1 }]) {
    const replay = statusRead(await payer.withdraw({ ...order, ...change }));
    assert.deepEqual([replay.id, replay.status, replay.amount], [id, "broadcasted", "1"]);
    assert.equal(replay.tx_hash, first.body.data.tx_hash);
    assert.equal(replay.to_address, order.to_address);
  }
  await settle(world);
  assert.equal(statusRead(await payer.withdraw(order)).status, "confirmed");
  assert.equal(await nonceOf(anvil, payer.hotWallet), 1);
  assert.equal((await payer.balance()).balance, "8.9949");
});

Deno.test("contract 1: of concurrent requests with one client_reference one creates, others replay", async () => {
  const payer = await makePayer({ world, balance: "100" });
  const order = { client_reference: "rush", to_address: freshRecipient() };
  const replies = await Promise.all(
    Array.from({ length: 25 }, (_, x) => payer.withdraw({ ...order, x })),
  );
  const created = replies.filter(({ body }) => "withdrawal_id" in (body.data ?? {}));
  assert.equal(created.length, 1);
  const id = submittedId(created[0]!);
  for (const reply of replies) {
    if (reply !== created[0]) assert.equal(statusRead(reply).id, id);
  }
  const rows = await world.deps.db.rows(Withdrawals, "WHERE account_id = ?", [payer.accountId]);
  assert.equal(rows.length, 1);
  assert.equal((await payer.balance()).held, COST_OF_ONE);
  assert.equal(await nonceOf(anvil, payer.hotWallet), 1);
});

Deno.test("spec 4.6: the replay's status may be any current one, even pending with tx_hash null", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const order = { client_reference: "slow", to_address: freshRecipient() };
  const { open } = hold("eth_estimateGas");
  const first = payer.withdraw(order);
  try {
    await eventually(payer.balance, { until: ({ held }) => held !== "0" });
    const replay = statusRead(await payer.withdraw(order));
    assert.deepEqual([replay.status, replay.tx_hash], ["pending", null]);
    assert.deepEqual([replay.broadcast_at, replay.confirmed_at, replay.error_message], [
      null,
      null,
      null,
    ]);
    assert.equal((await payer.balance()).held, COST_OF_ONE);
  } finally {
    open();
  }
  const id = submittedId(await first);
  assert.equal(statusRead(await payer.withdraw(order)).id, id);
});

Deno.test('spec 2.5: a successful synchronous response is always "broadcasted", even on a fast chain', async () => {
  const payer = await makePayer({ world, balance: "10" });
  const gate = Promise.withResolvers<void>();
  let sendings = 0;
  node.answer = async ({ method }, ask) => {
    const answer = await ask();
    if (method === "eth_sendRawTransaction" && sendings++ === 0) await gate.promise;
    return answer;
  };
  const first = payer.withdraw({ client_reference: "fast" });
  try {
    await eventually(() => nonceOf(anvil, payer.hotWallet), { until: (nonce) => nonce === 1 });
    await settle(world);
    await world.round({ aheadMs: 60_000 });
    await settle(world);
    const replay = statusRead(await payer.withdraw({ client_reference: "fast" }));
    assert.equal(replay.status, "confirmed");
  } finally {
    node.answer = (_call, ask) => ask();
    gate.resolve();
  }
  submittedId(await first);
  await settle(world);
  assert.equal(statusRead(await payer.withdraw({ client_reference: "fast" })).status, "confirmed");
  assert.deepEqual(await payer.balance(), { balance: "8.9949", held: "0", available: "8.9949" });
});

Deno.test("spec 3.1, 2.5: a cancel before the broadcast releases the hold, and the POST is no success", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const order = { client_reference: "cancelled", to_address: freshRecipient() };
  const { open } = hold("eth_estimateGas");
  const first = payer.withdraw(order);
  try {
    await eventually(payer.balance, { until: ({ held }) => held !== "0" });
    const { id } = statusRead(await payer.withdraw(order));
    await cancelWithdrawal(world.deps, { id, actor: "test" });
    assert.deepEqual(await payer.balance(), { balance: "10", held: "0", available: "10" });
  } finally {
    open();
  }
  const answered = await first;
  assert.equal(statusRead(await payer.withdraw(order)).status, "cancelled");
  await settle(world);
  assert.equal(statusRead(await payer.withdraw(order)).status, "cancelled");
  assert.deepEqual(await payer.balance(), { balance: "10", held: "0", available: "10" });
  assert.equal(await nonceOf(anvil, payer.hotWallet), 0);
  // The status of a successful synchronous response is always "broadcasted".
  assert.notEqual(answered.status, 200, JSON.stringify(answered.body));
});
