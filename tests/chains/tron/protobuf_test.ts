import assert from "node:assert/strict";
import { sha256 } from "@noble/hashes/sha2.js";
import { type Bytes, toHex } from "../../../src/base/bytes.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { decodeBlock } from "../../../src/chains/tron/blocks/decode_block.ts";
import { Message } from "../../../src/chains/tron/protobuf.ts";
import { type Random, seededRandom } from "../../domain/random.ts";
import { timed } from "../../support/programs/thread_time.ts";
import { plainFields } from "./plain_protobuf.ts";

const SEED = 20_261_128;
/** Tries, because a garbage collection may have run meanwhile. */
const TRIES = 3;
const MESSAGE_BYTES = 2_000_000;
/** What the chain accepts of one transaction. */
const TRANSACTION_BYTES_MAX = 512_000;
const NUMBERS = Array.from({ length: 31 }, (_, i) => 1 + i);

/** Every value of every number that is asked for, or what is wrong. */
function readByUs(bytes: Bytes): unknown {
  const message = new Message(bytes);
  return NUMBERS.map((number) => [
    message.int(number),
    toHex(message.bytes(number)),
    toHex(message.firstBytes(number)),
  ]);
}

function readPlainly(bytes: Bytes): unknown {
  const fields = plainFields(bytes);
  return NUMBERS.map((number) => {
    const own = fields.flatMap(([of, value]) => of === number ? [value] : []);
    const ints = own.filter((value) => typeof value === "bigint");
    const texts = own.filter((value) => typeof value !== "bigint");
    const [first = new Uint8Array()] = texts;
    return [
      BigInt.asIntN(64, ints.at(-1) ?? 0n),
      toHex(texts.at(-1) ?? new Uint8Array()),
      toHex(first),
    ];
  });
}

function orFault(read: (bytes: Bytes) => unknown, bytes: Bytes): unknown {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof NodeError) return error.message;
    throw error;
  }
}

/** As long as it has to be, or longer, or too long. */
function varint(random: Random, value: number): number[] {
  const out = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) out.push(rest % 128 + 128);
  out.push(rest);
  if (random.chance(0.9)) return out;
  out[out.length - 1]! += 128;
  const total = random.pick([out.length + 1, 5, 9, 10, 10, 11]);
  while (out.length < total - 1) out.push(random.chance(0.5) ? 128 : 128 + random.below(128));
  return [...out, random.below(128)];
}

function someField(random: Random, depth = 0): number[] {
  const number = random.pick([1, 2, 3, 4, 8, 11, 14, 18, 31, 32, 1 + random.below(2 ** 29 - 1)]);
  const wire = random.chance(0.02) ? random.below(8) : random.pick([0, 0, 0, 1, 2, 2, 2, 3, 5]);
  const tag = varint(random, number * 8 + wire);
  const some = (length: number) => Array.from({ length }, () => random.below(256));
  if (wire === 0) return [...tag, ...varint(random, random.pick([0, 1, 127, 128, 2 ** 33]))];
  if (wire === 1) return [...tag, ...some(8)];
  if (wire === 5) return [...tag, ...some(4)];
  if (wire === 2) {
    const length = random.pick([0, 0, 1, 5, 200]);
    const isWrong = random.chance(0.02);
    return [
      ...tag,
      ...varint(random, isWrong ? random.pick([900, 2 ** 31]) : length),
      ...some(length),
    ];
  }
  if (wire !== 3 || depth > 3) return tag;
  const inside = Array.from({ length: random.below(3) }, () => someField(random, depth + 1));
  return [...tag, ...inside.flat(), ...varint(random, number * 8 + 4)];
}

function someMessage(random: Random): Bytes {
  const fields = Array.from({ length: random.below(12) }, () => someField(random)).flat();
  const bytes = Uint8Array.from(fields);
  if (bytes.length > 0 && random.chance(0.1)) bytes[random.below(bytes.length)] = random.below(256);
  return random.chance(0.1) ? bytes.slice(0, random.below(bytes.length + 1)) : bytes;
}

Deno.test(`20,000 random messages are read as a plain reader reads them (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const faults = { both: 0, none: 0 };
  for (let i = 0; i < 20_000; i++) {
    const bytes = someMessage(random);
    const expected = orFault(readPlainly, bytes);
    assert.deepEqual(orFault(readByUs, bytes), expected, toHex(bytes));
    faults[typeof expected === "string" ? "both" : "none"]++;
  }
  assert.ok(faults.both > 2_000 && faults.none > 10_000, JSON.stringify(faults));
});

Deno.test("the last value of a field counts, also if it is empty, zero or longer than 64 bits", () => {
  const cases: readonly (readonly number[])[] = [
    [0x0a, 1, 7, 0x0a, 0],
    [0x08, 7, 0x08, 0],
    [0x08, 7, 0x0a, 1, 9],
    [0x08, ...Array(9).fill(255), 1],
    [0x08, ...Array(9).fill(255), 127],
    [0x08, ...Array(10).fill(128), 0],
    [0x0b, 0x08, 5, 0x0c, 0x08, 6],
    [...Array(100).fill(0x0b), ...Array(100).fill(0x0c)],
    [...Array(101).fill(0x0b), ...Array(101).fill(0x0c)],
    [0x8a, 0x80, 0x80, 0x80, 0x70, 1, 5],
    [0x0a, 0x81, 0x80, 0x80, 0x80, 0x10, 5],
    [0x0a, 0x80, 0x80, 0x80, 0x80, 0x08, 5],
  ];
  for (const one of cases) {
    const bytes = Uint8Array.from(one);
    assert.deepEqual(orFault(readByUs, bytes), orFault(readPlainly, bytes), one.join());
  }
});

const WORST: readonly (readonly [kind: string, unit: readonly number[]])[] = [
  ["numbers", [0x08, 1]],
  ["numbers of ten bytes", [0x08, ...Array(9).fill(255), 1]],
  ["tags of ten bytes", [0x88, ...Array(8).fill(128), 0, 1]],
  ["empty fields", [0x0a, 0]],
  ["empty contracts", [0x5a, 0]],
  ["unknown fields", [0x9a, 0xf1, 0x04, 0]],
  ["groups", [0x0b, 0x0c]],
];

function filled(unit: readonly number[], length: number): Bytes {
  const whole = length - length % unit.length;
  return Uint8Array.from({ length: whole }, (_, i) => unit[i % unit.length]!);
}

async function leastWork(read: () => unknown): Promise<number> {
  const tries = Array.from({ length: TRIES }, () => () => Promise.resolve(read()));
  const times: number[] = [];
  for (const attempt of tries) times.push((await timed(attempt)).ms);
  return Math.min(...times);
}

for (const [kind, unit] of WORST) {
  Deno.test(`a message full of ${kind} takes half of a plain reader's work at most`, async () => {
    const bytes = filled(unit, MESSAGE_BYTES);
    const plainMs = await leastWork(() => plainFields(bytes));
    const ms = await leastWork(() => new Message(bytes));
    assert.ok(ms <= plainMs / 2, `${ms} ms, plainly ${plainMs} ms`);
  });
}

function blockWith(raw: Bytes): unknown {
  const header = { number: 1000, parentHash: "b".repeat(64), timestamp: 1 };
  return {
    blockID: `${(1000).toString(16).padStart(16, "0")}${"a".repeat(48)}`,
    block_header: { raw_data: { ...header, txTrieRoot: "c".repeat(64) } },
    transactions: [{
      txID: toHex(sha256(raw)),
      raw_data_hex: toHex(raw),
      ret: [{ contractRet: "SUCCESS" }],
    }],
  };
}

Deno.test("no node may report a transaction of more bytes than the chain allows", async () => {
  const block = await decodeBlock(blockWith(filled([0x08, 1], TRANSACTION_BYTES_MAX)));
  const [largest] = block.txs;
  assert.equal(largest?.raw.type, 0);
  const more = blockWith(filled([0x08, 1], 524_290));
  const isTooLarge = (error: unknown) =>
    error instanceof NodeError && /are more than a transaction may have/.test(error.message);
  await assert.rejects(() => decodeBlock(more), isTooLarge);
});
