import assert from "node:assert/strict";
import { addUpVolumes, DAY_MS, volumesNow } from "../../../src/accounts/add_up_volumes.ts";
import { prune } from "../../../src/upkeep/prune.ts";
import { ALL_ACCOUNTS, volumesSince } from "../../../src/accounts/reads/volumes.ts";
import { type VolumeRow, Volumes } from "../../../src/accounts/tables/volumes.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import { sentId, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { allocate } from "../../support/views.ts";
import type { World } from "../../support/world.ts";
import { axisText, roundTop } from "../../../src/dashboard/parts/chart.tsx";
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
      const asked = { accountId: id, span, sinceMs: 0, newMax: 0 };
      const { rows } = await volumesSince(deps.db, asked);
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

Deno.test("Home shows what was credited or paid a moment ago, and counts it once", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const logins = [await makeLogin(deps, { accountId }), await makeLogin(deps)];
  const homes = () =>
    Promise.all(
      logins.map(async ({ token }) =>
        await (await dashboardFetch(url, { path: "", token })).text()
      ),
    );
  for (const home of await homes()) {
    assert.match(home, /No movements in 30 days/);
  }
  const rows = () =>
    Promise.all(
      [accountId, ALL_ACCOUNTS].flatMap((id) =>
        (["hour", "day"] as const).map((span) =>
          volumesNow(deps, { accountId: id, span, sinceMs: 0 })
        )
      ),
    );
  const shown = async () =>
    (await rows()).map((found) => found.map(({ amount, movements }) => ({ amount, movements })));
  const credited = { amount: "1", movements: 1 };
  const paid = { amount: "1.25635", movements: 1 };
  await pay(world);
  assert.deepEqual(await shown(), Array(4).fill([credited, paid]));
  for (const home of await homes()) {
    assert.doesNotMatch(home, /No movements/);
    assert.match(
      home,
      /class="big">1 ETH<[^]*in 30 days, more than the 30 days before\. Paid out: 1\.2563 ETH/,
    );
  }
  await addUpVolumes(deps);
  assert.deepEqual(await shown(), Array(4).fill([credited, paid]));
  await pay(world);
  const twice = [{ amount: "2", movements: 2 }, { amount: "2.5127", movements: 2 }];
  assert.deepEqual(await shown(), Array(4).fill(twice));
  const beforeRun = await rows();
  await addUpVolumes(deps);
  assert.deepEqual(await rows(), beforeRun);
  assert.deepEqual(
    await volumesNow(deps, { accountId: accountId + 1, span: "day", sinceMs: 0 }),
    [],
  );
});

/** One payment comes in and one goes out, and both are booked. */
async function pay(world: World): Promise<void> {
  const { merchant: { api }, anvil } = world;
  const { address } = await allocate(api);
  await sendTx(anvil, { to: address, valueRaw: ETHER });
  const coin = { network: "ETH", currency: "ETH" };
  sentId(await api.post("/v1/withdrawals", { ...coin, to_address: STRANGER, amount: "1.25" }));
  await settleAll(world);
  await settleAll(world);
}

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

Deno.test("the labels of a chart's axis are what they stand for, without rounding", () => {
  const labels = (most: number) => {
    const top = roundTop(most);
    assert.ok(top >= most && top < 2.5 * most, `${top} for ${most}`);
    return [4, 3, 2, 1, 0].map((quarters) => {
      const label = axisText(top * quarters / 4);
      const value = Number(label.replace("K", "e3").replace("M", "e6").replace("B", "e9"));
      assert.ok(Math.abs(value - top * quarters / 4) < top / 1e9, `${label} for ${most}`);
      return label;
    });
  };
  for (let most = 0.000013; most < 5e11; most *= 1.37) labels(most);
  assert.deepEqual(labels(24.9), ["40", "30", "20", "10", "0"]);
  assert.deepEqual(labels(75_000), ["80K", "60K", "40K", "20K", "0"]);
  assert.deepEqual(labels(1), ["1", "0.75", "0.5", "0.25", "0"]);
});
