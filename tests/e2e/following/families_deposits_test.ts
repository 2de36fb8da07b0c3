import assert from "node:assert/strict";
import { rescan } from "../../../src/following/rescan.ts";
import {
  NOT_ON_OUTPUTS,
  onEveryFamily,
  TOKEN,
  TOKEN_RAW,
  unitsOf,
} from "../../support/grounds/scenario.ts";
import { depositsOf, eventsOf, requestOf, transactionsOf } from "../../support/views.ts";

const UNTOUCHED = { balance: "0", held: "0", available: "0" };

onEveryFamily(
  "coins are detected, credited at the depth asked for, and swept to the last unit",
  async (scene) => {
    const { ground, one, merchant: { api } } = scene;
    await scene.sweepTo(ground.receiver);
    const { address, requestId } = await scene.allocate();
    const hash = await ground.pay(address, 30n * one + 1n);
    await scene.follow(0);
    const [seen] = await depositsOf(api);
    assert.deepEqual([seen!.tx_hash, seen!.status, seen!.confirmations], [hash, "detected", 1]);
    assert.equal(seen!.amount_decimal, unitsOf(30n * one + 1n, one));
    assert.equal(seen!.from_address.toLowerCase(), ground.customer.toLowerCase());
    await scene.follow(ground.minConfirmations - 2);
    assert.equal((await depositsOf(api))[0]!.status, "detected");
    assert.deepEqual(await scene.balanceOf(), UNTOUCHED);
    await scene.follow(1);
    assert.equal((await scene.balanceOf()).balance, seen!.amount_decimal);
    assert.equal((await requestOf(api, requestId)).status, "settled");
    assert.equal((await eventsOf(scene.deps, "deposit.confirmed")).length, 1);
    await scene.turn(2);
    assert.deepEqual(await scene.listed(), [
      `deposit ${ground.code} swept`,
      `sweep ${ground.code} confirmed`,
    ]);
    assert.equal(await ground.coinsOf(address), 0n);
    const arrived = await ground.coinsOf(ground.receiver);
    const [sweep] = await transactionsOf(api, "&direction=sweep");
    assert.equal(sweep!.amount_decimal, unitsOf(arrived, one));
    assert.ok(arrived > 0n && arrived < 30n * one, `${arrived}`);
    assert.equal((await scene.balanceOf()).balance, seen!.amount_decimal);
  },
  { without: NOT_ON_OUTPUTS.payer },
);

onEveryFamily(
  "tokens are credited, gas is sent once to their address, and all of them are swept",
  async (scene) => {
    const { ground } = scene;
    const token = await scene.addToken();
    await scene.fundGasWallet();
    await scene.sweepTo(ground.receiver);
    const { address } = await scene.allocate(TOKEN);
    await token.mint(address, 25n * TOKEN_RAW + 1n);
    await token.mint(address, 5n * TOKEN_RAW);
    await scene.turn(5);
    assert.deepEqual(await scene.listed(), [
      `deposit ${TOKEN} swept`,
      `deposit ${TOKEN} swept`,
      `gas_topup ${ground.code} confirmed`,
      `sweep ${TOKEN} confirmed`,
    ]);
    assert.equal(await token.balanceOf(address), 0n);
    assert.equal(await token.balanceOf(ground.receiver), 30n * TOKEN_RAW + 1n);
    assert.equal((await scene.balanceOf(TOKEN)).balance, "30.000001");
    assert.deepEqual(await scene.balanceOf(), UNTOUCHED, "Gas is no deposit");
    assert.equal(await scene.signed("gas_topup"), 1);
    assert.equal(await scene.signed("sweep"), 1);
  },
  { without: NOT_ON_OUTPUTS.tokens },
);

onEveryFamily(
  "a detected deposit that a reorganisation takes away waits, and is credited once when it is mined again",
  async (scene) => {
    const { ground, one, merchant: { api } } = scene;
    const { address } = await scene.allocate();
    const hash = await ground.pay(address, one);
    await scene.follow(0);
    const [first] = await depositsOf(api);
    await ground.reorg(1);
    await scene.follow(1);
    const [gone] = await depositsOf(api);
    assert.deepEqual([gone!.id, gone!.status, gone!.confirmations], [first!.id, "detected", 0]);
    await ground.mineAgain(hash);
    await scene.follow(0);
    const [again] = await depositsOf(api);
    assert.deepEqual([again!.id, again!.tx_hash, again!.confirmations], [first!.id, hash, 1]);
    assert.ok(again!.block_number > first!.block_number);
    await scene.turn(2);
    assert.deepEqual(await scene.listed(), [`deposit ${ground.code} confirmed`]);
    assert.equal((await scene.balanceOf()).balance, "1");
  },
);

onEveryFamily(
  "a detected deposit that a reorganisation takes away for good fails, and is never credited",
  async (scene) => {
    const { ground, one } = scene;
    const { address } = await scene.allocate();
    await ground.pay(address, one);
    await scene.follow(0);
    await ground.reorg(1);
    await scene.follow(1);
    assert.deepEqual(await scene.listed(), [`deposit ${ground.code} detected`]);
    await ground.outlast(ground.customer);
    await scene.turn(3);
    assert.deepEqual(await scene.listed(), [`deposit ${ground.code} failed`]);
    assert.deepEqual(await scene.balanceOf(), UNTOUCHED);
  },
  { without: NOT_ON_OUTPUTS.expiry },
);

onEveryFamily(
  "gas that no node was reached with is sent again, once, and the sweep follows it",
  async (scene) => {
    const { ground } = scene;
    const token = await scene.addToken();
    const gas = await scene.fundGasWallet();
    await scene.sweepTo(ground.receiver);
    const { address } = await scene.allocate(TOKEN);
    await token.mint(address, 25n * TOKEN_RAW);
    await ground.mine(ground.minConfirmations);
    ground.onSending = () => "lost";
    await scene.follow(0);
    await scene.follow(0);
    assert.equal(await scene.signed("gas_topup"), 1);
    assert.equal(await ground.countSentBy(gas), 0);
    ground.onSending = () => "taken";
    await scene.turn(6);
    assert.equal(await token.balanceOf(ground.receiver), 25n * TOKEN_RAW);
    assert.equal(await ground.countSentBy(gas), 1);
    assert.equal(await ground.countSentBy(address), 1);
  },
  { without: NOT_ON_OUTPUTS.tokens },
);

onEveryFamily(
  "dust that its own fee would eat waits, and is swept with what comes later",
  async (scene) => {
    const { ground, one } = scene;
    await scene.sweepTo(ground.receiver);
    const { address } = await scene.allocate();
    await ground.pay(address, ground.coin.decimals === 18 ? 10n ** 10n : one / 2n);
    await scene.turn(2);
    assert.deepEqual(await scene.listed(), [`deposit ${ground.code} confirmed`]);
    await ground.pay(address, 50n * one);
    await scene.turn(3);
    assert.deepEqual(await scene.listed(), [
      `deposit ${ground.code} swept`,
      `deposit ${ground.code} swept`,
      `sweep ${ground.code} confirmed`,
    ]);
    assert.equal(await ground.coinsOf(address), 0n);
  },
  { without: NOT_ON_OUTPUTS.dust },
);

onEveryFamily(
  "what was paid while the gateway was down is credited once when it is back",
  async (scene) => {
    const { ground, one } = scene;
    const token = await scene.addToken();
    const [coins, tokens] = [await scene.allocate(), await scene.allocate(TOKEN)];
    await scene.follow(0);
    await scene.restart(async () => {
      await ground.pay(coins.address, one);
      await ground.mine(150);
      await token.mint(tokens.address, 5n * TOKEN_RAW);
      await ground.mine(150);
    });
    await scene.turn(2);
    assert.deepEqual(await scene.listed(), [
      `deposit ${ground.code} confirmed`,
      `deposit ${TOKEN} confirmed`,
    ]);
    assert.equal((await scene.balanceOf()).balance, "1");
    assert.equal((await scene.balanceOf(TOKEN)).balance, "5");
  },
  { without: NOT_ON_OUTPUTS.tokens },
);

onEveryFamily("blocks that are read a second time credit nothing a second time", async (scene) => {
  const { ground, one } = scene;
  await scene.sweepTo(ground.receiver);
  const { address } = await scene.allocate();
  await ground.pay(address, 30n * one);
  // Some sweeps wait for others to join them.
  await scene.turn(4);
  const before = await scene.listed();
  assert.equal(before.length, 2);
  await rescan(scene.deps, {
    network: ground.code,
    fromBlock: 1,
    toBlock: undefined,
    actor: "test",
  });
  await scene.turn(1);
  assert.deepEqual(await scene.listed(), before);
  assert.equal((await scene.balanceOf()).balance, "30");
});
