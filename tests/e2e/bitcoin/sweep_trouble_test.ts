import assert from "node:assert/strict";
import { withPayments } from "../../../src/transfers/reads/transfers.ts";
import { Claims, type Signed, SignedTransactions } from "../../../src/transfers/table.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { outpointOf } from "../../../src/domain/outpoint.ts";
import { dropOrphaned } from "../../../src/settlement/drop_orphaned.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { assignSweeps } from "../../../src/sweeps/assign.ts";
import { callSwept } from "../../support/sweeping.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { type Fault, type FaultProxy, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import {
  arrivedAt,
  type LitecoinWorld,
  startTurningWorld,
  sweepToNode,
} from "../../support/litecoin_turns.ts";
import { allocate, balanceOf, depositsOf, transactionsOf } from "../../support/views.ts";

async function newAddress({ merchant: { api } }: LitecoinWorld): Promise<string> {
  return (await allocate(api, { network: "LTC", currency: "LTC" })).address;
}

async function signedOf({ deps }: LitecoinWorld): Promise<Signed[]> {
  return await withPayments(deps.db, await deps.db.rows(SignedTransactions, "ORDER BY id"));
}

async function depositStates({ merchant: { api } }: LitecoinWorld): Promise<string[]> {
  return (await depositsOf(api)).map(({ status }) => status).reverse();
}

function codesOf({ deps }: LitecoinWorld): Promise<(string | null)[]> {
  return deps.db.rows(Sweeps, "ORDER BY id").then((rows) => rows.map(({ code }) => code));
}

/** Known at once: a gateway that has just started has no price in its memory. */
async function setRate(world: LitecoinWorld, proxy: FaultProxy, coinsPerKb: number): Promise<void> {
  proxy.onCall = (method): Fault =>
    method === "estimatesmartfee"
      ? { edit: (reply) => ({ ...reply, error: null, result: { feerate: coinsPerKb, blocks: 3 } }) }
      : "pass";
  await world.restart();
}

Deno.test("a sweep that would cost more than a quarter waits for lower fees", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using proxy = await startFaultProxy(node.url, () => "pass");
  await using world = await startTurningWorld({ node, url: proxy.url });
  const wallet = await sweepToNode(world, world.merchant);
  await setRate(world, proxy, 0.01);
  await world.look();
  // One of them costs 110,000 alone; together 68,000 for each and the rest once.
  const [small, large] = [await newAddress(world), await newAddress(world)];
  await node.pay(small, "0.002");
  await world.look(2);
  await world.turn();
  assert.deepEqual(await codesOf(world), ["not_worth_it"]);
  await node.pay(large, "0.01");
  await world.look(2);
  await world.turn(3);
  assert.deepEqual(await codesOf(world), ["not_worth_it", null]);
  assert.deepEqual(await depositStates(world), ["confirmed", "swept"]);
  const [alone] = await signedOf(world);
  assert.deepEqual(alone!.payments.map(({ fromAddress }) => fromAddress), [large]);
  await setRate(world, proxy, 0.0001);
  await world.turn(40);
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  const signed = await signedOf(world);
  const fees = signed.reduce((sum, { tx }) => sum + BigInt(tx.feeRaw!), 0n);
  assert.equal(await arrivedAt(world, wallet), 1_200_000n - fees);
});

Deno.test("one that isn't worth a transaction of its own joins others", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using proxy = await startFaultProxy(node.url, () => "pass");
  await using world = await startTurningWorld({ node, url: proxy.url });
  await sweepToNode(world, world.merchant);
  await setRate(world, proxy, 0.01);
  await world.look();
  const addresses = [await newAddress(world), await newAddress(world), await newAddress(world)];
  // Less than four times 110,000, and more than four times 89,000.
  for (const address of addresses) await node.pay(address, "0.004");
  await world.look(2);
  await world.turn(3);
  assert.deepEqual(await depositStates(world), ["swept", "swept", "swept"]);
  const [{ payments }] = await signedOf(world) as [Signed];
  assert.equal(payments.length, 3);
});

Deno.test("a stuck sweep is bid again for the same outputs, and one of the two is mined", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using proxy = await startFaultProxy(node.url, () => "pass");
  await using world = await startTurningWorld({ node, url: proxy.url });
  const wallet = await sweepToNode(world, world.merchant);
  await world.look();
  for (let i = 0; i < 3; i++) await node.pay(await newAddress(world), "0.5");
  await world.look(2);
  await world.turn();
  const [first] = await signedOf(world);
  await node.rpc("prioritisetransaction", [first!.tx.txHash, 0, -100_000_000]);
  await setRate(world, proxy, 0.001);
  await world.turn(5);
  const bids = await signedOf(world);
  assert.equal(bids.length, 2);
  const [, bid] = bids;
  assert.deepEqual(
    bid!.payments.map(({ fromAddress, amountRaw, toAddress }) => ({
      fromAddress,
      amountRaw,
      toAddress,
    })),
    first!.payments.map(({ fromAddress, amountRaw, toAddress }) => ({
      fromAddress,
      amountRaw,
      toAddress,
    })),
  );
  assert.deepEqual(await node.rpc("getrawmempool"), [bid!.tx.txHash]);
  const shown = await transactionsOf(world.merchant.api, "&direction=sweep");
  assert.deepEqual(new Set(shown.map(({ tx_hash }) => tx_hash)), new Set([bid!.tx.txHash]));
  await world.turn(3);
  assert.deepEqual(await depositStates(world), ["swept", "swept", "swept"]);
  assert.deepEqual((await signedOf(world)).map(({ tx }) => tx.state), ["superseded", "settled"]);
  const fee = BigInt((await signedOf(world))[1]!.tx.feeRaw!);
  assert.equal(fee, 24_600n);
  assert.equal(await arrivedAt(world, wallet), 150_000_000n - fee);
});

for (const drop of ["before", "after"] as const) {
  Deno.test(`a kill ${drop} a sweep reaches the node leaves exactly one transaction`, async () => {
    await using node = await startLitecoind({ blocks: 101 });
    await using proxy = await startFaultProxy(node.url, () => "pass");
    await using world = await startTurningWorld({ node, url: proxy.url });
    const wallet = await sweepToNode(world, world.merchant);
    await world.look();
    for (let i = 0; i < 2; i++) await node.pay(await newAddress(world), "0.5");
    await world.look(2);
    proxy.onCall = (method) => method === "sendrawtransaction" ? { drop } : "pass";
    await world.turn();
    proxy.onCall = () => "pass";
    await world.restart();
    await world.turn(4);
    assert.deepEqual(await depositStates(world), ["swept", "swept"]);
    const [{ tx }, ...more] = await signedOf(world) as [Signed];
    assert.deepEqual(more, []);
    assert.equal(await arrivedAt(world, wallet), 100_000_000n - BigInt(tx.feeRaw!));
  });
}

Deno.test("a sweep that a node refuses is sent again, and stays the only one", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using proxy = await startFaultProxy(node.url, () => "pass");
  await using world = await startTurningWorld({ node, url: proxy.url });
  await sweepToNode(world, world.merchant);
  await world.look();
  for (let i = 0; i < 2; i++) await node.pay(await newAddress(world), "0.5");
  await world.look(2);
  const error = { code: -26, message: "mempool min fee not met, 100 < 200" };
  proxy.onCall = (method) =>
    method === "sendrawtransaction"
      ? { edit: (reply) => ({ ...reply, result: null, error }) }
      : "pass";
  await world.turn();
  await node.rpc("getrawmempool");
  proxy.onCall = () => "pass";
  await world.turn(4);
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  assert.equal((await signedOf(world)).length, 1);
});

Deno.test("a block that leaves the chain takes a sweep with it, and brings it back", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startTurningWorld({ node, minConfirmations: 3 });
  const wallet = await sweepToNode(world, world.merchant);
  await world.look();
  for (let i = 0; i < 2; i++) await node.pay(await newAddress(world), "0.5");
  await world.look(3);
  await world.turn(2);
  const [before] = await signedOf(world);
  await node.invalidate(before!.tx.blockHash!);
  // To another address, or it would be the block that is no longer wanted.
  await node.mine(2, await node.rpc("getnewaddress", [], "payer"));
  await world.round();
  await world.turn(4);
  const [{ tx }, ...more] = await signedOf(world) as [Signed];
  assert.deepEqual(more, []);
  assert.notEqual(tx.blockHash, before!.tx.blockHash);
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  assert.equal(await arrivedAt(world, wallet), 100_000_000n - BigInt(tx.feeRaw!));
});

Deno.test("a deposit that is spent otherwise takes only itself out of a sweep", async () => {
  await using node = await startLitecoind({ blocks: 102 });
  await using other = await startLitecoind();
  await other.connect(node);
  await using world = await startTurningWorld({ node });
  const wallet = await sweepToNode(world, world.merchant);
  await world.look();
  const [kept, lost] = [await newAddress(world), await newAddress(world)];
  await node.pay(kept, "0.5");
  await world.look();
  await other.connect(node);
  await other.cut(node);
  const paid = await node.pay(lost, "0.7");
  const { hex } = await node.rpc("gettransaction", [paid], "payer");
  const { vin } = await node.rpc("decoderawtransaction", [hex]);
  await world.look(2);
  await world.turn();
  const [dead] = await signedOf(world);
  assert.equal(dead!.payments.length, 2);
  // What paid it is spent by another transaction, on a longer branch.
  const inputs = vin.map(({ txid, vout }: { txid: string; vout: number }) => ({ txid, vout }));
  const elsewhere = await node.rpc("getnewaddress", [], "payer");
  const raw = await node.rpc("createrawtransaction", [inputs, { [elsewhere]: 0.001 }]);
  const spent = await Promise.all(
    inputs.map(async ({ txid, vout }: { txid: string; vout: number }) => {
      const { scriptPubKey, value: amount } = await other.rpc("gettxout", [txid, vout]);
      return { txid, vout, scriptPubKey: scriptPubKey.hex, amount };
    }),
  );
  const signed = await node.rpc("signrawtransactionwithwallet", [raw, spent], "payer");
  await other.rpc("sendrawtransaction", [signed.hex, 0]);
  await other.mine(6);
  await node.connect(other);
  await world.round();
  await world.turn(6);
  assert.deepEqual(await depositStates(world), ["swept", "failed"]);
  assert.equal((await balanceOf(world.merchant.api, "LTC")).balance, "0.5");
  const bids = await signedOf(world);
  assert.deepEqual(bids.map(({ tx }) => tx.state), ["abandoned", "settled"]);
  assert.equal(await arrivedAt(world, wallet), 50_000_000n - BigInt(bids[1]!.tx.feeRaw!));
  const rows = await transactionsOf(world.merchant.api, "&direction=sweep");
  assert.deepEqual(rows.map(({ status }) => status).sort(), ["confirmed", "failed", "failed"]);
});

Deno.test("with a sweep, all that any bid for its outputs had gathered is given up", async () => {
  await using node = await startLitecoind({ blocks: 102 });
  await using world = await startTurningWorld({ node });
  const { deps } = world;
  await sweepToNode(world, world.merchant);
  await world.look();
  const [lost, kept] = [await newAddress(world), await newAddress(world)];
  await node.pay(lost, "0.5");
  await world.look(2);
  await world.round({ aheadMs: 700_000 });
  const paid = await node.rpc("gettransaction", [await node.pay(kept, "0.7")], "payer");
  const own = await node.rpc("getnewaddress", [], "payer");
  for (const raws of [[paid.hex], [], []]) {
    await node.rpc("generateblock", [own, raws]);
    await world.round();
  }
  await world.round({ aheadMs: 1_400_000 });
  const [first, second] = await signedOf(world);
  const [deposit] = await deps.db.rows(Transactions, "WHERE to_address = ?", [lost]);
  // As if the second had gathered both, and a reorganisation had taken the first deposit.
  await deps.db.write({
    reads: [read(Transactions, [deposit!.id])],
    decide: (view) => {
      view.insertKeyed(Claims, {
        signedId: second!.tx.id,
        claim: outpointOf(deposit!),
        network: "LTC",
        isOnce: true,
        liveClaim: null,
      });
      const row = view.get(Transactions, [deposit!.id]);
      view.update(Transactions, row, { status: "failed", blockHash: null, live: null });
    },
  });
  await dropOrphaned(deps, await findNetwork(deps, "LTC"));
  const states = (await signedOf(world)).map(({ tx: { id, state } }) => [id, state]);
  assert.deepEqual(states, [[first!.tx.id, "abandoned"], [second!.tx.id, "abandoned"]]);
  const sweeps = await deps.db.rows(Sweeps, "ORDER BY id");
  assert.deepEqual(sweeps.map(({ state }) => state), ["waiting", "waiting"]);
});

Deno.test("an output that counts as swept and isn't spent is swept again, and none that is spent", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startTurningWorld({ node });
  const { deps } = world;
  const wallet = await sweepToNode(world, world.merchant);
  await world.look();
  const address = await newAddress(world);
  await node.pay(address, "0.5");
  await world.look(2);
  await assignSweeps(deps, await findNetwork(deps, "LTC"));
  const [sweep] = await deps.db.rows(Sweeps, "ORDER BY id");
  await callSwept(deps, sweep!);
  await node.pay(address, "0.5");
  await world.look(2);
  await world.turn(3);
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  assert.equal((await signedOf(world)).length, 1);
  await reconcile(deps, { network: "LTC" });
  assert.deepEqual(await depositStates(world), ["confirmed", "swept"]);
  await world.turn(5);
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  const signed = await signedOf(world);
  const fees = signed.reduce((sum, { tx }) => sum + BigInt(tx.feeRaw!), 0n);
  assert.equal(await arrivedAt(world, wallet), 100_000_000n - fees);
  await reconcile(deps, { network: "LTC" });
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
});

Deno.test("a deposit that a sweep has, and its transaction doesn't spend, goes with the next", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startTurningWorld({ node });
  const { deps } = world;
  const wallet = await sweepToNode(world, world.merchant);
  await world.look();
  const address = await newAddress(world);
  await node.pay(address, "0.5");
  await world.look(2);
  await world.turn();
  const [{ tx, payments: [payment] }] = await signedOf(world) as [Signed];
  await node.rpc("prioritisetransaction", [tx.txHash, 0, -100_000_000]);
  await node.pay(address, "0.25");
  await world.look(2);
  assert.deepEqual(await depositStates(world), ["sweep_pending", "confirmed"]);
  // As if the sweep had been signed for again with it, and that had lost to the first.
  const [, later] = await deps.db.rows(Transactions, "WHERE direction = 'deposit' ORDER BY id");
  await deps.db.write({
    reads: [read(Transactions, [later!.id])],
    decide: (view) => {
      const { sweepId } = payment!;
      view.update(Transactions, view.get(Transactions, [later!.id]), {
        status: "sweep_pending",
        sweepId,
      });
    },
  });
  await node.rpc("prioritisetransaction", [tx.txHash, 0, 100_000_000]);
  await world.turn(6);
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  const signed = await signedOf(world);
  assert.equal(signed.length, 2);
  const fees = signed.reduce((sum, one) => sum + BigInt(one.tx.feeRaw!), 0n);
  assert.equal(await arrivedAt(world, wallet), 75_000_000n - fees);
});
