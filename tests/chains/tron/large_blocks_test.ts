import assert from "node:assert/strict";
import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "../../../src/base/bytes.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { decodeBlock } from "../../../src/chains/tron/blocks/decode_block.ts";
import { decodeInfo } from "../../../src/chains/tron/blocks/decode_info.ts";
import { turnsDuring } from "../../support/programs/turns_during.ts";
import { startTronNode } from "../../support/tron_node/start.ts";
import { makeWatch } from "../../support/nodes/evm_wallet.ts";
import { chainOf, fundBoth, receiver, TRX } from "./sending.ts";

const PAGE = "/wallet/getblockbylimitnext";
/** What java-tron writes of a full block of empty fields: a value for each byte. */
const FULL_BLOCK = `[${"{},".repeat(999_999)}{}]`;

Deno.test("blocks that are too large for one answer together are read in smaller groups", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const from = node.head.number + 1;
  for (let i = 0; i < 4; i++) {
    node.pay(receiver, TRX);
    node.produce();
  }
  const asked: number[] = [];
  node.door.onCall = ({ path, input }) => {
    if (path !== PAGE) return undefined;
    const { startNum, endNum } = JSON.parse(input);
    asked.push(endNum - startNum);
    const large = `"auths":${FULL_BLOCK},"raw_data_hex"`;
    return { edit: (text) => text.replaceAll('"raw_data_hex"', large) };
  };
  const watch = makeWatch([receiver]);
  const blocks = await chainOf(node.url).readBlocks({ from, to: from + 3 }, watch);
  assert.deepEqual(blocks.map(({ transfers }) => transfers.length), [1, 1, 1, 1]);
  assert.deepEqual(asked, [4, 2, 1, 1, 2, 1, 1]);
});

Deno.test("a block of more transactions than fit into one is refused before they are read", async () => {
  const header = { number: 16, parentHash: "b".repeat(64), timestamp: 1 };
  const block = (count: number) => ({
    blockID: `${(16).toString(16).padStart(16, "0")}${"a".repeat(48)}`,
    block_header: { raw_data: header },
    transactions: Array(count).fill({ txID: "none" }),
  });
  const isSaying = (words: RegExp) => (error: unknown) =>
    error instanceof NodeError && words.test(error.message);
  await assert.rejects(
    () => decodeBlock(block(20_000)),
    isSaying(/Cannot read a transaction's id/),
  );
  await assert.rejects(
    () => decodeBlock(block(20_001)),
    isSaying(/20001 transactions, more than fit/),
  );
});

const hashOf = (i: number) => i.toString(16).padStart(64, "0");

const LARGE: Readonly<Record<string, () => Promise<unknown>>> = {
  "a block": () => {
    const transactions = Array.from({ length: 20_000 }, (_, i) => {
      const raw = new TextEncoder().encode(`:${String.fromCharCode(12)}${String(i).padStart(12)}`);
      return { txID: toHex(sha256(raw)), raw_data_hex: toHex(raw) };
    });
    return decodeBlock({
      blockID: `${(16).toString(16).padStart(16, "0")}${"a".repeat(48)}`,
      block_header: { raw_data: { number: 16, parentHash: "b".repeat(64), timestamp: 1 } },
      transactions,
    });
  },
  "a transaction's result": () => {
    const log = (i: number) => ({ address: hashOf(i).slice(24), topics: [hashOf(i)], data: "00" });
    const logs = Array.from({ length: 300_000 }, (_, i) => log(i));
    return decodeInfo({ id: hashOf(1), blockNumber: 16, blockTimeStamp: 1, log: logs });
  },
};

for (const [what, work] of Object.entries(LARGE)) {
  Deno.test(`while ${what} of the largest size is read, the event loop turns`, async () => {
    const turns = await turnsDuring(work);
    assert.ok(turns >= 4, `The event loop turned ${turns} times`);
  });
}
