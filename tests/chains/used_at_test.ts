import assert from "node:assert/strict";
import { NodeError } from "../../src/chains/faults.ts";
import { connectEvm, evmRules } from "../../src/chains/evm/mod.ts";
import { connectTron } from "../../src/chains/tron/mod.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { sendTx } from "../support/nodes/contracts.ts";
import { startFaultProxy } from "../support/nodes/fault_proxy.ts";
import { startTronNode } from "../support/tron_node/start.ts";
import { tokenScene } from "./tron/scene.ts";

const NOWHERE = `0x${"ab".repeat(32)}`;

Deno.test("an EVM address is used once it has sent something by that block; many take few requests", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [proxy.url] });
  const [sender, receiver] = anvil.accounts.slice(1).map((one) => evmRules.canonicalAddress(one));
  const before = await chain.tip();
  await sendTx(anvil, { from: sender!, to: receiver!, valueRaw: 1n });
  const block = await chain.tip();
  const addresses = [sender!, receiver!, ...Array<string>(248).fill(receiver!)];
  const bodies = proxy.bodies.length;
  const used = await chain.areUsedAt(block, addresses);
  assert.equal(proxy.bodies.length - bodies, 3);
  assert.deepEqual(used, [true, ...Array(249).fill(false)]);
  assert.deepEqual(await chain.areUsedAt(before, [sender!]), [false]);
  await assert.rejects(chain.areUsedAt({ ...block, hash: NOWHERE }, [sender!]), NodeError);
});

Deno.test("a TRON address is used once coins reached it, and only a node with the block can tell", async () => {
  await using node = await startTronNode();
  const { payer, payee, token } = await tokenScene(node);
  token.mint(payee.address, 5n);
  node.produce(30);
  const chain = connectTron({ rpcUrls: [node.url] });
  const block = await chain.tip();
  const ask = (at = block) => chain.areUsedAt(at, [payer.address, payee.address]);
  assert.deepEqual(await ask(), [true, false]);
  node.fund(payee.address, 1n);
  assert.deepEqual(await ask(), [true, true]);
  node.reorg(2);
  await assert.rejects(ask(), NodeError);
});
