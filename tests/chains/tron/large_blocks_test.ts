import assert from "node:assert/strict";
import { NodeError } from "../../../src/chains/faults.ts";
import { decodeBlock } from "../../../src/chains/tron/blocks/decode_block.ts";
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

Deno.test("a block of more transactions than fit into one is refused before they are read", () => {
  const header = { number: 16, parentHash: "b".repeat(64), timestamp: 1 };
  const block = (count: number) => ({
    blockID: `${(16).toString(16).padStart(16, "0")}${"a".repeat(48)}`,
    block_header: { raw_data: header },
    transactions: Array(count).fill({ txID: "none" }),
  });
  const isSaying = (words: RegExp) => (error: unknown) =>
    error instanceof NodeError && words.test(error.message);
  assert.throws(() => decodeBlock(block(20_000)), isSaying(/Cannot read a transaction's id/));
  assert.throws(() => decodeBlock(block(20_001)), isSaying(/20001 transactions, more than fit/));
});
