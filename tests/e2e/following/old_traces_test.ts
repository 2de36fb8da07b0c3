import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { type Fault, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { ETHER } from "../../support/payers.ts";
import { startSweepingWorld } from "../../support/sweeping.ts";
import { isTraceCall, refused } from "../../support/nodes/tracing_nodes.ts";
import { alertsOf, allocate, balanceOf } from "../../support/views.ts";

const PASSING: Record<string, Fault> = {
  "a connection that breaks": { drop: "after" },
  "a gateway that is full": { status: 503, body: "" },
  "a limit of requests": refused({ code: -32005, message: "limit exceeded" }),
  "a backend that lacks the block": refused({ code: -32000, message: "header not found" }),
};

for (const [what, fault] of Object.entries(PASSING)) {
  Deno.test(`${what} while blocks far behind the tip are traced loses no contract's payment`, async () => {
    await using anvil = await startAnvil();
    await using proxy = await startFaultProxy(anvil.url, () => "pass");
    await using world = await startSweepingWorld({ anvil, receiver: null, rpcUrls: [proxy.url] });
    const disperse = await deploy(anvil, { name: "Disperse" });
    const { api } = world.merchant;
    const { address } = await allocate(api);
    await world.round();
    await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
    await anvil.mine(100);
    proxy.onCall = (method) => isTraceCall({ method }) ? fault : "pass";
    await world.round();
    proxy.onCall = () => "pass";
    for (let rounds = 0; rounds < 8; rounds++) await world.round();
    assert.equal((await balanceOf(api)).balance, "1");
    assert.deepEqual(await alertsOf(world.deps), []);
  });
}
