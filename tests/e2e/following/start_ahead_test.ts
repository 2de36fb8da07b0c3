import assert from "node:assert/strict";
import { rescan } from "../../../src/following/rescan.ts";
import { NetworkCursors } from "../../../src/following/table.ts";
import {
  NOT_ON_OUTPUTS,
  onEveryFamily,
  type Scene,
  TOKEN,
  TOKEN_RAW,
} from "../../support/grounds/scenario.ts";
import { depositsOf, eventsOf } from "../../support/views.ts";

const AHEAD = { startHeight: 100_000 };

async function findAgain({ deps, ground: { code } }: Scene, fromBlock = 1): Promise<number> {
  const { found } = await rescan(deps, {
    network: code,
    fromBlock,
    toBlock: undefined,
    actor: "test",
  });
  return found;
}

/** Status and confirmations, oldest first. */
async function shown({ merchant: { api } }: Scene): Promise<string[]> {
  const rows = await depositsOf(api);
  return rows.toReversed().map((row) => `${row.status} ${row.confirmations}`);
}

onEveryFamily(
  "what a rescan finds before a start block that lies ahead is as deep as the chain is, and credited",
  async (scene) => {
    const { ground, one, deps } = scene;
    const token = await scene.addToken();
    const [coins, tokens] = [await scene.allocate(), await scene.allocate(TOKEN)];
    await ground.mine(2 * ground.minConfirmations + 1);
    await ground.pay(coins.address, 2n * one);
    await token.mint(tokens.address, 5n * TOKEN_RAW);
    assert.equal(await findAgain(scene), 2);
    assert.deepEqual((await shown(scene)).map((text) => text.split(" ")[0]), [
      "detected",
      "detected",
    ]);
    await scene.follow(0);
    assert.deepEqual(await shown(scene), ["detected 2", "detected 1"]);
    await scene.follow(ground.minConfirmations - 3);
    assert.deepEqual(await shown(scene), [
      `detected ${ground.minConfirmations - 1}`,
      `detected ${ground.minConfirmations - 2}`,
    ]);
    await scene.follow(1);
    assert.deepEqual((await shown(scene))[0], `confirmed ${ground.minConfirmations}`);
    assert.match((await shown(scene))[1]!, /^detected/);
    await scene.follow(1);
    assert.deepEqual(await scene.listed(), [
      `deposit ${ground.code} confirmed`,
      `deposit ${TOKEN} confirmed`,
    ]);
    assert.equal(await findAgain(scene), 0);
    await scene.turn(1);
    assert.equal((await scene.balanceOf()).balance, "2");
    assert.equal((await scene.balanceOf(TOKEN)).balance, "5");
    assert.equal((await eventsOf(deps, "deposit.confirmed")).length, 2);
  },
  { ...AHEAD, without: NOT_ON_OUTPUTS.tokens },
);

onEveryFamily(
  "what was paid long before a start block that lies ahead is credited in the rescan's next round",
  async (scene) => {
    const { ground, one } = scene;
    const { address } = await scene.allocate();
    await ground.pay(address, 2n * one);
    await ground.mine(5 * ground.minConfirmations);
    await scene.follow(0);
    assert.equal(await findAgain(scene), 1);
    await scene.follow(0);
    assert.deepEqual(await scene.listed(), [`deposit ${ground.code} confirmed`]);
    assert.equal((await scene.balanceOf()).balance, "2");
  },
  { ...AHEAD },
);

onEveryFamily(
  "a reorganisation before the start block takes back the depth of what a rescan found",
  async (scene) => {
    const { ground, one } = scene;
    const { address } = await scene.allocate();
    await ground.mine(3);
    const hash = await ground.pay(address, one);
    await scene.follow(0);
    assert.equal(await findAgain(scene), 1);
    await scene.follow(0);
    assert.deepEqual(await shown(scene), ["detected 1"]);
    await ground.reorg(1);
    await scene.follow(1);
    await scene.follow(0);
    assert.deepEqual(await shown(scene), ["detected 0"]);
    await scene.follow(ground.minConfirmations);
    assert.deepEqual(await shown(scene), ["detected 0"]);
    await ground.mineAgain(hash);
    await scene.follow(0);
    assert.deepEqual(await shown(scene), ["detected 1"]);
    await scene.turn(1);
    assert.deepEqual(await scene.listed(), [`deposit ${ground.code} confirmed`]);
    assert.equal((await scene.balanceOf()).balance, "1");
  },
  AHEAD,
);

onEveryFamily(
  "blocks before the start block record no new payment, and those from it on record each",
  async (scene) => {
    const { ground, one, deps, merchant: { api } } = scene;
    const { address } = await scene.allocate();
    const height = async () => (await deps.db.get(NetworkCursors, [ground.code])).scanHeight;
    await scene.follow(0);
    await ground.pay(address, one);
    await scene.follow(0);
    await scene.follow(ground.minConfirmations);
    assert.deepEqual(await depositsOf(api), []);
    await scene.follow(29 - await height());
    await ground.pay(address, 2n * one);
    await scene.turn(1);
    assert.deepEqual(await scene.listed(), [`deposit ${ground.code} confirmed`]);
    assert.equal((await scene.balanceOf()).balance, "2");
    assert.equal(await findAgain(scene), 1);
    await scene.turn(1);
    assert.equal((await scene.balanceOf()).balance, "3");
  },
  { startHeight: 30, without: NOT_ON_OUTPUTS.heights },
);

onEveryFamily(
  "a reorganisation across the start block records no payment from before it",
  async (scene) => {
    const { ground, one, deps, merchant: { api } } = scene;
    const { address } = await scene.allocate();
    const height = async () => (await deps.db.get(NetworkCursors, [ground.code])).scanHeight;
    await scene.follow(0);
    await scene.follow(28 - await height());
    const early = await ground.pay(address, one);
    await scene.follow(1);
    assert.equal(await height(), 30);
    await ground.reorgWith(2, early);
    await ground.mine(1);
    for (let round = 1; round <= 3; round++) await scene.follow(0);
    await scene.follow(ground.minConfirmations);
    await scene.turn(1);
    assert.ok(await height() > 30);
    assert.deepEqual(await depositsOf(api), []);
    assert.equal(await findAgain(scene), 1, "It is in the new branch, before the start block");
  },
  { startHeight: 30, without: NOT_ON_OUTPUTS.heights },
);
