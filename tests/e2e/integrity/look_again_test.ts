import assert from "node:assert/strict";
import { unfreeze } from "../../../src/reconcile/manage_freezes.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { allFreezes } from "../../../src/store/reads/few_rows.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { ETHER, setBalance } from "../../support/payers.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import { allocate, depositsOf } from "../../support/views.ts";

for (const user of [undefined, "ann"]) {
  const sort = user === undefined ? "of the pool" : "of a user";
  Deno.test(`an address ${sort} that still lacks money keeps only its account's withdrawals paused`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const { deps, merchant: { api, accountId } } = world;
    const { address } = await allocate(api, user === undefined ? {} : { user });
    const other = await world.addMerchant("Other");
    const { address: theirs } = await allocate(other.api);
    for (const to of [address, theirs]) await sendTx(anvil, { to, valueRaw: 5n * ETHER });
    await settleAll(world);
    await settleAll(world);
    assert.equal((await depositsOf(api))[0]!.status, "confirmed");
    for (const one of [address, theirs]) await setBalance(anvil, one, 4n * ETHER);
    await settleAll(world);
    await reconcile(deps, { network: undefined });
    assert.equal((await allFreezes(deps.db)).length, 2);

    const order = { accountId, network: "ETH", currency: "ETH", actor: "test" };
    await setBalance(anvil, address, 3n * ETHER);
    await settleAll(world);
    const still = await unfreeze(deps, order);
    assert.equal(still.isLifted, false);
    assert.deepEqual(still.found.differences.map(({ found }) => found), ["3"]);
    assert.match(still.freeze.reason, /expected 5, found 3/);

    await setBalance(anvil, address, 6n * ETHER);
    await settleAll(world);
    const { isLifted, found } = await unfreeze(deps, order);
    assert.equal(isLifted, true);
    assert.deepEqual(found.surplus.map(({ amount }) => amount), ["1"]);
    const left = (await allFreezes(deps.db)).map((row) => row.accountId);
    assert.deepEqual(left, [other.accountId]);
  });
}

Deno.test("withdrawals continue if the chain can't be asked, and the operator is told", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startPayingWorld({ anvil, rpcUrls: [proxy.url] });
  const { deps, merchant: { api, accountId } } = world;
  const { address } = await allocate(api);
  await sendTx(anvil, { to: address, valueRaw: 5n * ETHER });
  await settleAll(world);
  await setBalance(anvil, address, 4n * ETHER);
  await settleAll(world);
  await reconcile(deps, { network: undefined });
  proxy.onCall = () => ({ status: 500, body: "" });
  const order = { accountId, network: "ETH", currency: "ETH", actor: "test" };
  const { isLifted, found } = await unfreeze(deps, order);
  assert.deepEqual([isLifted, found.differences], [true, []]);
  assert.match(found.skipped[0]!.reason, /HTTP 500/);
});

Deno.test("tokens that the books don't have on an address are found only by looking everywhere", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, accountId } } = world;
  const token = await world.addToken();
  const { address } = await allocate(api);
  await settleAll(world);
  await anvil.rpc("anvil_dealERC20", [address, token.address, "0x7a120"]);
  await settleAll(world);
  assert.deepEqual((await reconcile(deps, { network: "ETH" })).surplus, []);
  const { surplus, differences } = await reconcile(deps, { network: "ETH", isEverywhere: true });
  assert.deepEqual(surplus, [
    { accountId, network: "ETH", currency: "USDT", address, amount: "0.5" },
  ]);
  assert.deepEqual(differences, []);
});
