import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { unfreeze } from "../../../src/reconcile/manage_freezes.ts";
import { Freezes } from "../../../src/books/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { makeWallet } from "../../support/nodes/evm_wallet.ts";
import { sentId, settleAll, startPayingWorld, statusOf } from "../../support/payouts.ts";
import { alertsOf, withdraw } from "../../support/views.ts";

const REVERTS = "0x60006000fd";

Deno.test("an account whose token payments fail at ever new recipients is paused until an operator looks", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, accountId, hotWallet } } = world;
  const token = await world.addToken();
  await token.send("mint", [hotWallet, 1_000_000_000n]);
  const asset = { accountId, network: "ETH", currency: "USDT" };
  await adjustBalance(deps, { ...asset, amount: "1000", note: "test", actor: "test" });
  const code = await anvil.rpc("eth_getCode", [token.address, "latest"]);
  let recipient = 1_000;
  const pay = (currency = "USDT") =>
    withdraw(api, { to: makeWallet(recipient++).address, amount: "10", currency });
  /** They pass the trial, and the token refuses them in the block. */
  const fail = async (count: number) => {
    await anvil.rpc("evm_setAutomine", [false]);
    const ids = [];
    for (let i = 0; i < count; i++) ids.push(sentId(await pay()));
    await anvil.rpc("anvil_setCode", [token.address, REVERTS]);
    await anvil.mine(1);
    await anvil.rpc("anvil_setCode", [token.address, code]);
    await anvil.rpc("evm_setAutomine", [true]);
    for (let i = 0; i < 2; i++) await settleAll(world);
    for (const id of ids) assert.equal(await statusOf(api, id), "failed");
  };
  const paused = async () => (await world.deps.db.rows(Freezes, "")).map(({ reason }) => reason);
  const reported = async () =>
    (await alertsOf(deps)).filter(({ kind }) => kind === "account_failing")
      .map(({ subject, message }) => ({ subject, message }));

  await fail(10);
  // Those that succeed in between don't hide the others.
  for (let i = 0; i < 5; i++) sentId(await pay());
  await fail(9);
  assert.deepEqual([await paused(), await reported()], [[], []]);
  await fail(1);
  const reason = "20 of its last 40 payments failed, and each cost gas";
  assert.deepEqual(await paused(), [reason]);
  assert.deepEqual(await reported(), [{
    subject: `account:${accountId} ETH/USDT`,
    message: `Withdrawals of ETH/USDT are paused for account ${accountId}: ${reason}`,
  }]);
  const { status, body } = await pay();
  assert.deepEqual([status, body.error.code], [503, "unavailable"]);
  sentId(await pay("ETH"));

  assert.equal((await unfreeze(deps, { ...asset, actor: "test" })).isLifted, true);
  assert.deepEqual([await paused(), await reported()], [[], []]);
  await fail(1);
  assert.deepEqual(await paused(), [], "failures from before no longer count");
  sentId(await pay());

  // As if the program had died between recording the last failure and looking at it.
  await deps.db.execute([{ sql: "DELETE FROM alerts" }]);
  await world.restart();
  await settleAll(world);
  assert.deepEqual(await paused(), [reason]);
});
