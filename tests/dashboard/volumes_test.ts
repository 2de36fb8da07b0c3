import assert from "node:assert/strict";
import { addUpVolumes } from "../../src/actions/add_up_volumes.ts";
import { ALL_ACCOUNTS, volumesSince } from "../../src/store/volume_reads.ts";
import { startAnvil } from "../support/anvil.ts";
import { startPayingWorld } from "../support/payouts.ts";
import { livedIn } from "./_lived_in.ts";

Deno.test("what came in and went out is added up once, for the account and for all, without manual entries", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await livedIn(world);
  const { deps, merchant: { accountId } } = world;
  await addUpVolumes(deps);
  for (const id of [accountId, ALL_ACCOUNTS]) {
    for (const span of ["hour", "day"] as const) {
      const rows = await volumesSince(deps.db, { accountId: id, span, sinceMs: 0 });
      const told = rows.map(({ direction, amount, movements }) => ({
        direction,
        amount,
        movements,
      }));
      assert.deepEqual(told, [
        { direction: "deposit", amount: "1", movements: 1 },
        { direction: "withdrawal", amount: "1.25635", movements: 1 },
      ]);
    }
  }
});
