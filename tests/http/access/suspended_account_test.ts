import assert from "node:assert/strict";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { suspendAccount, unsuspendAccount } from "../../../src/accounts/suspend.ts";
import { ENDPOINTS } from "../../../src/http/endpoints.ts";
import { runIn } from "../../cli/world_host.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import type { ApiReply } from "../../support/api_client.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import {
  fundMerchant,
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
} from "../../support/payouts.ts";
import { alertsOf, allocate, balanceOf, depositsOf, withdraw } from "../../support/views.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import type { World } from "../../support/world.ts";

const REASON = "unpaid invoice";
const SHOP = "https://shop.example.com/hooks";
const asset = { network: "ETH", currency: "ETH" };
const BODIES: Readonly<Record<string, object>> = {
  "/v1/deposit-addresses": asset,
  "/v1/withdrawals": { ...asset, to_address: STRANGER, amount: "1" },
  "/v1/webhooks": { url: `${SHOP}/2` },
  "/v1/invoices": { amount: "1", currency: "ETH" },
  "/v1/payment-links": { title: "Tea", currency: "ETH" },
  "/v1/invoices/{invoice_id}/methods": asset,
  "/v1/invoices/{invoice_id}/extend": { expires_in: 300 },
  "/v1/invoices/{invoice_id}/accept": { reason: "x" },
  "/v1/invoices/{invoice_id}/refunds": { ...asset, to_address: STRANGER, amount: "1" },
  "/v1/invoices/{invoice_id}/refund-links": { ...asset, amount: "1" },
};

const suspend = ({ deps, merchant: { accountId } }: World) =>
  suspendAccount(deps, { accountId, reason: REASON, actor: "test" });
const unsuspend = ({ deps, merchant: { accountId } }: World) =>
  unsuspendAccount(deps, { accountId, actor: "test" });

function assertSuspended({ status, body }: ApiReply, what: string): void {
  assert.deepEqual([status, body.message, body.error?.code], [
    403,
    "Account suspended",
    "account_suspended",
  ], what);
  assert.doesNotMatch(JSON.stringify(body), new RegExp(REASON), what);
}

Deno.test("every write with a suspended account's keys is 403, and every read is answered", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const other = await world.addMerchant("Other");
  const { requestId } = await allocate(api);
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  const ids: Readonly<Record<string, string | number>> = {
    ...{ request_id: requestId, withdrawal_id: id },
    invoice_id: (await api.post("/v1/invoices", BODIES["/v1/invoices"]!)).body.data.invoice_id,
    payment_link_id: (await api.post("/v1/payment-links", BODIES["/v1/payment-links"]!)).body.data
      .payment_link_id,
    webhook_id: (await api.post("/v1/webhooks", { url: SHOP })).body.data.webhook_id,
    event_id: (await api.get("/v1/events")).body.data[0].id,
  };
  await suspend(world);
  let [written, read] = [0, 0];
  for (const { method, path } of ENDPOINTS) {
    const target = path.replace(/\{(\w+)\}/, (_, name) => String(ids[name]))
      .replace("wallet-address", "wallet-address?network=ETH");
    if (method === "GET") {
      assert.equal((await api.get(target)).status, 200, path);
      read++;
      continue;
    }
    const body = JSON.stringify(BODIES[path] ?? {});
    if (path === "/v1/withdrawals/check") {
      assert.equal((await api.send({ method, target, body })).status, 422, "It only looks");
      continue;
    }
    assertSuspended(await api.send({ method, target, body }), `${method} ${path}`);
    written++;
  }
  assert.ok(written >= 2 && read >= 7);
  const elsewhere = [["PATCH", "/v1/withdrawals"], ["DELETE", `/v1/withdrawals/${id}`], [
    "POST",
    "/v1/nothing",
  ]];
  for (const [method, target] of elsewhere) {
    assertSuspended(await api.send({ method: method!, target: target! }), `${method} ${target}`);
  }
  assert.equal((await api.send({ method: "PUT", target: "/v1/withdrawals" })).status, 405);
  assert.equal((await api.send({ method: "GET", target: "/v1/nothing" })).status, 404);
  assert.equal((await other.api.post("/v1/deposit-addresses", asset)).status, 200);
  await unsuspend(world);
  assert.equal((await api.post("/v1/deposit-addresses", asset)).status, 200);
  sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
});

Deno.test("control 4: replays and every earlier refusal come before the suspension", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const order = { ...BODIES["/v1/withdrawals"], client_reference: "one" };
  const id = sentId(await api.post("/v1/withdrawals", order));
  const wanted = { ...asset, idempotency_key: "one" };
  const { body: { data: request } } = await api.post("/v1/deposit-addresses", wanted);
  await suspend(world);
  const replay = await api.post("/v1/withdrawals", order);
  assert.deepEqual([replay.status, replay.body.data.id], [200, id]);
  const same = await api.post("/v1/deposit-addresses", wanted);
  assert.deepEqual([same.status, same.body.data.request_id], [200, request.request_id]);
  const refused: readonly (readonly [number, object])[] = [
    [422, { amount: "x" }],
    [404, { network: "NOPE" }],
    [404, { currency: "NOPE" }],
    [400, { to_address: "0x1234567890" }],
    [400, { amount: "0" }],
    [400, { amount: "100000" }],
  ];
  for (const [status, change] of refused) {
    const body = { ...BODIES["/v1/withdrawals"], ...change };
    assert.equal((await api.post("/v1/withdrawals", body)).status, status, JSON.stringify(change));
  }
  const elsewhere = { ...asset, currency: "NOPE" };
  assert.equal((await api.post("/v1/deposit-addresses", elsewhere)).status, 404);
});

Deno.test("a suspended account's unsigned payout waits, a signed one is confirmed, deposits are credited", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, accountId, credentials: { keyId } } } = world;
  const other = await world.addMerchant("Other");
  const { address } = await allocate(api);
  const signed = sentId(await withdraw(api, { to: STRANGER, amount: "2" }));
  const { row: waiting } = await createWithdrawal(deps, {
    caller: { accountId, keyId, actor: "test", signature: null },
    ...{ ...asset, toAddress: STRANGER, amount: "1", clientReference: "waits" },
  });
  await suspend(world);
  await sendTx(anvil, { to: address, valueRaw: ETHER });
  for (let round = 0; round < 3; round++) {
    await settleAll(world);
    await world.round({ aheadMs: 60_000 });
  }
  assert.equal(await statusOf(api, signed), "confirmed");
  assert.equal(await statusOf(api, waiting.id), "pending");
  assert.equal((await depositsOf(api))[0]!.status, "confirmed");
  assert.equal(await receivedBy(anvil, STRANGER), 2n * ETHER);
  assert.deepEqual(await balanceOf(api), {
    ...{ balance: "98.9899", held: "1.0051", available: "97.9848" },
  });
  assert.equal((await other.api.get("/v1/balances")).status, 200);
  await unsuspend(world);
  await world.round({ aheadMs: 60_000 });
  await settleAll(world);
  assert.equal(await statusOf(api, waiting.id), "confirmed");
  assert.equal(await receivedBy(anvil, STRANGER), 3n * ETHER);
  assert.deepEqual(await alertsOf(deps), []);
  assert.deepEqual(world.faults, []);
});

Deno.test("payouts of a suspended account delay nobody else's, however many wait", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId, credentials: { keyId } } } = world;
  const waits = (owner: { accountId: number; keyId: string }, clientReference: string) =>
    createWithdrawal(deps, {
      caller: { ...owner, actor: "test", signature: null },
      ...{ ...asset, toAddress: STRANGER, amount: "0.1", clientReference },
    });
  for (let i = 0; i < 60; i++) await waits({ accountId, keyId }, `${i}`);
  const other = await world.addMerchant("Other");
  await fundMerchant(world, other);
  const { credentials } = other;
  const { row } = await waits({ accountId: other.accountId, keyId: credentials.keyId }, "theirs");
  await suspend(world);
  await world.round({ aheadMs: 60_000 });
  await settleAll(world);
  assert.equal(await statusOf(other.api, row.id), "confirmed");
  assert.equal(await receivedBy(anvil, STRANGER), ETHER / 10n);
});

Deno.test("account suspend and unsuspend show the account, and so does account list", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const run = async (...words: string[]) => {
    const { code, out, err } = await runIn(world, [...words, "--json"]);
    assert.equal(code, 0, out + err);
    return JSON.parse(out);
  };
  const suspended = await run("account", "suspend", "1", "--reason", REASON);
  assert.deepEqual([suspended.suspended, suspended.suspended_reason], [true, REASON]);
  assert.match(suspended.suspended_at, /^\d{4}-.*\+00:00$/);
  assert.deepEqual(await run("account", "list"), [suspended]);
  assertSuspended(await world.merchant.api.post("/v1/deposit-addresses", asset), "at once");
  const again = await run("account", "suspend", "1", "--reason", "fraud");
  assert.deepEqual(again, { ...suspended, suspended_reason: "fraud" });
  const free = await run("account", "unsuspend", "1");
  const none = { suspended: false, suspended_reason: null, suspended_at: null };
  assert.deepEqual(free, { ...suspended, ...none });
  assert.deepEqual(await run("account", "unsuspend", "1"), free);
  assert.equal((await world.merchant.api.post("/v1/deposit-addresses", asset)).status, 200);
  assert.equal((await runIn(world, ["account", "suspend", "1"])).code, 2);
  assert.equal((await runIn(world, ["account", "suspend", "9", "--reason", "x"])).code, 1);
  assert.equal((await runIn(world, ["account", "suspend", "x", "--reason", "x"])).code, 2);
});

Deno.test("a suspension lifted by writing to the database lets nothing out", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, accountId, credentials: { keyId } } } = world;
  const { row } = await createWithdrawal(deps, {
    caller: { accountId, keyId, actor: "test", signature: null },
    ...{ ...asset, toAddress: STRANGER, amount: "1", clientReference: "waits" },
  });
  await suspend(world);
  const sql = "UPDATE accounts SET suspended_at_ms = NULL, suspended_reason = NULL";
  await deps.db.execute([{ sql }]);
  assert.equal((await withdraw(api, { to: STRANGER, amount: "1" })).status, 503);
  assert.equal((await api.post("/v1/deposit-addresses", asset)).status, 503);
  await world.round({ aheadMs: 60_000 });
  await settleAll(world);
  assert.equal(await statusOf(api, row.id), "pending");
  assert.equal(await receivedBy(anvil, STRANGER), 0n);
});
