import assert from "node:assert/strict";
import { NOT_ON_OUTPUTS, onEveryFamily, TOKEN, TOKEN_RAW } from "../../support/grounds/scenario.ts";

const COUNT = 6;
/** A base fee that falls meanwhile leaves more than one that stays. */
const GAS_LEFT_PERCENT_MAX = 35n;

onEveryFamily(
  "of many token sweeps one goes ahead, one is parked, and little gas is left",
  async (scene) => {
    const { ground } = scene;
    const token = await scene.addToken();
    await scene.fundGasWallet();
    await scene.sweepTo(ground.receiver);
    const addresses: string[] = [];
    for (let i = 0; i < COUNT; i++) {
      const { address } = await scene.allocate(TOKEN);
      await token.mint(address, 5n * TOKEN_RAW);
      addresses.push(address);
    }
    const [banned, ...others] = addresses;
    await token.ban(banned!);
    await scene.turn(1);
    assert.equal(await scene.signed("gas_topup"), COUNT - 1, "All in one step");
    await ground.mineBySelf(true);
    const sentRaw = await sumOf(others.map((address) => ground.coinsOf(address)));
    await scene.turn(1);
    assert.equal(await scene.signed("sweep"), 1, "The first of its receiver");
    await scene.turn(2);
    assert.equal(await scene.signed("sweep"), COUNT - 1);
    assert.equal(await token.balanceOf(ground.receiver), BigInt(COUNT - 1) * 5n * TOKEN_RAW);
    assert.equal(await token.balanceOf(banned!), 5n * TOKEN_RAW);
    for (const address of others) assert.equal(await ground.countSentBy(address), 1);
    assert.equal(await scene.signed("gas_topup"), COUNT - 1, "Nobody needed gas twice");
    await scene.turn(1);
    const leftRaw = await sumOf(others.map((address) => ground.coinsOf(address)));
    assert.ok(leftRaw * 100n < sentRaw * GAS_LEFT_PERCENT_MAX, `${leftRaw} of ${sentRaw} is left`);
  },
  { without: NOT_ON_OUTPUTS.tokens },
);

async function sumOf(raws: readonly Promise<bigint>[]): Promise<bigint> {
  return (await Promise.all(raws)).reduce((sum, raw) => sum + raw, 0n);
}
