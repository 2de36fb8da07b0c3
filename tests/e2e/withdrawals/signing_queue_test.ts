import assert from "node:assert/strict";
import type { Deps } from "../../../src/deps/deps.ts";
import { createJobHolder } from "../../../src/upkeep/leases.ts";
import { Membership } from "../../../src/upkeep/membership.ts";
import type { SigningOrder } from "../../../src/transfers/save_signed.ts";
import { signTransfer } from "../../../src/transfers/sign.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { present } from "../../../src/base/assert.ts";
import type { Chain } from "../../../src/chains/chain.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { Leases } from "../../../src/upkeep/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startPayingWorld, transfersOf } from "../../support/payouts.ts";
import { orderMaker } from "../../support/signing_orders.ts";
import type { World } from "../../support/world.ts";

const NODE_TAKES_MS = 50;

/** The writes of an instance that holds the lease for following the chain. */
async function workerSide(deps: Deps): Promise<Deps> {
  const jobs = createJobHolder(deps, new Membership(deps));
  return present(await jobs.hold("follow", "ETH"), "Nobody else has the job");
}

/** Starts one program's orders, and counts how they are worked on. */
async function watchedOrders(world: World) {
  const seen = { looks: 0, looksAtOnce: 0, signatures: 0 };
  let looking = 0;
  const real = world.deps.chains.of((await world.deps.catalog.current()).networks[0]!);
  const changes: Partial<Chain> = {
    walletState: async (address, contracts) => {
      seen.looks++;
      seen.looksAtOnce = Math.max(seen.looksAtOnce, ++looking);
      await new Promise((resolve) => setTimeout(resolve, NODE_TAKES_MS));
      return await real.walletState(address, contracts).finally(() => looking--);
    },
    signTransfer: (prepared, how) => {
      seen.signatures++;
      return real.signTransfer(prepared, how);
    },
  };
  return { seen, order: await orderMaker(world, changes) };
}

async function ordersOf(
  { order }: Awaited<ReturnType<typeof watchedOrders>>,
  count: number,
): Promise<SigningOrder[]> {
  return await Promise.all(Array.from({ length: count }, () => order(1n)));
}

/** One after the other from both sides, all at the same moment. */
function signFromBoth(
  { api, worker }: { api: Deps; worker: Deps },
  orders: readonly SigningOrder[],
) {
  return orders.map((order, i) => signTransfer(i % 2 === 0 ? api : worker, order));
}

async function noncesOf(world: World): Promise<number[]> {
  return (await transfersOf(world)).map(({ place }) => place);
}

Deno.test("concurrent signatures of a program's API and worker for one wallet get nonces in turn", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const watched = await watchedOrders(world);
  const orders = await ordersOf(watched, 8);
  const sides = { api: world.deps, worker: await workerSide(world.deps) };
  await Promise.all(signFromBoth(sides, orders));
  assert.deepEqual(await noncesOf(world), [0, 1, 2, 3, 4, 5, 6, 7]);
  const { signatures, looksAtOnce } = watched.seen;
  assert.deepEqual({ signatures, looksAtOnce }, { signatures: 8, looksAtOnce: 1 });
});

Deno.test("two programs on one database sign for one wallet at the same time, each from its own queue", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const other = await openGateway(readConfig({ ...world.place.env, CPG_LOG_LEVEL: "silent" }));
  try {
    const [here, there] = [await watchedOrders(world), await watchedOrders(world)];
    const [ours, theirs] = [await ordersOf(here, 6), await ordersOf(there, 3)];
    const worker = await workerSide(world.deps);
    await Promise.all([
      ...signFromBoth({ api: world.deps, worker }, ours),
      ...theirs.map((order) => signTransfer(other.deps, order)),
    ]);
    assert.deepEqual((await noncesOf(world)).toSorted(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert.deepEqual([here.seen.looksAtOnce, there.seen.looksAtOnce], [1, 1]);
  } finally {
    await other.close();
  }
});

Deno.test("a worker that lost its job signs nothing, and what the API signs beside it is saved", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const watched = await watchedOrders(world);
  const orders = await ordersOf(watched, 4);
  const { deps } = world;
  const worker = await workerSide(deps);
  await deps.db.write({
    reads: [read(Leases, ["follow", "ETH"])],
    decide: (view) => {
      const lease = view.find(Leases, ["follow", "ETH"])!;
      view.update(Leases, lease, { instance: "another", fence: lease.fence + 1 });
    },
  });
  // The worker's come first, so what all of a batch share would be read under its lease.
  const results = await Promise.allSettled(
    orders.map((order, i) => signTransfer(i < 2 ? worker : deps, order)),
  );
  assert.deepEqual(
    results.map((one) => one.status === "fulfilled" ? "signed" : one.reason.name),
    ["LeaseLost", "LeaseLost", "signed", "signed"],
  );
  const owners = (await transfersOf(world)).map(({ withdrawalId }) => withdrawalId);
  assert.deepEqual(owners, orders.slice(2).map(({ payments }) => payments[0]!.withdrawalId));
});
