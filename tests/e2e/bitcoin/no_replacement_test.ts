import assert from "node:assert/strict";
import { runIn } from "../../cli/world_host.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startLitecoinLater } from "../../support/litecoin_world.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import { sentId } from "../../support/payouts.ts";
import { allocate, withdraw, withdrawalOf } from "../../support/views.ts";

const LTC = { network: "LTC", currency: "LTC" };
const HELP = /no node takes it.*txn-mempool-conflict.*mempoolreplacement=1/;

Deno.test("a bid that the node refuses is no success, and says what to set; the payment stands", async () => {
  // As Litecoin Core is without a configuration.
  await using node = await startLitecoind({ blocks: 101, args: ["-mempoolreplacement=0"] });
  await using world = await startLitecoinLater(node);
  const { deps, url, merchant: { api, hotWallet } } = world;
  const { address } = await allocate(api, LTC);
  await node.pay(address, "1");
  await node.pay(hotWallet, "1");
  await node.mine(2);
  await world.round();
  await world.round();
  const to: string = await node.rpc("getnewaddress", [], "payer");
  const id = sentId(await withdraw(api, { ...LTC, amount: "0.1", to }));
  const { tx_hash: first } = await withdrawalOf(api, id);

  for (const deed of ["bump", "revoke"]) {
    const { code, out } = await runIn(world, ["withdrawal", deed, String(id), "--json"]);
    assert.equal(code, 1, out);
    const { error } = JSON.parse(out);
    assert.match(error.message, HELP);
    assert.match(error.message, new RegExp(`"withdrawal resend ${id}" sends it again$`));
  }
  const { token } = await makeLogin(deps);
  const form = { csrf: csrfOf(token) };
  const page = await dashboardFetch(url, { path: `/withdrawals/${id}/bump`, token, form });
  assert.match(await page.text(), HELP);

  assert.deepEqual(await node.rpc("getrawmempool"), [first]);
  await node.mine(2);
  await world.round();
  await world.round();
  const paid = await withdrawalOf(api, id);
  assert.deepEqual([paid.status, paid.tx_hash], ["confirmed", first]);
});
