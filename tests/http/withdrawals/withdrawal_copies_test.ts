import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { PERMISSIONS } from "../../../src/access/rules/permissions.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient, type SignedCall } from "../../support/api_client.ts";
import { startWorld } from "../../support/world.ts";
import {
  COST_OF_ONE,
  ETHER,
  freshRecipient,
  makePayer,
  nonceOf,
  receivedBy,
  statusRead,
  submittedId,
} from "./_paying.ts";
import { assertRefused } from "./refusals.ts";

const anvil = await startAnvil();
const world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
Deno.test.afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await anvil.stop();
});

function call(order: { to_address: string; client_reference?: string }): SignedCall {
  const body = JSON.stringify({ currency: "ETH", network: "ETH", amount: "1", ...order });
  const timestamp = String(Math.floor(Date.now() / 1000));
  return { method: "POST", target: "/v1/withdrawals", body, timestamp };
}

Deno.test("contract 1: a copy of a signed withdrawal without client_reference is 401, paid once", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const order = call({ to_address: freshRecipient() });
  submittedId(await payer.api.send(order));
  for (let copy = 0; copy < 3; copy++) {
    assertRefused(await payer.api.send(order), "replayed_request");
  }
  assert.equal(await nonceOf(anvil, payer.hotWallet), 1);
  assert.equal((await payer.balance()).held, COST_OF_ONE);
});

Deno.test("contract 1: many simultaneous copies of one signed withdrawal pay once", async () => {
  const payer = await makePayer({ world, balance: "100" });
  const to_address = freshRecipient();
  const order = call({ to_address });
  const replies = await Promise.all(Array.from({ length: 20 }, () => payer.api.send(order)));
  const taken = replies.filter(({ status }) => status === 200);
  assert.equal(taken.length, 1);
  for (const reply of replies) {
    if (reply !== taken[0]) assertRefused(reply, "replayed_request");
  }
  assert.equal(await receivedBy(anvil, to_address), ETHER);
  assert.equal(await nonceOf(anvil, payer.hotWallet), 1);
});

function credit({ accountId }: { accountId: number }): Promise<unknown> {
  const asset = { accountId, network: "ETH", currency: "ETH" };
  return adjustBalance(world.deps, { ...asset, amount: "10", note: "test", actor: "test" });
}

for (const client_reference of [undefined, "captured"]) {
  const how = client_reference ? "with a client_reference" : "without a client_reference";
  Deno.test(`contract 1: a copy of a withdrawal ${how} that was refused isn't executed once funded`, async () => {
    const payer = await makePayer({ world, balance: "1.0051" });
    const reference = client_reference && { client_reference };
    const refused = call({ to_address: freshRecipient(), ...reference });
    submittedId(await payer.withdraw());
    assertRefused(await payer.api.send(refused), "insufficient_balance");
    await credit(payer);
    assertRefused(await payer.api.send(refused), "replayed_request");
    assert.equal((await payer.balance()).held, COST_OF_ONE);
  });
}

Deno.test("contract 1: a refused withdrawal signed again is executed, and a copy of the first replays", async () => {
  const payer = await makePayer({ world, balance: "0.5" });
  const order = { to_address: freshRecipient(), client_reference: "again" };
  const captured = call(order);
  assertRefused(await payer.api.send(captured), "insufficient_balance");
  await credit(payer);
  const id = submittedId(await payer.withdraw({ ...order, note: "signed anew" }));
  assert.equal(statusRead(await payer.api.send(captured)).id, id);
  assert.equal(await nonceOf(anvil, payer.hotWallet), 1);
});

Deno.test("contract 1: of many simultaneous copies one is refused for its reason, others as copies", async () => {
  const payer = await makePayer({ world, balance: "0.5" });
  const order = call({ to_address: freshRecipient(), client_reference: "rush" });
  const replies = await Promise.all(Array.from({ length: 20 }, () => payer.api.send(order)));
  const first = replies.filter(({ status }) => status === 400);
  assert.equal(first.length, 1);
  for (const reply of replies) {
    assertRefused(reply, reply === first[0] ? "insufficient_balance" : "replayed_request");
  }
});

Deno.test("contract 1: a copy of a signed withdrawal with a client_reference gets the replay", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const order = call({ to_address: freshRecipient(), client_reference: "copied" });
  const id = submittedId(await payer.api.send(order));
  assert.equal(statusRead(await payer.api.send(order)).id, id);
  assert.equal(await nonceOf(anvil, payer.hotWallet), 1);
});

Deno.test("contract 1: what was accepted before a restart isn't executed after it, copied or retried", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const bare = call({ to_address: freshRecipient() });
  const referenced = call({ to_address: freshRecipient(), client_reference: "restarted" });
  submittedId(await payer.api.send(bare));
  const id = submittedId(await payer.api.send(referenced));
  await world.restart();
  assertRefused(await payer.api.send(bare), "replayed_request");
  assert.equal(statusRead(await payer.api.send(referenced)).id, id);
  assert.equal(await nonceOf(anvil, payer.hotWallet), 2);
});

Deno.test("spec 4.6: the client_reference is scoped per API key: another key of the account pays again", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const { row, secret } = await createApiKey(world.deps, {
    accountId: payer.accountId,
    label: "second",
    permissions: [...PERMISSIONS],
    ipList: [],
    rateLimit: 1000,
    actor: "test",
  });
  const second = apiClient(world.url, { keyId: row.keyId, secret });
  const order = call({ to_address: freshRecipient(), client_reference: "shared" });
  const [one, two] = [
    submittedId(await payer.api.send(order)),
    submittedId(await second.send(order)),
  ];
  assert.notEqual(one, two);
  assert.equal(statusRead(await payer.api.send(order)).id, one);
  assert.equal(statusRead(await second.send(order)).id, two);
  assert.equal(await nonceOf(anvil, payer.hotWallet), 2);
});

Deno.test("contract 1: a client_reference is a text as given, with empty ones, case and white space", async () => {
  const payer = await makePayer({ world, balance: "100" });
  const references = ["", " ", "a", "A", "a ", "0", "😀".repeat(128)];
  const ids = [];
  for (const client_reference of references) {
    ids.push(submittedId(await payer.withdraw({ client_reference })));
  }
  assert.equal(new Set(ids).size, references.length);
  for (const [i, client_reference] of references.entries()) {
    assert.equal(statusRead(await payer.withdraw({ client_reference })).id, ids[i]);
  }
});

Deno.test("spec 4.4, 4.6: client_reference and idempotency_key are separate keys", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const order = { currency: "ETH", network: "ETH", idempotency_key: "both" };
  const allocated = await payer.api.post("/v1/deposit-addresses", order);
  assert.equal(allocated.status, 200);
  submittedId(await payer.withdraw({ client_reference: "both" }));
});

Deno.test("spec 4.6: without client_reference two equal withdrawals are two withdrawals", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const to_address = freshRecipient();
  for (const x of [1, 2]) {
    submittedId(await payer.withdraw({ client_reference: null, to_address, x }));
  }
  assert.equal(await receivedBy(anvil, to_address), 2n * ETHER);
});
