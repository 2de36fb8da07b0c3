import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { noteBackup } from "../../../src/restore/note_backup.ts";
import { BEFORE_MONEY } from "../../../src/upkeep/rules/before_money.ts";
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

Deno.test("after the first money, Home says what is left of the set-up until it is done or left out", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { deps, url, merchant: { accountId } } = world;
  const [owner, { token }] = [await makeLogin(deps, { accountId }), await makeLogin(deps)];
  const read = async (path: string, as = token) =>
    await (await dashboardFetch(url, { path, token: as })).text();
  const left = async (as?: string) => /(\d) things? (?:is|are) left/.exec(await read("", as))?.[1];
  const marks = async () => {
    const [, list = ""] = /<ul class="things">([^]*?)<\/ul>/.exec(await read("/begin/end")) ?? [];
    return [...list.matchAll(/<li>\s*(.)/g)].map(([, mark]) => mark).join("");
  };
  assert.equal(await left(), undefined, "the first steps say it");
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(deps, { ...asset, amount: "5", note: "test", actor: "test" });

  assert.equal(await left(), "6");
  const wallet = `(${accountId}, 'ETH', '${STRANGER}')`;
  await deps.db.execute([{
    sql: `INSERT INTO receiving_wallets (account_id, network, address) VALUES ${wallet}`,
  }]);
  assert.equal(await left(), "5");
  assert.equal(await marks(), "○○✓○○○");
  assert.equal(await left(owner.token), undefined, "it isn't a merchant's");
  await noteBackup(deps, { file: "b.db", actor: "test" });
  assert.equal(await left(), "4");
  assert.equal(await marks(), "○○✓○✓○");

  const post = (thing: string) => {
    const form = { thing, csrf: csrfOf(token) };
    return dashboardFetch(url, { path: "/begin/end/leave-out", token, form });
  };
  assert.equal((await post("anything")).status, 422);
  await post("notify");
  assert.equal(await left(), "3");
  assert.equal(await marks(), "○○✓○✓–");
  for (const thing of BEFORE_MONEY) await post(thing);
  assert.equal(await left(), undefined);
  assert.equal(await marks(), "––✓–✓–", "what was done is still shown as done");
});
