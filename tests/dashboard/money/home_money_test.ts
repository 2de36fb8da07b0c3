import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { ETHER, setBalance } from "../../support/payers.ts";
import { startPayingWorld } from "../../support/payouts.ts";

Deno.test("Home doesn't call money that the hot wallet lacks reserved for fees", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, hotWallet } } = world;
  await setBalance(anvil, hotWallet, 40n * ETHER);
  const { token } = await makeLogin(deps, { accountId });
  const home = await (await dashboardFetch(url, { path: "", token })).text();
  assert.match(home, /Payable now, fee included<\/dt>/);
  assert.match(home, /Booked by hand<\/dt>/);
  assert.doesNotMatch(home, /Reserved for fees/);
});
