import assert from "node:assert/strict";
import { BLOCKS_REMEMBERED } from "../../../src/books/depth.ts";
import { DepositInputs } from "../../../src/deposits/tables/inputs.ts";
import { Outputs } from "../../../src/outputs/table.ts";
import { startLitecoinWorld } from "../../support/litecoin_world.ts";
import { startLitecoind, WITHOUT_MWEB } from "../../support/nodes/litecoind.ts";
import { allocate } from "../../support/views.ts";

Deno.test("what is spent too deep to come back is closed, and credited deposits are watched no more", async () => {
  await using node = await startLitecoind({ blocks: 101, args: [WITHOUT_MWEB] });
  await using world = await startLitecoinWorld({ nodes: [node] });
  const { deps, merchant: { api, hotWallet } } = world;
  const { address } = await allocate(api, { network: "LTC", currency: "LTC" });
  await node.pay(address, "1.25");
  await node.pay(hotWallet, "3");
  await node.mine(2);
  await world.round();
  const open = async () =>
    (await deps.db.rows(Outputs, "WHERE open = 1 ORDER BY id")).map(({ amountRaw }) => amountRaw);
  assert.deepEqual((await open()).toSorted(), ["125000000", "300000000"]);
  const paid = await api.post("/v1/withdrawals", {
    ...{ network: "LTC", currency: "LTC", amount: "0.5", client_reference: "a" },
    to_address: await node.rpc("getnewaddress", [], "payer"),
  });
  assert.equal(paid.status, 200, JSON.stringify(paid.body));
  await node.mine(2);
  await world.round();
  await world.round();
  assert.ok((await open()).includes("300000000"));
  await node.mine(BLOCKS_REMEMBERED);
  for (let i = 0; i < 4; i++) await world.round();
  const left = await open();
  assert.ok(!left.includes("300000000") && left.includes("125000000"), left.join(" "));
  assert.deepEqual(await deps.db.rows(DepositInputs, ""), []);
  assert.deepEqual(world.faults, []);
});
