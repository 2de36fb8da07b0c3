import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { setBalance, STRANGER } from "../../support/payers.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { askForApprovals } from "../../support/payouts.ts";
import { startWorld } from "../../support/world.ts";

Deno.test("until an account asks for its first payout, its empty hot wallet is a hint and no fault", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { deps, url, merchant: { accountId, api, hotWallet } } = world;
  await setBalance(anvil, hotWallet, 0n);
  await world.round();
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(deps, { ...asset, amount: "5", note: "test", actor: "test" });
  const [owner, operator] = [await makeLogin(deps, { accountId }), await makeLogin(deps)];
  const look = async ({ token }: { token: string }) => {
    const html = await (await dashboardFetch(url, { path: "", token })).text();
    const textOf = (part = "") => part.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ").trim();
    const [, lead] = /<strong id="verdict-lead">([^<]*)</.exec(html) ?? [];
    const [, list = ""] = /<ul class="attention">([^]*?)<\/ul>/.exec(html) ?? [];
    const things = [...list.matchAll(/class="mark ([\w-]+)">([^]*?)<\/li>/g)]
      .map(([, tone, text]) => [tone, textOf(text)]);
    return { lead, things };
  };
  const hint = "Before you can pay out: fund the hot wallet on Ethereum Fund";
  assert.deepEqual(await look(owner), { lead: "All good.", things: [["plain", hint]] });
  const its = `Before account ${accountId} can pay out: fund its hot wallet on Ethereum Fund`;
  assert.deepEqual(await look(operator), { lead: "All good.", things: [["plain", its]] });

  // It waits, so that nothing else needs attention.
  await askForApprovals(deps);
  await api.post("/v1/withdrawals", {
    ...{ network: "ETH", currency: "ETH", amount: "1", to_address: STRANGER },
  });
  assert.deepEqual(await look(owner), {
    lead: "Something needs attention.",
    things: [["bad", "The hot wallet on Ethereum is empty: it needs ETH Fund"]],
  });
});
