import assert from "node:assert/strict";
import { findNetwork } from "../../../src/books/find.ts";
import { insertSweep } from "../../../src/sweeps/assign.ts";
import { sweepDeposits } from "../../../src/sweeps/sweep.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startSweepingWorld, sweepsOf } from "../../support/sweeping.ts";
import { allocate } from "../../support/views.ts";
import type { WorldMerchant } from "../../support/world.ts";

const PER_STEP = 20;

Deno.test("accounts take turns with their sweeps, however many and however old those of one are", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { deps } = world;
  const few = await Promise.all(["Beta", "Gamma"].map((name) => world.addMerchant(name)));
  const many = { merchant: world.merchant, count: 2 * PER_STEP, ageMs: 3_600_000 };
  const others = few.map((merchant) => ({ merchant, count: 1, ageMs: 0 }));
  for (const { merchant, count, ageMs } of [many, ...others]) {
    await startEmptySweeps(world, { merchant, count, ageMs });
  }
  const network = await findNetwork(deps, "ETH");
  const waiting = async ({ accountId }: WorldMerchant) =>
    (await sweepsOf(world)).filter((row) => row.accountId === accountId && row.open === 1).length;
  const left = () => Promise.all([world.merchant, ...few].map(waiting));
  assert.deepEqual(await left(), [2 * PER_STEP, 1, 1]);
  await sweepDeposits(deps, network, { sweepsMax: PER_STEP });
  assert.deepEqual(await left(), [PER_STEP + 2, 0, 0]);
  await sweepDeposits(deps, network, { sweepsMax: PER_STEP });
  assert.deepEqual(await left(), [2, 0, 0]);
});

Deno.test("of more accounts than a step takes, the next step goes on where the last one ended", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { deps } = world;
  for (let i = 1; i <= PER_STEP + 5; i++) {
    const merchant = await world.addMerchant(`Merchant ${i}`);
    await startEmptySweeps(world, { merchant, count: 2, ageMs: 0 });
  }
  const network = await findNetwork(deps, "ETH");
  const left = async () => {
    const open = (await sweepsOf(world)).filter((row) => row.open === 1);
    const byAccount = Map.groupBy(open, ({ accountId }) => accountId);
    return [...byAccount.values()].map(({ length }) => length).toSorted().join("");
  };
  await sweepDeposits(deps, network, { sweepsMax: PER_STEP });
  assert.equal(await left(), "1".repeat(PER_STEP) + "22222");
  await sweepDeposits(deps, network, { sweepsMax: PER_STEP });
  assert.equal(await left(), "1".repeat(10), "the five, and then 15 of the first again");
});

/** They end as soon as they are looked at, because they have no deposits. */
async function startEmptySweeps(
  { deps }: Awaited<ReturnType<typeof startSweepingWorld>>,
  { merchant: { accountId, api }, count, ageMs }: {
    merchant: WorldMerchant;
    count: number;
    ageMs: number;
  },
): Promise<void> {
  for (let i = 0; i < count; i++) await allocate(api);
  const rows = await deps.db.rows(Addresses, "WHERE account_id = ? AND purpose = 'deposit'", [
    accountId,
  ]);
  const nowMs = deps.clock.nowMs() - ageMs;
  await deps.db.write({
    reads: [],
    decide: (view) => {
      for (const { id: addressId } of rows) {
        insertSweep(view, { accountId, network: "ETH", currency: "ETH", addressId, nowMs });
      }
    },
  });
}
