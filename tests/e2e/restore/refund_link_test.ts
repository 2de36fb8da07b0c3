import assert from "node:assert/strict";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER } from "../../support/payers.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import { takeBackup } from "../../support/restoring.ts";
import { payIn } from "../../support/sweeping.ts";
import { allocate, depositsOf } from "../../support/views.ts";

Deno.test("after a restore, no link refunds a payment from before it, whether the backup has it or not", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { merchant: { api, accountId } } = world;
  const { address } = await allocate(api, { user: "customer 7" });
  const pay = async () => {
    await payIn(world, { to: address, raw: ETHER });
    await settleAll(world);
  };
  const linksOf = async () => {
    const { token } = await makeLogin(world.deps, {
      accountId,
      email: `${crypto.randomUUID()}@a.b`,
    });
    const ids = (await depositsOf(api)).map(({ id }) => id).toSorted((a, b) => a - b);
    return await Promise.all(ids.map(async (id) => {
      const page = await dashboardFetch(world.url, { path: `/deposits/${id}`, token });
      return (await page.text()).includes(`refund-of-payment-${id}`);
    }));
  };
  await pay();
  assert.deepEqual(await linksOf(), [true]);
  await using backup = await takeBackup(world);
  await pay();
  assert.deepEqual(await linksOf(), [true, true]);
  await backup.bringBack();
  await settleAll(world);
  assert.deepEqual(await linksOf(), [false, false]);
});
