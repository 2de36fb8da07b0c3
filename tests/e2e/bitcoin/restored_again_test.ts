import assert from "node:assert/strict";
import { adoptAll, adoptByHash } from "../../../src/restore/adopt_spends.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { bumpWithdrawal } from "../../../src/withdrawals/push.ts";
import type { LitecoinGround } from "../../support/grounds/litecoin_ground.ts";
import { runIn } from "../../cli/world_host.ts";
import { playOnLitecoin, type Scene } from "../../support/grounds/scenario.ts";
import { sentId } from "../../support/payouts.ts";
import { takeBackup } from "../../support/restoring.ts";

type PayoutTerms = NonNullable<Parameters<typeof adoptByHash>[1]["terms"]>;

const TERMS: PayoutTerms = {
  withdrawal: undefined,
  fee: undefined,
  keyId: undefined,
  reference: undefined,
};
const ORDER = { network: "LTC", actor: "test" };

const otherOf = (ground: LitecoinGround): Promise<string> =>
  ground.node().rpc("getnewaddress", [], "payer");

/** What was sent, each once: the same bytes are sent again from time to time. */
async function hashesOf({ sent, decode }: LitecoinGround): Promise<ReadonlyMap<string, string>> {
  return new Map(
    await Promise.all(sent.map(async (raw) => [(await decode(raw)).txid, raw] as const)),
  );
}

async function look({ ground, follow }: Scene<LitecoinGround>, blocks: number): Promise<void> {
  for (let i = 0; i < blocks; i++) {
    await ground.mineOnly();
    await follow(0);
  }
}

Deno.test("payouts that were signed again without a coin of their first bytes are booked as what they were", () =>
  playOnLitecoin(async (scene) => {
    const { ground, one, merchant: { hotWallet, credentials: { keyId } } } = scene;
    await scene.fundMerchant({ heldRaw: 100n * one });
    await ground.mineBySelf(false);
    const first = sentId(await scene.withdraw({ amount: "1" }));
    await bumpWithdrawal(scene.deps, { id: first, actor: "test", isAnyway: true });
    const amounts = [2, 3, 4, 5];
    const others = await Promise.all(amounts.map(() => otherOf(ground)));
    const replies = await Promise.all(
      others.map((to, i) => scene.withdraw({ to, amount: String(amounts[i]) })),
    );
    const ids = replies.map(sentId);
    const before = await hashesOf(ground);
    await using backup = await takeBackup(scene);
    // Not the bid whose change the others spend.
    await ground.mineOnly(ground.sent[0]!);
    await look(scene, 14);
    const again = [...await hashesOf(ground)].filter(([hash]) => !before.has(hash));
    assert.equal(again.length, before.size - 2, "all others were signed again");
    await ground.mineOnly(...again.map(([, raw]) => raw));
    await look(scene, 14);
    const state = async () => [
      await scene.balanceOf(),
      await Promise.all([first, ...ids].map(scene.statusOf)),
    ];
    const booked = await state();
    await backup.bringBack();
    await look(scene, 2);
    const adoptNamed = (hash: string, ...named: string[]) =>
      runIn(scene, [
        ...["wallet", "adopt", hash, "--network", "LTC"],
        ...named.flatMap((one) => ["--payout", one]),
      ]);
    const { left } = await adoptAll(scene.deps, ORDER);
    assert.deepEqual(left.map(({ to }) => to).toSorted(), others.toSorted());
    const byHash = Map.groupBy(left, ({ txHash }) => txHash);
    assert.deepEqual([...byHash.keys()].toSorted(), again.map(([hash]) => hash).toSorted());
    assert.ok([...byHash.values()].some((some) => some.length > 1), "some share a transaction");
    for (const [txHash, some] of byHash) {
      const adopt = (termsOf: (id: number) => PayoutTerms) => {
        const named = some.map(({ to, output }) =>
          [output ?? 0, termsOf(ids[others.indexOf(to!)]!)] as const
        );
        const terms = some.length > 1 ? { ...TERMS, payouts: new Map(named) } : named[0]![1];
        return adoptByHash(scene.deps, { ...ORDER, txHash, terms });
      };
      await assert.rejects(adopt(() => TERMS), /is waiting to pay/);
      if (some.length > 1) {
        const references = some.map(({ output }) => `${output}=${keyId}/order-${output}`);
        assert.match((await adoptNamed(txHash, ...references)).err, /is waiting to pay/);
        const same = some.map(({ output }) => `${output}=${keyId}/order`);
        assert.match((await adoptNamed(txHash, ...same)).err, /names a withdrawal twice/);
      }
      await assert.rejects(adopt((id) => ({ ...TERMS, withdrawal: id + 1 })), /is not waiting/);
      await adopt((id) => ({ ...TERMS, withdrawal: id }));
    }
    await look(scene, 1);
    assert.deepEqual(await state(), booked);
    await resumeWallet(scene.deps, { ...ORDER, address: hotWallet });
    const known = await hashesOf(ground);
    await look(scene, 3);
    assert.deepEqual([...(await hashesOf(ground)).keys()], [...known.keys()]);
    await ground.mine(2);
    for (const [i, to] of others.entries()) {
      assert.equal(await ground.coinsOf(to), BigInt(amounts[i]!) * one);
    }
  }));

Deno.test("a payout isn't booked as one whose own bytes can still be mined", () =>
  playOnLitecoin(async (scene) => {
    const { ground, one, merchant: { hotWallet } } = scene;
    await scene.fundMerchant({ heldRaw: 100n * one });
    await scene.give(hotWallet, 50n * one);
    await ground.mineBySelf(false);
    const to = await otherOf(ground);
    const waiting = sentId(await scene.withdraw({ to, amount: "2" }));
    await using backup = await takeBackup(scene);
    sentId(await scene.withdraw({ to, amount: "2" }));
    const [raw, other] = ground.sent;
    const spent = (await ground.decode(raw!)).txid;
    const { txid: txHash, spends } = await ground.decode(other!);
    assert.ok(
      !spends.some((outpoint) => outpoint.startsWith(spent)),
      "they have no coin in common",
    );
    await ground.mineOnly(other!);
    await look(scene, 14);
    await backup.bringBack();
    await look(scene, 2);
    const adopt = (withdrawal: number | "new") =>
      adoptByHash(scene.deps, { ...ORDER, txHash, terms: { ...TERMS, withdrawal } });
    await assert.rejects(adopt(waiting), /may still pay withdrawal/);
    await adopt("new");
    await ground.mineOnly(raw!);
    await look(scene, 14);
    assert.equal(await scene.statusOf(waiting), "confirmed");
    assert.equal(await ground.coinsOf(to), 4n * one);
  }));
