import assert from "node:assert/strict";
import { NodeError } from "../../../src/chains/faults.ts";
import type { EvmLog } from "../../../src/chains/evm/blocks/decode_receipt.ts";
import {
  isTransferAnswerOk,
  readBalance,
  readDecimals,
  readTransferLog,
  TRANSFER_TOPIC,
  transferCall,
} from "../../../src/chains/evm/erc20.ts";
import { makeWallet } from "../../support/nodes/evm_wallet.ts";

const contract = makeWallet(1).address;
const from = makeWallet(2).address;
const to = makeWallet(3).address;

function word(value: bigint | string): string {
  const digits = typeof value === "string" ? value.slice(2).toLowerCase() : value.toString(16);
  return `0x${digits.padStart(64, "0")}`;
}

function makeLog(change: Partial<EvmLog>): EvmLog {
  const topics = [TRANSFER_TOPIC, word(from), word(to)];
  const place = { txHash: word(1n), blockHash: word(2n), height: 1, index: 0 };
  return { contract, topics, data: word(5n), ...place, ...change };
}

Deno.test("a transfer is three topics and one word that isn't zero", () => {
  assert.deepEqual(readTransferLog(makeLog({})), { contract, from, to, amountRaw: 5n });
  const { topics } = makeLog({});
  const others: Partial<EvmLog>[] = [
    { topics: [...topics, word(1n)] },
    { topics: topics.slice(0, 2) },
    { topics: [word(9n), ...topics.slice(1)] },
    { topics: [] },
    { data: "0x" },
    { data: `${word(5n)}00` },
    { data: word(0n) },
  ];
  for (const other of others) assert.equal(readTransferLog(makeLog(other)), undefined);
});

Deno.test("nothing and true are good answers to a transfer, anything else is not", () => {
  for (const ok of ["0x", word(1n)]) assert.equal(isTransferAnswerOk(ok), true, ok);
  for (const bad of [word(0n), word(2n), "0x01", `${word(1n)}00`]) {
    assert.equal(isTransferAnswerOk(bad), false, bad);
  }
  assert.throws(() => isTransferAnswerOk(null), NodeError);
});

Deno.test("decimals are one small number", () => {
  assert.equal(readDecimals(word(18n)), 18);
  for (const none of ["0x", "0x12", word(256n)]) assert.equal(readDecimals(none), undefined);
  assert.throws(() => readDecimals(18), NodeError);
});

Deno.test("a balance is one word", () => {
  assert.equal(readBalance(word(2n ** 256n - 1n), contract), 2n ** 256n - 1n);
  for (const none of ["0x", "0x01", null, 5]) {
    assert.throws(() => readBalance(none, contract), NodeError);
  }
});

Deno.test("the data of a transfer call is its selector and two words", () => {
  const expected = `0xa9059cbb${word(to).slice(2)}${word(2n ** 255n).slice(2)}`;
  assert.equal(transferCall({ to, amountRaw: 2n ** 255n }), expected);
});
