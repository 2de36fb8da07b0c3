import assert from "node:assert/strict";
import { findNetwork } from "../../../src/books/find.ts";
import { confirmDeposits } from "../../../src/deposits/confirm.ts";
import { creditSurplus } from "../../../src/deposits/credit_surplus.ts";
import { followNetwork } from "../../../src/following/follow_network.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { resumeNetwork } from "../../../src/following/resume_network.ts";
import { haltNetwork } from "../../../src/following/rewind_network.ts";
import type { NetworkRow } from "../../../src/networks/table.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy, sendTx } from "../../support/nodes/contracts.ts";
import { type Fault, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { isTraceCall, refused } from "../../support/nodes/tracing_nodes.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { depositStates, startSweepingWorld, type SweepingWorld } from "../../support/sweeping.ts";
import { alertsOf, allocate, balanceOf, depositsOf } from "../../support/views.ts";

const NETWORK = "ETH";

interface Reader extends AsyncDisposable {
  readonly world: SweepingWorld;
  readonly address: string;
  readonly paidBlock: number;
  /** Sets the node's answer to requests for traces. */
  traceBy(fault: Fault): void;
  /** An operator has the network read anew from below the payment. */
  readAnew(): Promise<void>;
}

/** A merchant whose address a contract paid one coin, so many blocks ago. */
async function startReader({ depth }: { depth: number }): Promise<Reader> {
  const stack = new AsyncDisposableStack();
  const anvil = stack.use(await startAnvil());
  const tracing = (fault: Fault) => (method: string) =>
    method === "trace_block" ? refused() : isTraceCall({ method }) ? fault : "pass";
  const proxy = stack.use(await startFaultProxy(anvil.url, tracing("pass")));
  const options = { anvil, receiver: null, rpcUrls: [proxy.url] };
  const world = stack.use(await startSweepingWorld(options));
  const disperse = await deploy(anvil, { name: "Disperse" });
  const { address } = await allocate(world.merchant.api);
  await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  const paidBlock = Number(await anvil.rpc("eth_blockNumber"));
  await anvil.mine(depth - 1);
  await world.round();
  return {
    world,
    address,
    paidBlock,
    traceBy: (fault) => {
      proxy.onCall = tracing(fault);
    },
    readAnew: async () => {
      await haltNetwork(world.deps, { network: NETWORK, reason: "test" });
      await anvil.mine(200);
      await resumeNetwork(world.deps, { network: NETWORK, fromBlock: 2, actor: "test" });
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const PRUNED = refused({ code: -32000, message: "required historical state unavailable" });

/** The same payment after another one that moved coins, so its number is one higher. */
const SHIFTED: Fault = {
  edit: (reply) => {
    const traces = structuredClone(reply.result) as {
      result: { calls?: object[]; from: string };
    }[];
    for (const { result } of traces) {
      if (result.calls === undefined) continue;
      const other = { ...result.calls[0], to: STRANGER, value: "0x1", calls: undefined };
      result.calls.unshift(other);
    }
    return { ...reply, result: traces };
  },
};

async function rescanAll({ deps }: SweepingWorld): Promise<number> {
  return (await rescan(deps, { network: NETWORK, fromBlock: 1, toBlock: undefined, actor: "test" }))
    .found;
}

/** Read up to the tip, with nothing else done yet. */
async function followAll({ deps }: SweepingWorld): Promise<NetworkRow> {
  const network = await findNetwork(deps, NETWORK);
  for (let isCaughtUp = false; !isCaughtUp;) ({ isCaughtUp } = await followNetwork(deps, network));
  return network;
}

/** Never more than there is. */
async function turnAtMostOne(world: SweepingWorld, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await world.turn();
    assert.ok(["0", "1"].includes((await balanceOf(world.merchant.api)).balance));
  }
}

async function alertKinds({ deps }: SweepingWorld): Promise<string[]> {
  return (await alertsOf(deps)).map(({ kind }) => kind).sort();
}

for (const depth of [10, 1]) {
  const what = depth === 1 ? "that are not credited yet are" : "stay";
  Deno.test(`coins that a contract sent ${what} credited when their block is read again without traces`, async () => {
    await using reader = await startReader({ depth });
    const { world, paidBlock } = reader;
    const { api } = world.merchant;
    assert.equal((await balanceOf(api)).balance, depth === 1 ? "0" : "1");
    reader.traceBy(PRUNED);
    await reader.readAnew();
    await turnAtMostOne(world, 5);
    assert.equal((await balanceOf(api)).balance, "1");
    assert.deepEqual(await alertKinds(world), ["blocks_untraced"]);

    reader.traceBy("pass");
    assert.equal(await rescanAll(world), 0);
    await turnAtMostOne(world, 2);
    const rows = await depositsOf(api);
    assert.deepEqual(rows.map(({ block_number }) => block_number), [paidBlock]);
    assert.equal((await balanceOf(api)).balance, "1");
  });
}

Deno.test("a contract's coins are taken back if gone when their block is read again without traces", async () => {
  await using reader = await startReader({ depth: 10 });
  const { world } = reader;
  reader.traceBy(PRUNED);
  await setBalance(world.anvil, reader.address, 0n);
  await reader.readAnew();
  await turnAtMostOne(world, 5);
  assert.equal((await balanceOf(world.merchant.api)).balance, "0");
  assert.deepEqual(await depositStates(world), ["failed"]);
  assert.deepEqual(await alertKinds(world), ["blocks_untraced", "deposit_reversed"]);
});

Deno.test("a credit kept without its block's traces isn't repeated by a rescan with other numbers", async () => {
  await using reader = await startReader({ depth: 10 });
  const { world } = reader;
  reader.traceBy(PRUNED);
  await reader.readAnew();
  await turnAtMostOne(world, 5);
  reader.traceBy(SHIFTED);
  assert.equal(await rescanAll(world), 1);
  await turnAtMostOne(world, 5);
  assert.deepEqual(await depositStates(world), ["confirmed", "detected"]);
  assert.deepEqual(await alertKinds(world), ["blocks_untraced", "deposit_not_covered"]);
});

Deno.test("a payment that gets another number when its block is read again is credited once", async () => {
  await using reader = await startReader({ depth: 10 });
  const { world } = reader;
  reader.traceBy(SHIFTED);
  await reader.readAnew();
  const network = await followAll(world);
  await confirmDeposits(world.deps, network);
  assert.equal((await balanceOf(world.merchant.api)).balance, "1", "one of the two at most");
  await turnAtMostOne(world, 6);
  assert.equal((await balanceOf(world.merchant.api)).balance, "1");
  assert.deepEqual(await depositStates(world), ["failed", "confirmed"]);
  assert.deepEqual(await alertKinds(world), ["deposit_reversed"]);
});

Deno.test("an operator can't credit by hand what a payment being looked for accounts for", async () => {
  await using reader = await startReader({ depth: 10 });
  const { world, address } = reader;
  await sendTx(world.anvil, { to: address, valueRaw: 1n });
  reader.traceBy(PRUNED);
  await reader.readAnew();
  await followAll(world);
  const order = { network: NETWORK, address, currency: "ETH", amount: "1", txHash: undefined };
  await assert.rejects(
    creditSurplus(world.deps, { ...order, note: "test", actor: "test" }),
    /holds 0 that no transaction explains/,
  );
  assert.deepEqual((await reconcile(world.deps, { network: NETWORK })).surplus, []);
});
