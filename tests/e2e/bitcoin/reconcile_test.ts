import assert from "node:assert/strict";
import { rescan } from "../../../src/following/rescan.ts";
import { Outputs } from "../../../src/outputs/table.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { startLitecoinLater } from "../../support/litecoin_world.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import { allocate, balanceOf, depositsOf, withdraw } from "../../support/views.ts";
import type { BareWorld } from "../../support/world.ts";

async function looked({ deps }: BareWorld) {
  const { differences, surplus, skipped } = await reconcile(deps, { network: "LTC" });
  return {
    differences: differences.map(({ kind, expected, found }) => [kind, expected, found]),
    surplus,
    skipped: skipped.map(({ reason }) => reason),
  };
}

const ALIKE = { differences: [], surplus: [], skipped: [] };

Deno.test("outputs in the books are asked of the node, at every moment of deposits and payouts", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinLater(node);
  const { merchant: { api, hotWallet } } = world;
  await node.mine(1);
  await world.round();
  assert.deepEqual(await looked(world), ALIKE);
  const { address } = await allocate(api, { network: "LTC", currency: "LTC" });
  await node.pay(address, "1.25");
  await node.pay(hotWallet, "3");
  for (let i = 0; i < 3; i++) {
    await node.mine(1);
    await world.round();
    assert.deepEqual(await looked(world), ALIKE, `block ${i}`);
  }
  const to: string = await node.rpc("getnewaddress", [], "payer");
  const paid = await withdraw(api, { network: "LTC", currency: "LTC", to, amount: "0.5" });
  assert.equal(paid.body.data.status, "broadcasted", JSON.stringify(paid.body));
  assert.deepEqual(await looked(world), ALIKE, "signed");
  await node.mine(1);
  const { differences, skipped } = await looked(world);
  assert.deepEqual(differences, [], "a block that isn't read yet is no difference");
  assert.match(skipped.join(), /it can't say what was there/);
  await world.round();
  assert.deepEqual(await looked(world), ALIKE, "mined");
  assert.deepEqual(world.faults, []);
});

Deno.test("an output that the node doesn't have is a difference, for wallets and deposit addresses", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinLater(node);
  const { deps, merchant: { api, hotWallet } } = world;
  const { address } = await allocate(api, { network: "LTC", currency: "LTC" });
  await node.pay(address, "1.25");
  await node.pay(hotWallet, "3");
  await node.mine(3);
  await world.round();
  assert.equal((await balanceOf(api, "LTC")).balance, "1.25");
  for (const row of await deps.db.rows(Outputs, "ORDER BY id")) {
    await deps.db.write({
      reads: [],
      decide: (view) => {
        const { id: _, ...fields } = row;
        view.insert(Outputs, { ...fields, txHash: "ab".repeat(32), position: row.id });
      },
    });
  }
  const { differences } = await looked(world);
  assert.deepEqual(differences, [["hot_wallet", "6", "3"]]);
  const chain = deps.chains.of((await deps.catalog.current()).network("LTC")!);
  assert.deepEqual(
    await chain.balancesAt(await chain.tip(), [{ address, contract: null }]),
    [125_000_000n],
  );
});

Deno.test("a rescan finds what was paid before the start block, and it can be spent", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinLater(node, { later: 2 });
  const { deps, merchant: { api, hotWallet } } = world;
  const { address } = await allocate(api, { network: "LTC", currency: "LTC" });
  await node.pay(address, "1.25");
  await node.pay(hotWallet, "3");
  await node.mine(1);
  const from: number = await node.rpc("getblockcount");
  await node.mine(2);
  await world.round();
  assert.deepEqual(await depositsOf(api), []);
  const order = { network: "LTC", fromBlock: from, actor: "test" };
  await assert.rejects(rescan(deps, { ...order, toBlock: from }), /read again to the newest one/);
  const { found } = await rescan(deps, { ...order, toBlock: undefined });
  assert.equal(found, 1);
  await node.mine(1);
  await world.round();
  assert.equal((await depositsOf(api))[0]?.status, "confirmed");
  assert.deepEqual(await looked(world), ALIKE);
  const to: string = await node.rpc("getnewaddress", [], "payer");
  const paid = await withdraw(api, { network: "LTC", currency: "LTC", to, amount: "0.5" });
  assert.equal(paid.body.data.status, "broadcasted", JSON.stringify(paid.body));
  const again = await rescan(deps, { ...order, toBlock: undefined });
  assert.equal(again.found, 0);
  await node.mine(2);
  await world.round();
  assert.deepEqual(await looked(world), ALIKE);
});
