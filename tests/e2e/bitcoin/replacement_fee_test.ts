import assert from "node:assert/strict";
import { setNetwork } from "../../../src/networks/set.ts";
import { bumpWithdrawal, revokeWithdrawal } from "../../../src/withdrawals/push.ts";
import type { LitecoinGround } from "../../support/grounds/litecoin_ground.ts";
import { playOnLitecoin, type Scene } from "../../support/grounds/scenario.ts";
import { type Fault, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { sentId } from "../../support/payouts.ts";
import { withdrawalOf } from "../../support/views.ts";

type LitecoinScene = Scene<LitecoinGround>;

/** Of a megabyte. */
const RELATIVE = {
  ...{ vsize: 1_000_000, ancestorcount: 2, ancestorsize: 1_000_141, depends: [], spentby: [] },
  ...{ descendantcount: 1, descendantsize: 1_000_000, "bip125-replaceable": true },
};

function related(feeCoins: number) {
  const fees = { base: feeCoins, ancestor: feeCoins, descendant: feeCoins };
  return { ["77".repeat(32)]: { ...RELATIVE, fees } };
}

const LIES: Readonly<Record<string, (method: string) => unknown>> = {
  "what others attached": (method) => method === "getmempooldescendants" && related(0.09),
  "what it comes from": (method) => method === "getmempoolancestors" && related(0.00000001),
  "what a replacement has to add": (method) =>
    method === "getnetworkinfo" &&
    { version: 210000, subversion: "/LitecoinCore:0.21.2/", incrementalfee: 0.4 },
};

/** Nothing is mined by itself, and the hot wallet has one coin of 100. */
async function prepared(scene: LitecoinScene): Promise<void> {
  await scene.fundMerchant({ heldRaw: 100n * scene.one });
  await scene.ground.mineBySelf(false);
}

/** In base units, of the transaction that pays it now. */
async function feeOf({ ground, merchant: { api } }: LitecoinScene, id: number): Promise<number> {
  const { tx_hash } = await withdrawalOf(api, id);
  const { fees } = await ground.node().rpc("getmempoolentry", [tx_hash]);
  return Math.round(fees.base * 1e8);
}

for (const [what, lie] of Object.entries(LIES)) {
  Deno.test(`one node of two that lies about ${what} makes no replacement dearer`, () =>
    playOnLitecoin(async (scene) => {
      const { ground, deps } = scene;
      await prepared(scene);
      const falsified = (method: string): Fault => {
        const result = lie(method);
        return result ? { edit: (reply) => ({ ...reply, error: null, result }) } : "pass";
      };
      await using liar = await startFaultProxy(ground.node().url, falsified);
      const change = { rpcUrls: [ground.rpcUrl, liar.url] };
      await setNetwork(deps, { code: ground.code, change, actor: "test" });
      const id = sentId(await scene.withdraw({ amount: "1" }));
      const before = await feeOf(scene, id);
      await bumpWithdrawal(deps, { id, actor: "test", isAnyway: true });
      const after = await feeOf(scene, id);
      assert.ok(after > before && after < 3 * before, `${before} became ${after}`);
      await scene.turn(2);
      assert.equal(await scene.statusOf(id), "confirmed");
    }));
}

Deno.test("what the recipient attached is paid for only where an operator wants it", () =>
  playOnLitecoin(async (scene) => {
    const { ground, deps } = scene;
    await prepared(scene);
    const rpc = (method: string, params: unknown[]) => ground.node().rpc(method, params, "payer");
    const to = await rpc("getnewaddress", []);
    const id = sentId(await scene.withdraw({ to, amount: "1" }));
    const before = await feeOf(scene, id);
    await attach(scene, { id, to, leaves: "0.99" });
    scene.wait(200_000);
    for (let i = 0; i < 5; i++) await ground.mineOnly();
    await scene.follow(0);
    await assert.rejects(
      bumpWithdrawal(deps, { id, actor: "test" }),
      /Who was paid spends it for a fee of 0\.01 LTC/,
    );
    assert.equal(await feeOf(scene, id), before, "Nothing was bid for by itself");
    await bumpWithdrawal(deps, { id, actor: "test", isAnyway: true });
    assert.ok(await feeOf(scene, id) > 1_000_000);
    assert.equal((await ground.mempool()).length, 1);
    await scene.turn(2);
    assert.equal(await scene.statusOf(id), "confirmed");
  }));

Deno.test("a payout is taken back also from a recipient who has spent it", () =>
  playOnLitecoin(async (scene) => {
    const { ground, deps } = scene;
    await prepared(scene);
    const to = await ground.node().rpc("getnewaddress", [], "payer");
    const id = sentId(await scene.withdraw({ to, amount: "1" }));
    // What comes from its change counts too, which the books know.
    const other = sentId(await scene.withdraw({ amount: "2" }));
    await attach(scene, { id, to, leaves: "0.99" });
    await revokeWithdrawal(deps, { id, actor: "test" });
    assert.equal((await ground.mempool()).length, 1);
    await scene.turn(3);
    await scene.turn(2);
    assert.deepEqual([await scene.statusOf(id), await scene.statusOf(other)], [
      "failed",
      "confirmed",
    ]);
  }));

/** Whoever was paid spends it before its block. */
async function attach(
  { ground, merchant: { api } }: LitecoinScene,
  { id, to, leaves }: { id: number; to: string; leaves: string },
): Promise<void> {
  const node = ground.node();
  const { tx_hash: txid } = await withdrawalOf(api, id);
  const { vout } = await node.rpc("decoderawtransaction", [
    await node.rpc("getrawtransaction", [txid]),
  ]);
  const { n } = vout.find(({ value }: { value: number }) => value === 1);
  const script = vout[n].scriptPubKey.hex;
  const raw = await node.rpc("createrawtransaction", [[{ txid, vout: n }], [{ [to]: leaves }]]);
  const spent = [{ txid, vout: n, scriptPubKey: script, amount: 1 }];
  const { hex } = await node.rpc("signrawtransactionwithwallet", [raw, spent], "payer");
  await node.rpc("sendrawtransaction", [hex, 0]);
}
