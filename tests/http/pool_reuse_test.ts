import assert from "node:assert/strict";
import { setReceivingWallet } from "../../src/accounts/receiving_wallet.ts";
import { allocateDepositAddress } from "../../src/deposits/allocate_address.ts";
import type { Deps } from "../../src/deps/deps.ts";
import type { TransactionRow } from "../../src/deposits/tables/transactions.ts";
import { enable, makeNetwork } from "../support/gateway.ts";
import { alertsOf } from "../support/views.ts";
import {
  type ClockedGateway,
  DEAD_NODE,
  makeClockedMerchant,
  startClockedGateway,
} from "./clocked_gateway.ts";
import { insertTransactions, updateTransaction } from "./rows.ts";

const DAY_MS = 86_400_000;
const gateway = await startClockedGateway();
/** Money is watched for longer than the pool rests. */
const watching = await startClockedGateway({
  CPG_DISPLAY_WINDOW: "60",
  CPG_MONITORING_WINDOW: "1000",
  CPG_REUSE_WINDOW: "10",
});
/** The pool rests for longer than money is watched. */
const resting = await startClockedGateway({
  CPG_MONITORING_WINDOW: "10",
  CPG_REUSE_WINDOW: "1000",
});
const GATEWAYS = [gateway, watching, resting];
Deno.test.afterAll(async () => {
  for (const each of GATEWAYS) await each.stop();
});
for (const { deps } of GATEWAYS) {
  await makeNetwork(deps, { code: "ETH", rpcUrls: [DEAD_NODE], chainId: "1" });
  await makeNetwork(deps, { code: "BSC", rpcUrls: [DEAD_NODE], chainId: "56" });
}

async function makePool(at: ClockedGateway = gateway) {
  const merchant = await makeClockedMerchant(at);
  const { accountId, api } = merchant;
  for (const network of ["ETH", "BSC"]) {
    await enable(at.deps, { accountId, network, currency: "ETH" });
  }
  const allocate = async (order: Record<string, string> = {}) => {
    const idempotency_key = crypto.randomUUID();
    const body = { currency: "ETH", network: "ETH", idempotency_key, ...order };
    const reply = await api.post("/v1/deposit-addresses", body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.data as { address: string; request_id: number; display_expires_at: string };
  };
  return { ...merchant, allocate };
}

Deno.test("spec 8: the same account can reuse a pool address after 7 days, and not a second earlier", async () => {
  const { allocate } = await makePool();
  const first = await allocate();
  gateway.clock.advance(7 * DAY_MS - 1000);
  const early = await allocate();
  assert.notEqual(early.address, first.address);
  gateway.clock.advance(2000);
  const late = await allocate();
  assert.equal(late.address, first.address);
  assert.notEqual(late.request_id, first.request_id);
  assert.equal(Date.parse(late.display_expires_at), gateway.clock.nowMs() + 3 * 3_600_000);
  const next = await allocate();
  assert.ok(![first.address, early.address].includes(next.address), "It is in use again");
});

Deno.test("an idle pool address goes to one request of its old account, and to no user or stranger", async () => {
  const [{ allocate }, other] = [await makePool(), await makePool()];
  const pool = [(await allocate()).address, (await allocate()).address];
  gateway.clock.advance(8 * DAY_MS);
  const strangers = await Promise.all([other.allocate(), other.allocate()]);
  const sticky = await allocate({ user_identifier: "sticky" });
  for (const { address } of [...strangers, sticky]) assert.ok(!pool.includes(address));
  const again = await Promise.all([allocate(), allocate()]);
  assert.deepEqual(again.map(({ address }) => address).sort(), pool.toSorted());
  assert.ok(!pool.includes((await allocate()).address), "Both are in use again");
});

Deno.test("whoever comes second to a pool address gets another one, without an alert", async () => {
  const { allocate, accountId, credentials: { keyId } } = await makePool();
  const first = await allocate();
  gateway.clock.advance(8 * DAY_MS);
  const { deps } = gateway;
  let rivals = 0;
  const slow: Deps = {
    ...deps,
    db: {
      ...deps.db,
      query: async (sql, args) => {
        if (/deposit_requests_owner/.test(sql) && rivals++ === 0) {
          assert.equal((await allocate()).address, first.address);
        }
        return await deps.db.query(sql, args);
      },
    },
  };
  const signature = crypto.randomUUID().repeat(2);
  const signatureExpiresAtMs = gateway.clock.nowMs() + 600_000;
  const { row: second } = await allocateDepositAddress(slow, {
    caller: { accountId, keyId, signature, signatureExpiresAtMs },
    ...{ network: "ETH", currency: "ETH", userIdentifier: null, idempotencyKey: null },
  });
  assert.equal(rivals, 1);
  assert.notEqual(second.address, first.address);
  assert.deepEqual(await alertsOf(deps), []);
});

Deno.test("contract 1: a reused address starts all its windows again", async () => {
  const { allocate } = await makePool();
  const { address } = await allocate();
  gateway.clock.advance(8 * DAY_MS);
  assert.equal((await allocate()).address, address);
  gateway.clock.advance(6 * DAY_MS);
  assert.notEqual((await allocate()).address, address);
  gateway.clock.advance(1 * DAY_MS + 1000);
  assert.equal((await allocate()).address, address);
});

for (const [what, at] of [["monitoring", watching], ["reuse", resting]] as const) {
  Deno.test(`contract 1: idle means past monitoring and reuse, whichever ends later: the ${what} window`, async () => {
    const { allocate } = await makePool(at);
    const { address } = await allocate();
    at.clock.advance(999_000);
    assert.notEqual((await allocate()).address, address);
    at.clock.advance(2000);
    assert.equal((await allocate()).address, address);
  });
}

Deno.test("spec 8: the display window is configurable", async () => {
  const { allocate, api } = await makePool(watching);
  const { request_id, display_expires_at } = await allocate();
  assert.equal(Date.parse(display_expires_at), watching.clock.nowMs() + 60_000);
  const status = async () => (await api.get(`/v1/deposit-requests/${request_id}`)).body.data.status;
  watching.clock.advance(59_000);
  assert.equal(await status(), "active");
  watching.clock.advance(2000);
  assert.equal(await status(), "expired_for_display");
});

Deno.test("spec 4.4: a pool address is never given to another account or on another network", async () => {
  const one = await makePool();
  const { address } = await one.allocate();
  gateway.clock.advance(30 * DAY_MS);
  const two = await makePool();
  assert.notEqual((await two.allocate()).address, address);
  assert.notEqual((await one.allocate({ network: "BSC" })).address, address);
  assert.equal((await one.allocate()).address, address);
});

Deno.test("spec 4.4: sticky addresses are never reused, and a pool address never becomes sticky", async () => {
  const { allocate } = await makePool();
  const sticky = await allocate({ user_identifier: "keeps" });
  const pool = await allocate();
  gateway.clock.advance(365 * DAY_MS);
  const other = await allocate({ user_identifier: "new" });
  assert.ok(![sticky.address, pool.address].includes(other.address));
  const given = [await allocate(), await allocate(), await allocate()];
  const addresses = given.map(({ address }) => address);
  assert.equal(addresses[0], pool.address);
  assert.equal(addresses.includes(sticky.address) || addresses.includes(other.address), false);
  assert.equal((await allocate({ user_identifier: "keeps" })).address, sticky.address);
});

Deno.test("spec 4.4: with one idle address and many requests at once exactly one gets it", async () => {
  const { allocate } = await makePool();
  const { address } = await allocate();
  gateway.clock.advance(8 * DAY_MS);
  const given = await Promise.all(Array.from({ length: 20 }, () => allocate()));
  assert.equal(given.filter((each) => each.address === address).length, 1);
  assert.equal(new Set(given.map((each) => each.address)).size, 20);
});

Deno.test("spec 4.4: many idle addresses are used up before a fresh one is created", async () => {
  const { allocate } = await makePool();
  const pool = await Promise.all(Array.from({ length: 12 }, () => allocate()));
  gateway.clock.advance(8 * DAY_MS);
  const again = await Promise.all(Array.from({ length: 12 }, () => allocate()));
  const sorted = (rows: readonly { address: string }[]) => rows.map((row) => row.address).sort();
  assert.deepEqual(sorted(again), sorted(pool));
});

/** The money on the address, and whether the address may be given again. */
const MONEY: readonly {
  status: TransactionRow["status"];
  isSwept: boolean;
  isBelowMinimum?: boolean;
  isIdle: boolean;
}[] = [
  { status: "detected", isSwept: false, isIdle: false },
  { status: "detected", isSwept: true, isIdle: false },
  { status: "confirmed", isSwept: false, isIdle: true },
  { status: "confirmed", isSwept: true, isIdle: false },
  { status: "confirmed", isSwept: true, isBelowMinimum: true, isIdle: true },
  { status: "sweep_pending", isSwept: true, isIdle: false },
  { status: "swept", isSwept: true, isIdle: true },
  { status: "failed", isSwept: true, isIdle: true },
  { status: "failed", isSwept: false, isIdle: true },
];

for (const { status, isSwept, isBelowMinimum = false, isIdle } of MONEY) {
  const where = (isBelowMinimum ? "of dust " : "") +
    (isSwept ? "with a receiving wallet" : "without a receiving wallet");
  Deno.test(`contract 1: a ${status} deposit ${where} makes an address ${isIdle ? "idle" : "busy"}`, async () => {
    const { allocate, accountId } = await makePool();
    if (isSwept) {
      const address = "0x52908400098527886E0F7030069857D2E4169EE7";
      await setReceivingWallet(gateway.deps, { accountId, network: "ETH", address, actor: "test" });
    }
    const { address, request_id } = await allocate();
    const [row] = await gateway.deps.db.query("SELECT id FROM addresses WHERE address = ?", [
      address,
    ]);
    const [deposit] = await insertTransactions(gateway.deps, [{
      accountId,
      status,
      toAddress: address,
      addressId: Number(row!.id),
      depositRequestId: request_id,
      isBelowMinimum,
    }]);
    gateway.clock.advance(8 * DAY_MS);
    assert.equal((await allocate()).address === address, isIdle);
    if (isIdle) return;
    await updateTransaction(gateway.deps, { id: deposit!.id, change: { status: "swept" } });
    assert.equal((await allocate()).address, address);
  });
}
