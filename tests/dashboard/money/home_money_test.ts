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
  assert.match(home, /Payable now<\/dt>/);
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
  assert.deepEqual(lines, ["Payable now: 99.5023", "Kept for the fee: 0.4976"]);
});

/** Of 100 in the books, with what the hot wallet holds. */
async function payableWith(raw: bigint) {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, hotWallet } } = world;
  const { token } = await makeLogin(deps, { accountId });
  await setBalance(anvil, hotWallet, raw);
  await anvil.mine(1);
  const read = async (path: string) => await (await dashboardFetch(url, { path, token })).text();
  const [home, form] = [await read(""), await read("/withdrawals/new")];
  const [, can] = /id="can-ETH\/ETH"[^>]*?(?: title="([^"]*)")?>/.exec(home) ?? [];
  const [, rules = "{}"] = /data-rules="([^"]*)"/.exec(form) ?? [];
  const { payable } = JSON.parse(rules.replaceAll("&quot;", '"'));
  const [, why = ""] = /Why not more">([^]*?)<\/td>/.exec(form) ?? [];
  return { can, payable, why: why.replaceAll(/\s+/g, " ").trim() };
}

Deno.test("Home and the form name one figure that can be paid out, and the form what limits it", async () => {
  const all = "99.502388059701492537";
  const why = "The available balance, 100 ETH, less the fee.";
  // Funding the wallet would change nothing.
  assert.deepEqual(await payableWith(200n * ETHER), { can: all, payable: all, why });
  assert.deepEqual(await payableWith(997n * ETHER / 10n), { can: all, payable: all, why });
  const held = "99.000000000000000007";
  assert.deepEqual(await payableWith(99n * ETHER + 7n), {
    ...{ can: held, payable: held },
    why: '99.0000 ETH in the hot wallet. <a href="/dashboard/wallets">Fund it</a> to pay more.',
  });
});
