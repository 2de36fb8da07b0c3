import assert from "node:assert/strict";
import { retrySweep } from "../../../src/sweeps/retry.ts";
import { settleByHand } from "../../../src/withdrawals/settle_by_hand.ts";
import type { GroundToken } from "../../support/grounds/ground.ts";
import { playOnTron, type Scene, TOKEN, TOKEN_RAW } from "../../support/grounds/scenario.ts";
import type { TronGround } from "../../support/grounds/tron_ground.ts";
import { sentId } from "../../support/payouts.ts";
import { sweepsOf } from "../../support/sweeping.ts";
import { hexAddress } from "../../../src/sandbox/tron_node/addresses.ts";
import type { Call, Fault } from "../../support/tron_node/start.ts";
import { Token } from "../../../src/sandbox/tron_node/contracts/token.ts";
import { alertsOf, eventsOf } from "../../support/views.ts";

type TronScene = Scene<TronGround>;

const RESULTS = "/wallet/gettransactioninfobyblocknum";
const FINAL_RESULT = "/walletsolidity/gettransactioninfobyid";

/** Makes the node answer these paths without logs. */
function hidesLogs({ ground: { node } }: TronScene, paths: readonly string[]): void {
  const { onCall } = node.door;
  const withoutLogs = ({ log: _, ...info }: Record<string, unknown>) => info;
  const edit = (text: string) => {
    const reported = JSON.parse(text);
    return JSON.stringify(
      Array.isArray(reported) ? reported.map(withoutLogs) : withoutLogs(reported),
    );
  };
  node.door.onCall = (call: Call): ReturnType<typeof onCall> =>
    paths.includes(call.path) ? { edit } satisfies Fault : onCall(call);
}

async function tokenScene(scene: TronScene): Promise<GroundToken> {
  const { ground } = scene;
  const token = await scene.addToken();
  await scene.fundMerchant({ token });
  await ground.mine(ground.minConfirmations);
  await scene.follow(0);
  return token;
}

/** Until it is called off, everything sent is mined and succeeds, but moves nothing. */
function emptiesTransfers({ ground: { node } }: TronScene, { address }: GroundToken): () => void {
  const contract = node.chain.contracts.get(hexAddress(address));
  assert.ok(contract instanceof Token);
  const { onCall } = node.door;
  node.door.onCall = (call) => {
    const isSent = call.path === "/wallet/broadcasthex";
    contract.manners.transfers = isSent ? "false_only" : "honest";
    return onCall(call);
  };
  return () => {
    node.door.onCall = onCall;
    contract.manners.transfers = "honest";
  };
}

async function openAlerts({ deps }: TronScene): Promise<string[]> {
  return (await alertsOf(deps)).filter(({ open }) => open === 1).map(({ kind }) => kind);
}

async function assertHeld(scene: TronScene, id: number): Promise<void> {
  assert.equal(await scene.statusOf(id), "broadcasted");
  const { balance, held } = await scene.balanceOf(TOKEN);
  assert.deepEqual([balance, held], ["100", "11"], "neither debited nor given back");
  assert.deepEqual(await eventsOf(scene.deps, "withdrawal.failed"), []);
}

for (const isPaid of [false, true]) {
  const what = isPaid ? "paid while its node tells no logs" : "mined and moved nothing";
  Deno.test(`TRON: a withdrawal that was ${what} waits for an operator and is settled by their word`, () =>
    playOnTron(async (scene) => {
      const { ground, deps } = scene;
      const token = await tokenScene(scene);
      if (isPaid) hidesLogs(scene, [RESULTS, FINAL_RESULT]);
      const beHonest = isPaid ? () => {} : emptiesTransfers(scene, token);
      const id = sentId(await scene.withdraw({ amount: "10", currency: TOKEN }));
      beHonest();
      await scene.turn(3);
      await assertHeld(scene, id);
      assert.deepEqual(await openAlerts(scene), ["withdrawal_unpaid"]);
      assert.equal(await token.balanceOf(ground.stranger), isPaid ? 10n * TOKEN_RAW : 0n);

      await settleByHand(deps, { id, isPaid, actor: "test" });
      await scene.turn();
      assert.equal(await scene.statusOf(id), isPaid ? "confirmed" : "failed");
      const { balance, held } = await scene.balanceOf(TOKEN);
      assert.deepEqual([balance, held], [isPaid ? "89" : "100", "0"]);
      assert.deepEqual(await openAlerts(scene), []);
      assert.equal(await token.balanceOf(ground.stranger), isPaid ? 10n * TOKEN_RAW : 0n);
    }));
}

Deno.test("TRON: a withdrawal read without its logs is settled once its block was read again", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node } } = scene;
    const token = await tokenScene(scene);
    const { onCall } = node.door;
    hidesLogs(scene, [RESULTS]);
    const id = sentId(await scene.withdraw({ amount: "10", currency: TOKEN }));
    await scene.turn(1);
    node.door.onCall = onCall;
    await scene.turn(2);
    assert.equal(await scene.statusOf(id), "confirmed");
    assert.equal(await token.balanceOf(ground.stranger), 10n * TOKEN_RAW);
  }));

Deno.test("TRON: a sweep that was mined and moved nothing is parked with that reason, and retried", () =>
  playOnTron(async (scene) => {
    const { deps, ground } = scene;
    const token = await tokenScene(scene);
    const { address } = await scene.allocate(TOKEN);
    await scene.fundGasWallet();
    await token.mint(address, 7n * TOKEN_RAW);
    await scene.turn(2);
    const beHonest = emptiesTransfers(scene, token);
    await scene.sweepTo(ground.receiver);
    await scene.turn(5);
    beHonest();
    const [parked, ...others] = await sweepsOf(scene);
    assert.deepEqual([parked?.state, others], ["parked", []]);
    assert.match(parked!.reason!, /was mined and moved nothing$/);
    assert.deepEqual(await openAlerts(scene), ["sweep_parked"]);
    await retrySweep(deps, { id: parked!.id, actor: "test" });
    await scene.turn(5);
    assert.equal(await token.balanceOf(ground.receiver), 7n * TOKEN_RAW);
    assert.deepEqual(await scene.listed(), [
      "deposit USDT swept",
      "gas_topup TRX confirmed",
      "sweep USDT failed",
      "gas_topup TRX confirmed",
      "sweep USDT confirmed",
    ]);
  }));
