import assert from "node:assert/strict";
import { addUpVolumes, DAY_MS } from "../../../src/actions/accounts/add_up_volumes.ts";
import { prune } from "../../../src/actions/operations/prune.ts";
import { ALL_ACCOUNTS, volumesSince } from "../../../src/store/reads/pages/volumes.ts";
import { type VolumeRow, Volumes } from "../../../src/store/tables/volumes.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { openStillGateway } from "../gateway.ts";
import { livedIn } from "../lived_in.ts";

Deno.test("volumes are added up once, for the account and for all, without manual entries", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await livedIn(world);
  const { deps, merchant: { accountId } } = world;
  await addUpVolumes(deps);
  for (const id of [accountId, ALL_ACCOUNTS]) {
    for (const span of ["hour", "day"] as const) {
      const rows = await volumesSince(deps.db, { accountId: id, span, sinceMs: 0 });
      const shown = rows.map(({ direction, amount, movements }) => ({
        direction,
        amount,
        movements,
      }));
      assert.deepEqual(shown, [
        { direction: "deposit", amount: "1", movements: 1 },
        { direction: "withdrawal", amount: "1.25635", movements: 1 },
      ]);
    }
  }
});

Deno.test("hours that no chart shows are removed, for idle accounts too, and days stay", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  const startsAtMs = deps.clock.nowMs();
  const row = { network: "ETH", currency: "ETH", direction: "deposit", amount: "1", movements: 1 };
  const keys = [1, 2].flatMap((accountId) =>
    (["hour", "day"] as const).map((span) => ({ accountId, span, startsAtMs }))
  );
  await deps.db.write({
    reads: [],
    decide: (view) =>
      keys.forEach((key) => void view.insertKeyed(Volumes, { ...key, ...row } as VolumeRow)),
  });
  const spans = async () =>
    (await deps.db.rows(Volumes, "ORDER BY account_id, span")).map(({ span }) => span);
  gateway.moveMs(3 * DAY_MS);
  await prune(deps);
  assert.deepEqual(await spans(), ["day", "hour", "day", "hour"]);
  gateway.moveMs(1);
  await prune(deps);
  assert.deepEqual(await spans(), ["day", "day"]);
});
