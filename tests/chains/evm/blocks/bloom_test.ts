import assert from "node:assert/strict";
import { bloomKey, bloomOf, mayContain } from "../../../../src/chains/evm/blocks/bloom.ts";
import { TRANSFER_TOPIC } from "../../../../src/chains/evm/erc20.ts";
import { type Reply, startAnvil } from "../../../support/nodes/anvil.ts";
import { deploy, sendTx } from "../../../support/nodes/contracts.ts";
import { makeWallet } from "../../../support/nodes/evm_wallet.ts";

const EMPTY = `0x${"0".repeat(512)}`;

Deno.test("an empty bloom contains nothing, and a full one everything", () => {
  const key = bloomKey(TRANSFER_TOPIC);
  assert.equal(mayContain(EMPTY, key), false);
  assert.equal(mayContain(`0x${"f".repeat(512)}`, key), true);
});

Deno.test("each of the three bits is needed", () => {
  const key = bloomKey(TRANSFER_TOPIC);
  for (const missing of key) {
    const digits = [..."f".repeat(512)];
    digits[missing.digit - 2] = (15 & ~missing.mask).toString(16);
    assert.equal(mayContain(`0x${digits.join("")}`, key), false);
  }
});

Deno.test("a node's bloom contains what was logged and hardly anything else", async () => {
  await using anvil = await startAnvil();
  const token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  await token.send("mint", [makeWallet(1).address, 1n]);
  const { logsBloom } = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
  assert.equal(mayContain(logsBloom, bloomKey(token.address)), true);
  assert.equal(mayContain(logsBloom, bloomKey(TRANSFER_TOPIC)), true);
  const others = Array.from({ length: 200 }, (_, i) => makeWallet(10 + i).address);
  const hits = others.filter((address) => mayContain(logsBloom, bloomKey(address)));
  assert.deepEqual(hits, []);
  const logs = await anvil.rpc("eth_getLogs", [{}]);
  const logged = logs.flatMap(({ address, topics }: Reply) => [address, ...topics]);
  assert.equal(await bloomOf(new Set<string>(logged)), logsBloom);

  await sendTx(anvil, { to: makeWallet(2).address, valueRaw: 1n });
  const plain = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
  assert.equal(plain.logsBloom, EMPTY);
});
