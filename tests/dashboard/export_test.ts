import assert from "node:assert/strict";
import { startAnvil } from "../support/anvil.ts";
import { dashboardFetch, makeLogin } from "../support/dashboard.ts";
import { startPayingWorld } from "../support/payouts.ts";
import { livedIn } from "./_lived_in.ts";

Deno.test("the export has what the filter shows, as a spreadsheet takes it", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await livedIn(world);
  const { deps, url, merchant: { accountId } } = world;
  const { token } = await makeLogin(deps, { accountId });
  const lines = async (query: string) => {
    const path = `/transactions/export.csv${query}`;
    const answer = await dashboardFetch(url, { path, token });
    assert.match(answer.headers.get("content-disposition")!, /attachment/);
    return (await answer.text()).trimEnd().split("\r\n");
  };
  const [title, ...all] = await lines("");
  assert.ok(title!.startsWith("id,account_id,detected_at,confirmed_at,direction,network,currency"));
  assert.equal(all.length, 3);
  const deposits = await lines("?direction=deposit");
  assert.equal(deposits.length, 2);
  assert.match(deposits[1]!, /^2,1,20\d\d-.*,deposit,ETH,ETH,1,confirmed,false,0x[0-9a-f]{64},/);
  assert.equal((await lines("?direction=deposit&status=failed")).length, 1);
});
