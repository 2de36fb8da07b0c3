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
  assert.match(home, /Booked by hand, without coins<\/dt>/);
  assert.doesNotMatch(home, /Reserved for fees/);
});

Deno.test("a float that was sent to the hot wallet and booked is simply what can be paid out", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, hotWallet } } = world;
  const { token } = await makeLogin(deps, { accountId });
  await setBalance(anvil, hotWallet, 100n * ETHER);
  await anvil.mine(1);
  const home = await (await dashboardFetch(url, { path: "", token })).text();
  const [, legend = ""] = /<dl class="legend">([^]*?)<\/dl>/.exec(home) ?? [];
  const lines = [...legend.matchAll(/<dt>([^]*?)<\/dt>\s*<dd>([^]*?)<\/dd>/g)].map((line) =>
    line.slice(1).map((text) => text.replaceAll(/<[^>]*>/g, "").trim()).join(": ")
  );
  assert.deepEqual(lines, ["Payable now, fee included: 100"]);
});
