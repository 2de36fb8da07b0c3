import assert from "node:assert/strict";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { adoptAll } from "../../../src/restore/adopt_spends.ts";
import { outpointOf } from "../../../src/domain/outpoint.ts";
import { Outputs } from "../../../src/outputs/table.ts";
import { startTurningWorld, sweepToNode } from "../../support/litecoin_turns.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import { takeBackup } from "../../support/restoring.ts";
import { gatherElsewhere } from "../../support/signed_elsewhere.ts";
import { allocate, depositsOf, transactionsOf } from "../../support/views.ts";

const LTC = { network: "LTC", currency: "LTC" };

for (const isSame of [true, false]) {
  const where = isSame ? "to the same wallet" : "to another wallet";
  Deno.test(`a sweep that gathered more than the one it replaced is booked: ${where}`, async () => {
    await using node = await startLitecoind({ blocks: 101 });
    await using world = await startTurningWorld({ node });
    const { merchant } = world;
    const { api } = merchant;
    const wallet = await sweepToNode(world, merchant);
    await world.look();
    const addresses = [];
    for (let i = 0; i < 3; i++) addresses.push((await allocate(api, LTC)).address);
    const [known, other, late] = addresses as [string, string, string];
    await node.pay(known, "1");
    await node.pay(other, "2");
    await world.look(2);
    await node.pay(known, "0.5");
    await node.pay(late, "4");
    await world.look();
    const to = isSame ? wallet : await node.rpc("getnewaddress", ["", "bech32"], "payer");
    const outputs = await world.deps.db.rows(Outputs, "ORDER BY id");
    // In another order than they had, and with what came too late for the first.
    const orders = [late, other, known].map((from) => ({
      from,
      outpoints: outputs.filter(({ address }) => address === from).map(outpointOf),
    }));
    const raw = await gatherElsewhere(world, { orders, to });
    await world.round({ aheadMs: 700_000 });
    const [replaced, ...more]: string[] = await node.rpc("getrawmempool");
    assert.deepEqual([replaced?.length, more], [64, []]);
    await using backup = await takeBackup(world);
    await node.rpc("generateblock", [to, [raw]]);
    await node.mine(13);
    await backup.bringBack();
    for (let i = 0; i < 8; i++) await world.round();
    if (!isSame) {
      const order = { accountId: merchant.accountId, network: "LTC", address: to, isNow: true };
      await setReceivingWallet(world.deps, { ...order, actor: "test" });
    }
    const { left } = await adoptAll(world.deps, { network: "LTC", actor: "test" });
    assert.deepEqual(left, []);
    for (let i = 0; i < 3; i++) await world.round();
    const swept = (await transactionsOf(api, "&direction=sweep")).map((row) =>
      [row.status, row.from_address, row.to_address, row.amount_decimal].join(" ")
    );
    assert.deepEqual(
      swept.toSorted(),
      [
        `confirmed ${known} ${to} 1.5`,
        `confirmed ${other} ${to} 2`,
        `confirmed ${late} ${to} 4`,
      ].toSorted(),
    );
    assert.deepEqual(
      (await depositsOf(api)).map(({ status }) => status),
      Array(4).fill("swept"),
    );
    const { differences, surplus, skipped } = await reconcile(world.deps, { network: "LTC" });
    assert.deepEqual([differences, surplus, skipped], [[], [], []]);
  });
}
