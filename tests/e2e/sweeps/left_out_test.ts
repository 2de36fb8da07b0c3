import assert from "node:assert/strict";
import { getAddress } from "viem/utils";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { assignSweeps } from "../../../src/sweeps/assign.ts";
import { collectTogether } from "../../../src/sweeps/batches.ts";
import {
  checkBooks,
  heldBy,
  PAID,
  startScene,
  statesOf,
  switchOn,
} from "../../support/collecting.ts";
import { enable } from "../../support/gateway.ts";
import { signedRows } from "../../support/signed_rows.ts";
import { payIn, RECEIVER } from "../../support/sweeping.ts";
import { alertsOf, allocate } from "../../support/views.ts";

const OTHER_RECEIVER = "0x00000000000000000000000000000000000bEEf2";

const CHANGED = {
  "an account": "UPDATE accounts SET name = 'Evil' WHERE id = ?",
  "a deposit of an account": `UPDATE transactions SET from_address = to_address
WHERE id = (SELECT max(id) FROM transactions WHERE account_id = ? AND direction = 'deposit')`,
};

for (const [what, sql] of Object.entries(CHANGED)) {
  Deno.test(`${what} whose row somebody changed keeps no other out of the batch`, async () => {
    await using scene = await startScene(3);
    const { world, token } = scene;
    const { deps } = world;
    const other = await world.addMerchant("Other");
    await enable(deps, { accountId: other.accountId, network: "ETH", currency: "USDT" });
    await setAccount(deps, {
      id: other.accountId,
      change: { delegatesNative: true },
      actor: "test",
    });
    const wallet = { accountId: other.accountId, network: "ETH", address: OTHER_RECEIVER };
    await setReceivingWallet(deps, { ...wallet, isNow: true, actor: "test" });
    const others = await Promise.all(
      ["one", "two"].map((user) => allocate(other.api, { currency: "USDT", user })),
    );
    const addresses = [...scene.addresses, ...others.map(({ address }) => address)];
    for (const { address } of others) await payIn(world, { to: address, raw: PAID, token });
    await scene.look(4);
    await switchOn(scene, { collect: "batch" });
    await world.turn(3);
    assert.deepEqual(await statesOf(scene), Array(5).fill("done"));
    for (const address of addresses) await payIn(world, { to: address, raw: PAID, token });
    await scene.look(4);
    await assignSweeps(deps, await findNetwork(deps, "ETH"));
    await deps.db.execute([{ sql, args: [other.accountId] }]);
    await world.turn(3);
    const batches = (await signedRows(deps)).filter(({ purpose }) => purpose === "sweep");
    const isAll = what === "an account";
    assert.deepEqual(batches.map(({ paymentCount }) => paymentCount), [5, isAll ? 3 : 4]);
    assert.equal(await heldBy(token, RECEIVER), 6n * PAID);
    assert.equal(await heldBy(token, OTHER_RECEIVER), isAll ? 2n * PAID : 3n * PAID);
    assert.ok((await alertsOf(deps)).some(({ kind }) => kind === "tampered"));
  });
}

/** Takes coins in even blocks, and burns all gas in odd ones. */
const BURNING = "0x43600116600857005bfe";

Deno.test("coins to a recipient with code, which may burn gas in the block, go alone", async () => {
  await using scene = await startScene(3);
  const { world, anvil, token } = scene;
  const { deps, merchant: { api } } = world;
  const coins = await Promise.all(
    ["a", "b", "c"].map((user) => allocate(api, { currency: "ETH", user })),
  );
  for (const { address } of coins) await payIn(world, { to: address, raw: 10n ** 17n });
  await scene.look(4);
  const burner = getAddress("0x00000000000000000000000000000000000beef3");
  await anvil.rpc("anvil_setCode", [burner, BURNING]);
  await setReceivingWallet(deps, {
    ...{ accountId: world.merchant.accountId, network: "ETH", address: burner },
    ...{ isNow: true, actor: "test" },
  });
  const sweepings = (await scene.due()).map((one) => ({ ...one, to: burner }));
  const { alone } = await collectTogether(deps, { place: await scene.place(), sweepings });
  assert.deepEqual(alone.map(({ currency: { symbol } }) => symbol), ["ETH", "ETH", "ETH"]);
  await scene.look(4);
  assert.equal(await heldBy(token, burner), 3n * PAID);
  assert.deepEqual((await signedRows(deps)).map(({ paymentCount }) => paymentCount), [3]);
  await checkBooks(scene);
});
