import assert from "node:assert/strict";
import { setNetwork } from "../../../src/networks/set.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { ETHER, hex } from "../../support/payers.ts";
import { receivedBy } from "../../support/payouts.ts";
import { depositStates, payIn, signedFor, startSweepingWorld } from "../../support/sweeping.ts";
import { allocate } from "../../support/views.ts";

const L1_BLOCK = "0x4200000000000000000000000000000000000015";
const SCALAR = 5_000n;
const CONSTANT = 10n ** 12n;

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

Deno.test("the operator fee of an OP Stack chain counts as a fee of the sweep, not as missing money", async () => {
  await using anvil = await startAnvil({ args: ["--network", "optimism"] });
  const slots = [[1n, 0n], [3n, 3n], [7n, 0n], [8n, 400n << 96n | SCALAR << 64n | CONSTANT]];
  for (const [slot, value] of slots) {
    await anvil.rpc("anvil_setStorageAt", [L1_BLOCK, word(slot!), word(value!)]);
  }
  // This node charges as since Isthmus and does not say so, as op-geth does.
  const reported = {
    operatorFeeScalar: hex(SCALAR),
    operatorFeeConstant: hex(CONSTANT),
    l1Fee: "0x0",
  };
  await using proxy = await startFaultProxy(
    anvil.url,
    (method) =>
      method === "eth_getTransactionReceipt"
        ? { edit: (reply) => ({ ...reply, result: { ...reply.result as object, ...reported } }) }
        : "pass",
  );
  await using world = await startSweepingWorld({ anvil, rpcUrls: [proxy.url] });
  await setNetwork(world.deps, { code: "ETH", change: { feeModel: "op_stack" }, actor: "test" });
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: 10n * ETHER });
  await anvil.mine(2);
  await world.turn(3);
  assert.deepEqual(await depositStates(world), ["swept"]);
  const [sweep] = await signedFor(world, "sweep");
  const left = await receivedBy(anvil, address);
  assert.equal(BigInt(sweep!.feeRaw!), 10n * ETHER - BigInt(sweep!.amountRaw!) - left);
  assert.deepEqual((await reconcile(world.deps, { network: undefined })).differences, []);
});
