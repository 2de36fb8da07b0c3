import assert from "node:assert/strict";
import type { TransactionRow } from "../../src/deposits/tables/transactions.ts";
import { enable, makeNetwork, makeToken } from "../support/gateway.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "./clocked_gateway.ts";
import { insertTransactions, setCursor, updateTransaction } from "./rows.ts";
import { assertRefused } from "./withdrawals/refusals.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps, clock } = gateway;
await makeNetwork(deps, { code: "ETH", rpcUrls: [DEAD_NODE], chainId: "1" });
await makeToken(deps, { network: "ETH", contract: "0xdAC17F958D2ee523a2206206994597C13D831ec7" });

interface Allocated {
  readonly request_id: number;
  readonly address: string;
}

async function makeEnabled(at = gateway) {
  const { deps } = at;
  const merchant = await makeClockedMerchant(at);
  const { accountId, api } = merchant;
  for (const currency of ["ETH", "USDT"]) {
    await enable(deps, { accountId, network: "ETH", currency });
  }
  const allocate = async (order: Record<string, string> = {}) => {
    const idempotency_key = crypto.randomUUID();
    const body = { currency: "ETH", network: "ETH", idempotency_key, ...order };
    const reply = await api.post("/v1/deposit-addresses", body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.data;
  };
  const read = async ({ request_id }: Allocated) => {
    const reply = await api.get(`/v1/deposit-requests/${request_id}`);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.data;
  };
  const pay = async ({ address, request_id }: Allocated, row: Partial<TransactionRow> = {}) => {
    const [known] = await deps.db.query("SELECT id FROM addresses WHERE address = ?", [address]);
    const toAddress = address;
    const owner = { accountId, addressId: Number(known!.id), depositRequestId: request_id };
    const [deposit] = await insertTransactions(deps, [{ ...owner, toAddress, ...row }]);
    return deposit!;
  };
  return { ...merchant, allocate, read, pay };
}

const hashesOf = (data: { transactions: { tx_hash: string }[] }) =>
  data.transactions.map(({ tx_hash }) => tx_hash);

Deno.test("spec 4.5: a new request is active, and only the allocation has contract_address", async () => {
  const { allocate, api } = await makeEnabled();
  for (const order of [{}, { currency: "USDT", user_identifier: "u" }]) {
    const { contract_address: _, ...allocated } = await allocate(order);
    const { body } = await api.get(`/v1/deposit-requests/${allocated.request_id}`);
    assert.deepEqual(Object.keys(body).sort(), ["data", "message", "success"]);
    assert.deepEqual(body.data, { ...allocated, status: "active", transactions: [] });
  }
});

Deno.test("spec 2.4: each of its transactions has these fields, confirmed_at null until it is confirmed", async () => {
  const { allocate, read, pay } = await makeEnabled();
  const given = await allocate();
  const deposit = await pay(given, {
    amount: "0.000000000000000001",
    blockNumber: 98,
    blockHash: "0xa",
  });
  await setCursor(deps, { network: "ETH", change: { topHeight: 99, scanHeight: 99 } });
  const detected = {
    tx_hash: deposit.txHash,
    amount_decimal: "0.000000000000000001",
    confirmations: 2,
    status: "detected",
    block_number: 98,
    detected_at: "2026-01-31T12:00:00+00:00",
    confirmed_at: null,
  };
  assert.deepEqual((await read(given)).transactions, [detected]);
  const confirmedAtMs = clock.nowMs() + 12_000;
  const change = { status: "confirmed", confirmedAtMs } as const;
  await updateTransaction(deps, { id: deposit.id, change });
  await setCursor(deps, { network: "ETH", change: { topHeight: 100, scanHeight: 100 } });
  assert.deepEqual((await read(given)).transactions, [{
    ...detected,
    confirmations: 3,
    status: "confirmed",
    confirmed_at: "2026-01-31T12:00:12+00:00",
  }]);
});

Deno.test("contract 5: a payment that is recorded while its request is read has a confirmation", async () => {
  let meanwhile = () => Promise.resolve();
  await using slow = await startClockedGateway({}, ({ db, ...deps }) => ({
    ...deps,
    db: {
      ...db,
      rows: (table, tail, args) => meanwhile().then(() => db.rows(table, tail, args)),
    },
  }));
  await makeNetwork(slow.deps, { code: "ETH", rpcUrls: [DEAD_NODE], chainId: "1" });
  await makeToken(slow.deps, {
    network: "ETH",
    contract: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
  });
  const { allocate, read, pay } = await makeEnabled(slow);
  const allocated = await allocate();
  await setCursor(slow.deps, { network: "ETH", change: { topHeight: 6 } });
  meanwhile = async () => {
    meanwhile = () => Promise.resolve();
    // What is asked at the same moment is answered first.
    for (const _ of [1, 2]) await new Promise(setImmediate);
    await setCursor(slow.deps, { network: "ETH", change: { topHeight: 7 } });
    await pay(allocated, { blockNumber: 7, blockHash: `0x${"7".repeat(64)}` });
  };
  const [payment] = (await read(allocated)).transactions;
  assert.equal(payment.confirmations, 1);
});

Deno.test("contract 1: while a reorganisation has it in no block a transaction has 0 confirmations", async () => {
  const { allocate, read, pay } = await makeEnabled();
  const given = await allocate();
  await pay(given, { blockNumber: 50, blockHash: null });
  const [row] = (await read(given)).transactions;
  assert.deepEqual([row.confirmations, row.status], [0, "detected"]);
});

Deno.test("spec 3.3: after display_expires_at the status becomes expired_for_display", async () => {
  const { allocate, read } = await makeEnabled();
  const given = await allocate();
  clock.advance(3 * 3_600_000 - 1000);
  assert.equal((await read(given)).status, "active");
  clock.advance(2000);
  assert.equal((await read(given)).status, "expired_for_display");
});

Deno.test("spec 3.3: a detected deposit doesn't settle, a confirmed and credited one does", async () => {
  const { allocate, read, pay } = await makeEnabled();
  const given = await allocate();
  const { id } = await pay(given);
  assert.equal((await read(given)).status, "active");
  const change = { status: "confirmed", confirmedAtMs: clock.nowMs() } as const;
  await updateTransaction(deps, { id, change });
  assert.equal((await read(given)).status, "settled");
});

Deno.test("contract 1: settled wins over expired_for_display and is never left", async () => {
  const { allocate, read, pay } = await makeEnabled();
  const given = await allocate();
  clock.advance(4 * 3_600_000);
  assert.equal((await read(given)).status, "expired_for_display");
  const confirmedAtMs = clock.nowMs();
  const { id } = await pay(given, { status: "confirmed", confirmedAtMs });
  assert.equal((await read(given)).status, "settled");
  for (const status of ["sweep_pending", "swept", "failed"] as const) {
    await updateTransaction(deps, { id, change: { status } });
    clock.advance(86_400_000);
    assert.equal((await read(given)).status, "settled", status);
  }
});

Deno.test("spec 3.3, 3.4: a deposit that failed before it confirmed settles nothing and stays listed", async () => {
  const { allocate, read, pay } = await makeEnabled();
  const given = await allocate();
  await pay(given, { status: "failed", live: null });
  const { status, transactions } = await read(given);
  assert.equal(status, "active");
  assert.equal(transactions[0].status, "failed");
});

Deno.test("contract 1: a sticky request lists everything seen on the address, even from before it", async () => {
  const { allocate, read, pay } = await makeEnabled();
  const first = await allocate({ user_identifier: "s" });
  const one = await pay(first, { status: "confirmed", confirmedAtMs: clock.nowMs() });
  const second = await allocate({ user_identifier: "s" });
  const two = await pay(second);
  for (const given of [first, second]) {
    const data = await read(given);
    assert.deepEqual(hashesOf(data), [one.txHash, two.txHash]);
    assert.equal(data.status, "settled");
  }
});

Deno.test("contract 1: another known currency is in no deposit request, and in /v1/transactions", async () => {
  const { allocate, read, pay, api } = await makeEnabled();
  const [pool, sticky] = [await allocate(), await allocate({ user_identifier: "s" })];
  const paid = [
    await pay(pool, { currency: "USDT", depositRequestId: null }),
    await pay(sticky, { currency: "USDT", depositRequestId: null }),
  ];
  for (const given of [pool, sticky]) {
    const { transactions, status } = await read(given);
    assert.deepEqual([transactions, status], [[], "active"]);
  }
  const { body } = await api.get("/v1/transactions");
  assert.deepEqual(
    body.data.map((row: { tx_hash: string }) => row.tx_hash),
    paid.map(({ txHash }) => txHash).toReversed(),
  );
});

Deno.test("contract 1: a pool request lists deposits until its address goes to a later request", async () => {
  const { allocate, read, pay } = await makeEnabled();
  const first = await allocate();
  const one = await pay(first, { status: "confirmed", confirmedAtMs: clock.nowMs() });
  clock.advance(8 * 86_400_000);
  const second = await allocate();
  assert.equal(second.address, first.address);
  const two = await pay(second);
  assert.deepEqual(hashesOf(await read(first)), [one.txHash]);
  const data = await read(second);
  assert.deepEqual(hashesOf(data), [two.txHash]);
  assert.equal(data.status, "active");
});

Deno.test("contract 1: several transfers in one transaction have one row each", async () => {
  const { allocate, read, pay } = await makeEnabled();
  const given = await allocate();
  const txHash = `0x${"ab".repeat(32)}`;
  for (const position of [0, 1, 2]) {
    await pay(given, { txHash, position, amount: `${position + 1}` });
  }
  const { transactions } = await read(given);
  const amounts = transactions.map((row: { amount_decimal: string }) => row.amount_decimal);
  assert.deepEqual(amounts, ["1", "2", "3"]);
});

Deno.test("spec 4.5: an id that doesn't exist is 404", async () => {
  const { api, allocate } = await makeEnabled();
  const { request_id } = await allocate();
  assertRefused(await api.get(`/v1/deposit-requests/${request_id + 1000}`), "not_found");
});
