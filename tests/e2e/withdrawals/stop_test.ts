import assert from "node:assert/strict";
import { broadcastWithdrawal } from "../../../src/withdrawals/broadcast.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { fillEachHotWallet } from "../../support/programs/upkeep.ts";
import { fillNonceGaps } from "../../../src/transfers/fill_nonce_gaps.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { resumeSigning, stopSigning } from "../../../src/integrity/manage_stop.ts";
import { outbidStuck } from "../../../src/transfers/outbid_stuck.ts";
import { sweepDeposits } from "../../../src/sweeps/sweep.ts";
import { resolveAlert } from "../../../src/upkeep/manage_alerts.ts";
import {
  bumpWithdrawal,
  resendWithdrawal,
  revokeWithdrawal,
} from "../../../src/withdrawals/push.ts";
import { present } from "../../../src/base/assert.ts";
import { Stops } from "../../../src/integrity/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import {
  NOT_ON_OUTPUTS,
  onEveryFamily,
  type Scene,
  TOKEN,
  TOKEN_RAW,
} from "../../support/grounds/scenario.ts";
import { rpcError, startNodeDouble } from "../../support/nodes/node_double.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import {
  nonceOf,
  rejectedId,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
  transfersOf,
} from "../../support/payouts.ts";
import { sweepsOf } from "../../support/sweeping.ts";
import { alertsOf, withdraw, withdrawalOf } from "../../support/views.ts";
import type { BareWorld } from "../../support/world.ts";

const PURPOSES = ["withdrawal", "sweep", "gas_topup", "void"] as const;
const REASON = "a key may have leaked";

const stop = ({ deps }: Pick<BareWorld, "deps">) =>
  stopSigning(deps, { reason: REASON, actor: "test" });
const resume = ({ deps }: Pick<BareWorld, "deps">) => resumeSigning(deps, { actor: "test" });
const alertKinds = async ({ deps }: Pick<BareWorld, "deps">) =>
  (await alertsOf(deps)).map(({ kind }) => kind);

/** Accepted before the stop, but not signed yet. */
const accepted = async (scene: Scene, amount: string) => {
  const { ground, deps, merchant: { accountId, credentials: { keyId } } } = scene;
  const { row } = await createWithdrawal(deps, {
    caller: { accountId, keyId, actor: "test", signature: null },
    ...{ network: ground.code, currency: ground.coin.symbol, toAddress: ground.stranger, amount },
    clientReference: crypto.randomUUID(),
  });
  return row;
};

onEveryFamily(
  "while all is stopped nothing is signed, deposits are credited, and afterwards everything goes on",
  async (scene) => {
    const { ground, one, deps, merchant: { api } } = scene;
    const token = await scene.addToken();
    await scene.fundMerchant();
    await scene.fundGasWallet();
    await scene.sweepTo(ground.receiver);
    const coins = await scene.allocate();
    const tokens = await scene.allocate(TOKEN);
    const raced = await accepted(scene, "1");
    await stop(scene);
    const answered = await broadcastWithdrawal(deps, raced, { actor: "test", budgetMs: 8_500 });
    assert.deepEqual([answered.status, answered.txHash], ["pending", null]);

    const refused = await scene.withdraw({ amount: "1" });
    assert.deepEqual([refused.status, refused.body.message, refused.body.error.code], [
      503,
      "Withdrawals are paused",
      "withdrawals_paused",
    ]);
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
    assert.doesNotMatch(JSON.stringify(refused.body), new RegExp(REASON));
    assert.equal((await scene.withdraw({ amount: "100000" })).status, 400);

    await ground.pay(coins.address, 50n * one);
    await token.mint(tokens.address, 5n * TOKEN_RAW);
    await scene.turn(4);
    await fillEachHotWallet(deps);
    assert.deepEqual(await Promise.all(PURPOSES.map(scene.signed)), [0, 0, 0, 0]);
    assert.equal(await scene.statusOf(raced.id), "pending");
    assert.equal((await scene.balanceOf(TOKEN)).balance, "5");
    assert.equal((await scene.balanceOf()).balance, "150");
    await scene.allocate();
    assert.deepEqual((await sweepsOf(scene)).filter(({ state }) => state === "parked"), []);
    assert.deepEqual(await alertKinds(scene), ["stopped"]);

    await resume(scene);
    await scene.turn(6);
    assert.equal(await scene.statusOf(raced.id), "confirmed");
    assert.equal(await ground.coinsOf(ground.stranger), one);
    assert.equal(await token.balanceOf(ground.receiver), 5n * TOKEN_RAW);
    assert.ok(await ground.coinsOf(ground.receiver) > 0n);
    assert.deepEqual((await sweepsOf(scene)).map(({ state }) => state), ["done", "done"]);
    assert.deepEqual(await alertKinds(scene), []);
    sentId(await scene.withdraw({ amount: "1" }));
    assert.equal((await withdrawalOf(api, raced.id)).status, "confirmed");
  },
  { without: NOT_ON_OUTPUTS.tokens },
);

/** The stop comes just after a step has asked whether it may sign. */
const unaware = ({ db, ...deps }: Deps, aheadMs = 0): Deps => ({
  ...deps,
  clock: { nowMs: () => Date.now() + aheadMs },
  db: {
    ...db,
    find: (table, ...rest) =>
      table.name === Stops.name ? Promise.resolve(undefined) : db.find(table, ...rest),
  },
});

onEveryFamily(
  "a stop in the middle of a step is noticed by the unit that would save its bytes",
  async (scene) => {
    const { ground, one, deps } = scene;
    const token = await scene.addToken();
    await scene.fundMerchant();
    await scene.fundGasWallet();
    await scene.sweepTo(ground.receiver);
    const coins = await scene.allocate();
    const tokens = await scene.allocate(TOKEN);
    const raced = await accepted(scene, "1");
    await stop(scene);
    await ground.pay(coins.address, 50n * one);
    await token.mint(tokens.address, 5n * TOKEN_RAW);
    await scene.turn(2);
    const network = present((await deps.catalog.current()).network(ground.code), "It is followed");
    const steps = async () => {
      const late = unaware(deps, 3_600_000);
      await broadcastWithdrawal(late, raced, { actor: "test", budgetMs: 8_500 });
      await sweepDeposits(late, network);
    };
    await steps();
    assert.deepEqual(await Promise.all(PURPOSES.map(scene.signed)), [0, 0, 0, 0]);
    assert.equal(await scene.statusOf(raced.id), "pending");
    assert.deepEqual((await sweepsOf(scene)).map(({ state, reason }) => [state, reason]), [
      ["waiting", null],
      ["waiting", null],
    ]);
    assert.deepEqual(await alertKinds(scene), ["stopped"]);
    await resume(scene);
    await steps();
    assert.deepEqual(await Promise.all(PURPOSES.map(scene.signed)), [1, 1, 1, 0]);
    await scene.turn(4);
  },
  { without: NOT_ON_OUTPUTS.tokens },
);

Deno.test("signed transfers are resent and confirmed while everything is stopped, and nobody bids", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api } } = world;
  await anvil.rpc("evm_setAutomine", [false]);
  const reference = "one";
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "1", reference }));
  await stop(world);
  for (const push of [bumpWithdrawal, revokeWithdrawal]) {
    await assert.rejects(push(deps, { id, actor: "test" }), /Nothing is signed until/);
  }
  const txHash = (await transfersOf(world))[0]!.txHash;
  await anvil.rpc("anvil_dropTransaction", [txHash]);
  await resendWithdrawal(deps, { id, actor: "test" });
  assert.notEqual(await anvil.rpc("eth_getTransactionByHash", [txHash]), null);
  // Late enough to be outbid.
  await anvil.rpc("anvil_dropTransaction", [txHash]);
  for (let block = 0; block < 6; block++) await anvil.mine(1);
  await world.round({ aheadMs: 600_000 });
  const { networks: [network] } = await deps.catalog.current();
  assert.equal(await outbidStuck(unaware(deps, 600_000), network!), 0);
  assert.equal((await transfersOf(world)).length, 1);
  assert.deepEqual(await alertKinds(world), ["stopped"]);
  const replay = await withdraw(api, { to: STRANGER, amount: "1", reference });
  assert.deepEqual([replay.status, replay.body.data.id], [200, id]);
  await anvil.rpc("evm_setAutomine", [true]);
  await world.round({ aheadMs: 600_000 });
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
  assert.equal((await transfersOf(world)).length, 1);
  assert.deepEqual(world.faults, []);
});

Deno.test("a gap below a waiting nonce is closed after the stop, and quietly left until then", async () => {
  await using anvil = await startAnvil();
  await using double = await startNodeDouble(anvil.url, (_call, ask) => ask());
  await using world = await startPayingWorld({ anvil, rpcUrls: [double.url] });
  const { api, hotWallet } = world.merchant;
  const arrived = Promise.withResolvers<void>();
  const secondSent = Promise.withResolvers<void>();
  double.answer = async (call, ask) => {
    if (call.method !== "eth_sendRawTransaction") return await ask();
    double.answer = (_call, ask) => ask();
    arrived.resolve();
    await secondSent.promise;
    return rpcError(call, "intrinsic gas too low");
  };
  const first = withdraw(api, { to: STRANGER, amount: "1" });
  await arrived.promise;
  const second = sentId(await withdraw(api, { to: STRANGER, amount: "2" }));
  secondSent.resolve();
  rejectedId(await first);
  await stop(world);
  await world.round({ aheadMs: 30_000 });
  const { networks: [network] } = await world.deps.catalog.current();
  assert.equal(await fillNonceGaps(unaware(world.deps, 30_000), network!), 0);
  await settleAll(world);
  assert.equal(await nonceOf(anvil, hotWallet), 0);
  assert.deepEqual(await alertKinds(world), ["stopped"]);
  await resume(world);
  await world.round({ aheadMs: 60_000 });
  await settleAll(world);
  assert.equal(await statusOf(api, second), "confirmed");
  assert.equal(await nonceOf(anvil, hotWallet), 2);
  assert.deepEqual(world.faults, []);
});

onEveryFamily("hot wallets are not filled while all is stopped", async (scene) => {
  const { ground, deps, merchant: { hotWallet } } = scene;
  await scene.fundGasWallet();
  const change = { hotGasTarget: "1" };
  await setNetwork(deps, { code: ground.code, change, actor: "test" });
  await stop(scene);
  for (const each of [deps, unaware(deps)]) await fillEachHotWallet(each);
  assert.equal(await scene.signed("gas_topup"), 0);
  assert.deepEqual(await alertKinds(scene), ["stopped"]);
  await resume(scene);
  await fillEachHotWallet(deps);
  assert.equal(await scene.signed("gas_topup"), 1);
  await scene.turn(2);
  assert.ok(await ground.coinsOf(hotWallet) > 0n);
}, { without: NOT_ON_OUTPUTS.tokens });

Deno.test("a stop survives a restart, its alert can't be resolved by hand, and metrics show it", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { merchant: { api, hotWallet }, url } = world;
  const gauge = async () =>
    /^cpg_stopped (\d)$/m.exec(await (await fetch(`${url}/metrics`)).text());
  assert.equal((await gauge())?.[1], "0");
  const first = await stop(world);
  const again = await stopSigning(world.deps, { reason: null, actor: "test" });
  assert.deepEqual(again, first);
  await world.restart();
  assert.equal((await withdraw(api, { to: STRANGER, amount: "1" })).status, 503);
  assert.equal((await gauge())?.[1], "1");
  const id = (await alertsOf(world.deps))[0]!.id;
  await assert.rejects(resolveAlert(world.deps, { id, actor: "test" }), /stays open until/);
  await resume(world);
  await resume(world);
  assert.equal((await gauge())?.[1], "0");
  await setBalance(anvil, hotWallet, 200n * ETHER);
  sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  const rows = await world.deps.db.query(
    "SELECT action FROM audit_log WHERE action LIKE 'gateway.%' ORDER BY id",
  );
  assert.deepEqual(rows.map(({ action }) => action), ["gateway.stopped", "gateway.resumed"]);
});
