import assert from "node:assert/strict";
import { adoptAll } from "../../../src/restore/adopt_spends.ts";
import { rescan } from "../../../src/following/rescan.ts";
import {
  NOT_ON_OUTPUTS,
  onEveryFamily,
  type Scene,
  TOKEN,
  TOKEN_RAW,
} from "../../support/grounds/scenario.ts";
import { recover as recoverBy, shownOf } from "../../support/recovering.ts";
import { takeBackup } from "../../support/restoring.ts";
import { writesNothing } from "../../support/stage.ts";
import { alertsOf, eventsOf } from "../../support/views.ts";

const recover = async ({ deps, ground }: Scene, isApplied: boolean) =>
  shownOf(await recoverBy(deps, { network: ground.code, isApplied }));

async function found(scene: Scene): Promise<number> {
  const order = { network: scene.ground.code, fromBlock: 1, toBlock: undefined, actor: "test" };
  return (await rescan(scene.deps, order)).found;
}

onEveryFamily(
  "addresses that were given since the backup come back with what was paid to them, swept or not, and once",
  async (scene) => {
    const { ground, one, merchant: { accountId } } = scene;
    const token = await scene.addToken();
    const gas = await scene.fundGasWallet();
    const kept = await scene.allocate();
    await ground.pay(kept.address, 30n * one);
    await scene.turn(2);
    await using backup = await takeBackup(scene);
    const coins = await scene.allocate();
    const tokens = await scene.allocate(TOKEN);
    const unpaid = await scene.allocate();
    const unswept = await scene.allocate();
    await ground.pay(coins.address, 20n * one);
    await token.mint(tokens.address, 40n * TOKEN_RAW);
    await scene.sweepTo(ground.receiver);
    await scene.turn(6);
    assert.equal(await ground.coinsOf(coins.address), 0n, "It was drained to the last coin");
    assert.equal(await token.balanceOf(tokens.address), 0n);
    const state = async () => [
      (await scene.listed()).toSorted(),
      await scene.balanceOf(),
      await scene.balanceOf(TOKEN),
    ];
    const before = await state();

    await backup.bringBack();
    await scene.turn(2);
    await ground.pay(unswept.address, 7n * one);
    await scene.turn(2);
    assert.equal((await scene.listed()).length, 1, "They are in no books");
    let reported: string[][] = [];
    assert.ok(
      await writesNothing(scene.deps, async () => void (reported = await recover(scene, false))),
    );
    const dust = reported.find(([address]) => address === tokens.address)!;
    assert.deepEqual(reported, [
      [coins.address, "lost"],
      [tokens.address, "lost", ...dust.slice(2)],
      [unswept.address, "lost", `7 ${ground.coin.symbol}`],
    ]);
    assert.ok(
      dust.slice(2).every((text) => text.endsWith(` ${ground.coin.symbol}`)),
      "Left of gas",
    );
    assert.deepEqual((await recover(scene, true)).map(([address, is]) => [address, is]), [
      [coins.address, "booked"],
      [tokens.address, "booked"],
      [unswept.address, "booked"],
    ]);
    assert.deepEqual(await recover(scene, true), []);

    assert.equal(await found(scene), 3);
    assert.equal(await found(scene), 0);
    await scene.sweepTo(ground.receiver);
    await scene.turn(2);
    const { left } = await adoptAll(scene.deps, { network: ground.code, actor: "test" });
    assert.deepEqual(left, []);
    await scene.turn(2);
    assert.equal(await found(scene), 0);
    const credited = await eventsOf(scene.deps, "deposit.confirmed");
    const paid = credited.filter(({ address }) => address !== kept.address);
    assert.deepEqual(
      paid.map(({ address, amount_decimal }) => `${address} ${amount_decimal}`).sort(),
      [`${coins.address} 20`, `${tokens.address} 40`, `${unswept.address} 7`].sort(),
    );

    const fresh = [];
    for (let i = 0; i < 3; i++) fresh.push((await scene.allocate()).address);
    const old = [kept, coins, tokens, unpaid, unswept].map(({ address }) => address);
    assert.ok(fresh.every((address) => !old.includes(address)), "Nobody gets them again");
    await ground.pay(unpaid.address, 3n * one);
    await scene.turn(2);
    assert.deepEqual(await recover(scene, true), [
      [unpaid.address, "booked", `3 ${ground.coin.symbol}`],
    ]);
    assert.equal(await found(scene), 1);
    await scene.turn(2);
    const [, coinsBefore, tokensBefore] = before as [unknown, { balance: string }, unknown];
    const { balance } = await scene.balanceOf();
    assert.equal(balance, String(Number(coinsBefore.balance) + 10), "7 and 3 more, each once");
    assert.deepEqual(await scene.balanceOf(TOKEN), tokensBefore);
    const alerts = (await alertsOf(scene.deps)).map(({ kind, subject }) => `${kind} ${subject}`);
    const halted = [gas, scene.merchant.hotWallet].map((wallet) => `wallet_halted ${wallet}`);
    assert.deepEqual(alerts.sort(), halted.sort(), "Nothing else waits for anybody");
    const rows = await scene.deps.db.query(
      "SELECT account_id FROM addresses WHERE purpose = 'deposit'",
    );
    assert.ok(rows.every((row) => row.account_id === accountId));
  },
  { without: NOT_ON_OUTPUTS.tokens },
);
