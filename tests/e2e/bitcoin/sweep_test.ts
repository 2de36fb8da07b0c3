import assert from "node:assert/strict";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import {
  arrivedAt,
  type LitecoinWorld,
  startTurningWorld,
  sweepToNode,
} from "../../support/litecoin_turns.ts";
import { allocate, type Allocated, depositsOf, transactionsOf } from "../../support/views.ts";
import type { WorldMerchant } from "../../support/world.ts";
import { addUpCoins, coinsMoved } from "../../../src/accounts/coins_moved.ts";
import { addUpCosts } from "../../../src/costs/add_up.ts";
import { costsOfMonth } from "../../../src/costs/of_month.ts";
import { paidFor } from "../../../src/costs/reads.ts";
import { CostHours } from "../../../src/costs/table.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { withPayments } from "../../../src/transfers/reads/transfers.ts";
import { type Signed, SignedTransactions } from "../../../src/transfers/table.ts";

function newAddress({ api }: WorldMerchant): Promise<Allocated> {
  return allocate(api, { network: "LTC", currency: "LTC" });
}

async function sweepsOf({ deps }: LitecoinWorld): Promise<Signed[]> {
  return await withPayments(deps.db, await deps.db.rows(SignedTransactions, "ORDER BY id"));
}

function raw(coins: string): bigint {
  const [whole, part = ""] = coins.split(".");
  return BigInt(whole! + part.padEnd(8, "0"));
}

Deno.test("ten addresses are swept in one transaction, each with a row and its share of the fee", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startTurningWorld({ node });
  const { merchant } = world;
  const wallet = await sweepToNode(world, merchant);
  await world.look();
  const addresses = [];
  for (let i = 0; i < 10; i++) addresses.push((await newAddress(merchant)).address);
  for (const [i, address] of addresses.entries()) await node.pay(address, `0.${i + 1}1`);
  // Several outputs of one address.
  await node.pay(addresses[0]!, "0.5");
  await node.pay(addresses[0]!, "0.7");
  await world.look(2);
  assert.deepEqual(
    (await depositsOf(merchant.api)).map(({ status }) => status),
    Array(12).fill("confirmed"),
  );
  await world.turn();
  const [sweep, ...more] = await sweepsOf(world);
  assert.deepEqual(more, []);
  const { tx, payments } = sweep!;
  assert.equal(payments.length, 10);
  assert.deepEqual(await node.rpc("getrawmempool"), [tx.txHash]);
  await world.turn(2);
  const swept = await transactionsOf(merchant.api, "&direction=sweep");
  assert.deepEqual(swept.map(({ status }) => status), Array(10).fill("confirmed"));
  assert.deepEqual(new Set(swept.map(({ tx_hash }) => tx_hash)), new Set([tx.txHash]));
  assert.deepEqual(new Set(swept.map(({ to_address }) => to_address)), new Set([wallet]));
  const byAddress = new Map(swept.map((row) => [row.from_address, row.amount_decimal]));
  assert.equal(byAddress.get(addresses[0]!), "1.31");
  assert.equal(byAddress.get(addresses[9]!), "0.101");
  const gave = swept.reduce((sum, { amount_decimal }) => sum + raw(amount_decimal), 0n);
  const [settled] = await sweepsOf(world);
  assert.equal(await arrivedAt(world, wallet), gave - BigInt(settled!.tx.feeRaw!));
  assert.deepEqual(
    (await depositsOf(merchant.api)).map(({ status }) => status),
    Array(12).fill("swept"),
  );
  assert.deepEqual(world.faults, []);
});

Deno.test("accounts don't share a sweep", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startTurningWorld({ node });
  const other = await world.addMerchant("Other");
  const accounts = [world.merchant, other];
  await world.look();
  const wallets = [];
  for (const merchant of accounts) {
    wallets.push(await sweepToNode(world, merchant));
    for (let i = 0; i < 2; i++) await node.pay((await newAddress(merchant)).address, "1");
  }
  await world.look(2);
  await world.turn(3);
  const sweeps = await sweepsOf(world);
  assert.deepEqual(sweeps.map(({ payments }) => payments.length), [2, 2]);
  for (const [i, { api }] of accounts.entries()) {
    const rows = await transactionsOf(api, "&direction=sweep");
    assert.equal(rows.length, 2);
    assert.deepEqual(new Set(rows.map(({ to_address }) => to_address)), new Set([wallets[i]]));
    assert.equal(new Set(rows.map(({ tx_hash }) => tx_hash)).size, 1);
  }
  const fees = sweeps.map(({ tx }) => BigInt(tx.feeRaw!));
  assert.equal(await arrivedAt(world, wallets[0]!), 200_000_000n - fees[0]!);
  assert.equal(await arrivedAt(world, wallets[1]!), 200_000_000n - fees[1]!);
});

Deno.test("books, sums and costs of a sweep add up to what the chain shows", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startTurningWorld({ node });
  const { deps, merchant } = world;
  await sweepToNode(world, merchant);
  await world.look();
  const addresses = [await newAddress(merchant), await newAddress(merchant)];
  for (const { address } of addresses) await node.pay(address, "0.5");
  await node.pay(addresses[0]!.address, "0.25");
  await node.pay(addresses[0]!.address, "0.125");
  await world.look(2);
  await checkBooks(world);
  await world.turn();
  await checkBooks(world);
  await world.turn(3);
  await checkBooks(world);
  const [{ tx }] = await sweepsOf(world) as [Signed];
  const feeRaw = BigInt(tx.feeRaw!);
  await addUpCosts(deps);
  const [cost, ...others] = await deps.db.rows(CostHours, "ORDER BY starts_at_ms");
  assert.deepEqual(others, []);
  const { way, sweeps, deposits } = cost!;
  assert.deepEqual({ way, sweeps, deposits }, { way: "batch", sweeps: 2, deposits: 4 });
  assert.equal(BigInt(cost!.feeRaw), feeRaw);
  const span = { network: "LTC", fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER };
  const parts = await paidFor(deps.db, { ...span, hasOutputs: true });
  assert.deepEqual(parts.map(({ size }) => size).sort(), [1, 3]);
  await addUpCoins(deps);
  const of = (await coinsMoved(deps, merchant.accountId))!("LTC/LTC").amounts;
  assert.equal(String(of.get("swept")), "1.375");
  assert.equal(String(of.get("emptied")), "1.375");
  assert.equal(of.get("fees_inside")?.toRaw(8), feeRaw);
  const network = (await deps.catalog.current()).network("LTC")!;
  const { kept } = await costsOfMonth(deps.db, { network, month: "2026-11", nowMs: 0 });
  assert.equal(String(kept), "0");
});

async function checkBooks({ deps }: LitecoinWorld): Promise<void> {
  const { differences, surplus, skipped } = await reconcile(deps, { network: undefined });
  assert.deepEqual({ differences, surplus, skipped }, {
    differences: [],
    surplus: [],
    skipped: [],
  });
}
