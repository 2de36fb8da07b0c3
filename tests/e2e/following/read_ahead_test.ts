import assert from "node:assert/strict";
import { followNetwork } from "../../../src/following/follow_network.ts";
import { waitForReadAhead } from "../../../src/following/read_ahead.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { findNetwork } from "../../../src/books/find.ts";
import type { Chain, HeightRange } from "../../../src/chains/chain.ts";
import { NetworkBlocks } from "../../../src/following/table.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { deploy, sendTx } from "../../support/nodes/contracts.ts";
import { enable, makeToken } from "../../support/gateway.ts";
import { ETHER } from "../../support/payers.ts";
import { allocate, cursorOf, depositsOf } from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

const NETWORK = "ETH";
/** A step reads a hundred of them, and the next one those that are new enough for traces. */
const BLOCKS = 164;

interface Reader extends AsyncDisposable {
  readonly anvil: Anvil;
  readonly world: World;
  readonly address: string;
  /** The ranges that the node was asked for, in order. */
  readonly ranges: readonly HeightRange[];
  /** While true, nothing can be written. */
  readonly disk: { isFull: boolean };
  step(): ReturnType<typeof followNetwork>;
  /** The step after the next one is read by now, and nothing of it recorded. */
  untilAhead(): Promise<void>;
}

/** A payment stands in block 130; nothing is read yet. */
async function startReader(
  pay: (anvil: Anvil, address: string) => Promise<unknown> = payCoin,
): Promise<Reader> {
  const stack = new AsyncDisposableStack();
  const anvil = stack.use(await startAnvil());
  const world = stack.use(await startWorld({ anvil, env: { CPG_WORKER: "false" } }));
  const { address } = await allocate(world.merchant.api);
  await anvil.mine(125);
  await pay(anvil, address);
  await anvil.mine(BLOCKS - Number(await anvil.rpc("eth_blockNumber")));
  const ranges: HeightRange[] = [];
  const wrapped = new Map<Chain, Chain>();
  const disk = { isFull: false };
  const { db } = world.deps;
  const write: typeof db.write = (unit) =>
    disk.isFull ? Promise.reject(new Error("The disk is full")) : db.write(unit);
  const own: Deps = {
    ...world.deps,
    db: { ...db, write },
    chains: {
      ...world.deps.chains,
      of: (config) => {
        const chain = world.deps.chains.of(config);
        const readBlocks: Chain["readBlocks"] = (range, watch) => {
          ranges.push(range);
          return chain.readBlocks(range, watch);
        };
        if (!wrapped.has(chain)) wrapped.set(chain, { ...chain, readBlocks });
        return wrapped.get(chain)!;
      },
    },
  };
  const network = () => findNetwork(own, NETWORK);
  return {
    anvil,
    world,
    address,
    ranges,
    disk,
    step: async () => await followNetwork(own, await network()),
    untilAhead: async () => {
      await waitForReadAhead(own, await network());
      assert.deepEqual(ranges.at(-1), { from: 101, to: BLOCKS });
      assert.equal((await cursorOf(own)).scanHeight, 100);
      assert.deepEqual(await depositsOf(world.merchant.api), []);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function payCoin(anvil: Anvil, to: string): Promise<unknown> {
  return sendTx(anvil, { to, valueRaw: ETHER });
}

Deno.test("the next blocks are requested during recording, each once, and recorded in order", async () => {
  await using reader = await startReader();
  const { step, ranges, world } = reader;
  assert.equal((await step()).toHeight, 100);
  await reader.untilAhead();
  const last = await step();
  assert.deepEqual([last.fromHeight, last.toHeight, last.isCaughtUp], [100, BLOCKS, true]);
  assert.deepEqual(ranges, [{ from: 1, to: 100 }, { from: 101, to: BLOCKS }]);
  assert.equal((await depositsOf(world.merchant.api)).length, 1);
});

for (const more of [0, 3]) {
  Deno.test(`blocks read ahead that left the chain before recording are read again, ${more} blocks later`, async () => {
    await using reader = await startReader();
    const { step, anvil, world } = reader;
    await step();
    await reader.untilAhead();
    await anvil.rpc("anvil_reorg", [40, []]);
    await anvil.mine(more);
    while (!(await step()).isCaughtUp);
    assert.deepEqual(await depositsOf(world.merchant.api), []);
    const tip = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
    const read = await world.deps.db.find(NetworkBlocks, [NETWORK, BLOCKS + more]);
    assert.equal(read?.hash, tip.hash);
  });
}

Deno.test("a token added between reading ahead and recording is looked for in those blocks too", async () => {
  let contract = "";
  await using reader = await startReader(async (anvil, address) => {
    const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
    contract = token.address;
    await token.send("mint", [address, 5_000_000n]);
  });
  const { step, world } = reader;
  await step();
  await reader.untilAhead();
  await makeToken(world.deps, { network: NETWORK, contract });
  const { accountId } = world.merchant;
  await enable(world.deps, { accountId, network: NETWORK, currency: "USDT" });
  while (!(await step()).isCaughtUp);
  const deposits = await depositsOf(world.merchant.api);
  assert.deepEqual(deposits.map(({ amount_decimal }) => amount_decimal), ["5"]);
});

Deno.test("if recording fails the cursor stays, and the blocks are recorded later", async () => {
  await using reader = await startReader();
  const { step, disk, world } = reader;
  await step();
  await reader.untilAhead();
  disk.isFull = true;
  await assert.rejects(step(), /The disk is full/);
  assert.equal((await cursorOf(world.deps)).scanHeight, 100);
  disk.isFull = false;
  while (!(await step()).isCaughtUp);
  assert.equal((await cursorOf(world.deps)).scanHeight, BLOCKS);
  assert.equal((await depositsOf(world.merchant.api)).length, 1);
});
