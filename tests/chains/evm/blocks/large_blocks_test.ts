import assert from "node:assert/strict";
import { bloomOf } from "../../../../src/chains/evm/blocks/bloom.ts";
import { decodeBlock } from "../../../../src/chains/evm/blocks/decode_block.ts";
import { decodeReceipt } from "../../../../src/chains/evm/blocks/decode_receipt.ts";
import { TRACE_SOURCES } from "../../../../src/chains/evm/blocks/trace_sources.ts";
import { turnsDuring } from "../../../support/programs/turns_during.ts";

/** Takes a slow machine a second, and a fast one a tenth of it. */
const COUNT = 40_000;
const TURNS_MIN = 3;
const HEIGHT = 16;
const HASH = hex(9, 64);

function hex(value: number, digits: number): string {
  return `0x${value.toString(16).padStart(digits, "0")}`;
}

/** No address comes twice, in no test. */
function many<T>(kind: number, make: (address: string, i: number) => T, count = COUNT): T[] {
  return Array.from({ length: count }, (_, i) => make(hex(kind * 1_000_000 + i, 40), i));
}

const here = { blockHash: HASH, blockNumber: hex(HEIGHT, 1) };

function blockOf(kind: number, count: number): unknown {
  return {
    number: hex(HEIGHT, 1),
    hash: HASH,
    parentHash: hex(8, 64),
    timestamp: "0x1",
    logsBloom: hex(0, 512),
    transactionsRoot: hex(3, 64),
    transactions: many(kind, (from, i) => ({
      ...here,
      hash: hex(i + 1, 64),
      from,
      to: null,
      value: "0x1",
      nonce: "0x1",
      gasPrice: "0x1",
    }), count),
  };
}

function receiptOf(kind: number): unknown {
  const transactionHash = hex(1, 64);
  return {
    ...here,
    transactionHash,
    status: "0x1",
    effectiveGasPrice: "0x1",
    gasUsed: "0x1",
    logs: many(kind, (address, i) => ({
      ...here,
      address,
      topics: [],
      data: "0x",
      transactionHash,
      logIndex: hex(i, 1),
    })),
  };
}

const [CALL_TRACER, TRACE_BLOCK] = TRACE_SOURCES;

const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  "transactions": () => decodeBlock(blockOf(1, COUNT), HEIGHT),
  "logs of one transaction": () => decodeReceipt(receiptOf(2), hex(1, 64)),
  "values in a bloom": () => bloomOf(new Set(many(3, (address) => address))),
  "payments in a tree of calls": async () => {
    const block = await decodeBlock(blockOf(4, 1), HEIGHT);
    const calls = many(5, (to) => ({ type: "CALL", from: HASH.slice(0, 42), to, value: "0x1" }));
    const answer = [{ txHash: hex(1, 64), result: { calls } }];
    const payments = (await CALL_TRACER!.read(answer, block)).get(hex(1, 64));
    assert.equal(payments?.length, COUNT);
  },
  "payments in a list of calls": async () => {
    const block = await decodeBlock(blockOf(4, 1), HEIGHT);
    const common = { ...here, transactionHash: hex(1, 64), type: "call" };
    const answer = many(6, (to, i) => ({
      ...common,
      traceAddress: i === 0 ? [] : [i],
      action: { callType: "call", from: HASH.slice(0, 42), to, value: "0x1" },
    }));
    const payments = (await TRACE_BLOCK!.read(answer, block)).get(hex(1, 64));
    assert.deepEqual([payments?.length, payments?.at(-1)?.index], [COUNT - 1, COUNT - 1]);
  },
};

for (const [what, work] of Object.entries(WORK)) {
  Deno.test(`while ${COUNT} ${what} are read, the event loop turns`, async () => {
    const turns = await turnsDuring(work);
    assert.ok(turns >= TURNS_MIN, `The event loop turned ${turns} times`);
  });
}
