import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import {
  nonceOf,
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
} from "../../support/payouts.ts";
import { withdraw } from "../../support/views.ts";

const TOKEN_RAW = 10n ** 6n;
const SEND = "eth_sendRawTransaction";

for (const currency of ["ETH", "USDT"]) {
  Deno.test(`while its chain is followed, a withdrawal of ${currency} asks once and sends once`, async () => {
    await using anvil = await startAnvil();
    await using proxy = await startFaultProxy(anvil.url, () => "pass");
    await using world = await startPayingWorld({ anvil, rpcUrls: [proxy.url] });
    const { deps, merchant: { accountId, api, hotWallet } } = world;
    const token = await world.addToken();
    const asset = { accountId, network: "ETH", currency: "USDT" };
    await adjustBalance(deps, { ...asset, amount: "100", note: "test", actor: "test" });
    await token.send("mint", [hotWallet, 100n * TOKEN_RAW]);
    await settleAll(world);
    const pay = async () => sentId(await withdraw(api, { to: STRANGER, amount: "10", currency }));
    const ids = [await pay()];
    // What code is loaded and asked only once has been.
    await settleAll(world);
    ids.push(await pay());
    await settleAll(world);

    const before = proxy.bodies.length;
    ids.push(await pay());
    const asked = proxy.bodies.slice(before).map((calls) => calls.map(({ method }) => method));
    assert.equal(asked.length, 2, JSON.stringify(asked));
    assert.ok(asked[0]!.includes("eth_estimateGas") && asked[0]!.includes("eth_getBalance"));
    assert.deepEqual(asked[1], [SEND]);

    await settleAll(world);
    for (const id of ids) assert.equal(await statusOf(api, id), "confirmed");
    assert.equal(await nonceOf(anvil, hotWallet), 3);
    const received = currency === "ETH"
      ? await receivedBy(anvil, STRANGER) / ETHER
      : await token.read("balanceOf", [STRANGER]) / TOKEN_RAW;
    assert.equal(received, 30n);
  });
}
