import assert from "node:assert/strict";
import { Block, Transaction } from "bitcoinjs-lib";
import {
  type BitcoinBlock,
  readBlock,
  readHeader,
} from "../../../../src/chains/bitcoin/bytes/block.ts";
import type { BitcoinTransaction } from "../../../../src/chains/bitcoin/bytes/transaction.ts";
import { NodeError } from "../../../../src/chains/faults.ts";
import { PRESETS } from "../../../../src/chains/bitcoin/params.ts";
import { seededRandom } from "../../../domain/random.ts";
import { makeBlock, makeTransaction } from "../blocks.ts";

const BTC = { hasMweb: false };
const LTC = { hasMweb: true };
const here = (name: string) => new URL(name, import.meta.url);

/** Each first block, of which the other chains of the same coin have the same transaction. */
const COINBASE_BTC =
  "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d" +
  "0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66" +
  "207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe55" +
  "48271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba" +
  "0b8d578a4c702b6bf11d5fac00000000";
const ROOT_BTC = "3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a";
const COINBASE_LTC =
  "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4804ffff001d" +
  "0104404e592054696d65732030352f4f63742f32303131205374657665204a6f62732c204170706c65e28099732056" +
  "6973696f6e6172792c2044696573206174203536ffffffff0100f2052a010000004341040184710fa689ad5023690c" +
  "80f3a49c8f13f8d45b8c857fbcbc8bc4a8e4d3eb4b10f4d4604fa08dce601aaf0f470216fe1b51850b4acf21b179c4" +
  "5070ac7b03a9ac00000000";
const ROOT_LTC = "d9ced4ed1130f7b7faad9be25323ffafa33232a17c3edf6cfd97bee6bafbdd97";
const NO_PARENT = "00".repeat(32);
const FIRST_BLOCKS = {
  "BTC": ["01000000", ROOT_BTC, "29ab5f49ffff001d1dac2b7c", COINBASE_BTC],
  "BTC-REGTEST": ["01000000", ROOT_BTC, "dae5494dffff7f2002000000", COINBASE_BTC],
  "LTC": ["01000000", ROOT_LTC, "b9aa8e4ef0ff0f1ecd513f7c", COINBASE_LTC],
} as const;

for (const preset of ["BTC", "BTC-REGTEST", "LTC"] as const) {
  Deno.test(`the first block of ${preset} is read, and is the one that it is known by`, async () => {
    const [version, root, end, coinbase] = FIRST_BLOCKS[preset];
    const raw = Uint8Array.fromHex(`${version}${NO_PARENT}${root}${end}01${coinbase}`);
    const { genesisHash, hasMweb } = PRESETS[preset];
    const block = await readBlock(raw, { hash: genesisHash, hasMweb });
    const [transaction] = block.transactions;
    assert.equal(transaction?.txid, Uint8Array.fromHex(root).reverse().toHex());
    assert.deepEqual([transaction.isCoinbase, transaction.inputs], [true, []]);
    assert.equal(transaction.outputs[0]?.valueRaw, 5_000_000_000n);
    assert.equal(block.parentHash, NO_PARENT);
  });
}

function sameAs(read: BitcoinTransaction, other: Transaction): void {
  const inputs = other.isCoinbase() ? [] : other.ins.map(({ hash, index, sequence }) => ({
    ...{ txid: hash.toReversed().toHex(), vout: index, sequence },
  }));
  assert.deepEqual(read, {
    txid: other.getId(),
    wtxid: other.hasWitnesses()
      ? (other.isCoinbase() ? read.wtxid : other.getHash(true).toReversed().toHex())
      : other.getId(),
    version: other.version,
    lockTime: other.locktime,
    inputs,
    outputs: other.outs.map(({ value, script }) => ({ valueRaw: value, script: script.toHex() })),
    isCoinbase: other.isCoinbase(),
    isHogEx: false,
    weight: other.weight(),
  });
}

async function mainNetBlock(): Promise<Uint8Array> {
  const file = await Deno.open(here("mainnet_702861.gz"));
  const raw = file.readable.pipeThrough(new DecompressionStream("gzip"));
  return await new Response(raw).bytes();
}

Deno.test("a full block of the main net is read as an independent library reads it", async () => {
  const raw = await mainNetBlock();
  const hash = "000000000000000000000c835b2adcaedc20fdf6ee440009c249452c726dafae";

  const block = await readBlock(raw, { hash, ...BTC });

  assert.equal(block.transactions.length, 2_500);
  const other = Block.fromBuffer(raw);
  other.transactions!.forEach((transaction, i) => sameAs(block.transactions[i]!, transaction));
  assert.equal(new Date(block.atMs).toISOString(), "2021-09-30T11:50:41.000Z");
  const signedApart = block.transactions.filter(({ txid, wtxid }) => txid !== wtxid);
  assert.equal(signedApart.length, 2_065);
  await assert.rejects(readBlock(raw, { hash: "00".repeat(32), ...BTC }), NodeError);
});

Deno.test("random blocks are read as an independent library made them, on both chains", async () => {
  const random = seededRandom(141);
  for (let round = 0; round < 60; round++) {
    const isSegwit = random.chance(0.7);
    const made = Array.from({ length: random.below(40) }, () =>
      makeTransaction(random, {
        inputs: 1 + random.below(4),
        outputs: 1 + random.below(4),
        witnessBytes: isSegwit && random.chance(0.7) ? 1 + random.below(300) : 0,
      }));
    const other = makeBlock(made);
    for (const on of [BTC, LTC]) {
      const block = await readBlock(other.toBuffer(), { hash: other.getId(), ...on });
      other.transactions!.forEach((transaction, i) => sameAs(block.transactions[i]!, transaction));
      assert.equal(block.transactions.length, made.length + 1);
    }
  }
});

function smallBlock(witnessBytes = 20): Block {
  const random = seededRandom(1);
  return makeBlock(Array.from({ length: 5 }, () => makeTransaction(random, { witnessBytes })));
}

async function refused(raw: Uint8Array, hash: string, on = BTC): Promise<string> {
  const error = await readBlock(raw, { hash, ...on }).then(() => undefined, (error) => error);
  assert.ok(error instanceof NodeError, `${error}`);
  return error.message;
}

Deno.test("a block of which any bit is wrong, or any byte missing or added, is not read", async () => {
  const block = smallBlock();
  const [raw, hash] = [block.toBuffer(), block.getId()];
  await readBlock(raw, { hash, ...BTC });
  for (let at = 0; at < raw.length; at++) {
    for (const bit of [1, 8, 128]) {
      const wrong = Uint8Array.from(raw);
      wrong[at]! ^= bit;
      await refused(wrong, hash);
    }
    await refused(raw.subarray(0, at), hash);
  }
  await refused(Uint8Array.from([...raw, 0]), hash);
  await refused(Uint8Array.from([...raw, 1, 2, 3]), hash, LTC);
});

Deno.test("a list of transactions that can't be as long as it says takes no memory", async () => {
  const block = smallBlock();
  const header = block.toBuffer().toHex().slice(0, 160);
  for (const count of ["feffffffff", "ffffffffffffff1f00", "fe00000100", "fd0001"]) {
    await refused(Uint8Array.fromHex(`${header}${count}${"00".repeat(100)}`), block.getId());
  }
});

Deno.test("without its signatures a block is not the one that its coinbase commits to", async () => {
  const block = smallBlock();
  for (const transaction of block.transactions!) {
    transaction.ins.forEach((_, i) => transaction.setWitness(i, []));
  }
  assert.match(await refused(block.toBuffer(), block.getId()), /can't be checked/);
});

Deno.test("with signatures of another transaction, or more than it commits to, it isn't either", async () => {
  const block = smallBlock();
  const [, first, second] = block.transactions!;
  first!.setWitness(0, [new Uint8Array(21)]);
  assert.match(await refused(block.toBuffer(), block.getId()), /other signatures/);
  const bare = smallBlock(0);
  bare.transactions![2]!.setWitness(0, [new Uint8Array(3)]);
  assert.match(await refused(bare.toBuffer(), bare.getId()), /doesn't commit/);
  assert.ok(second);
});

Deno.test("a block that repeats its last transactions has the same root, and is refused", async () => {
  const random = seededRandom(2459);
  const block = makeBlock(Array.from({ length: 5 }, () => makeTransaction(random)));
  const [hash, root] = [block.getId(), block.merkleRoot];
  block.transactions!.push(...block.transactions!.slice(4));
  assert.deepEqual(Block.calculateMerkleRoot(block.transactions!), root);
  assert.match(await refused(block.toBuffer(), hash), /other transactions/);
});

Deno.test("only the first transaction is a coinbase, so that no inner hash passes for one", async () => {
  const twice = smallBlock(0);
  twice.transactions!.splice(2, 0, twice.transactions![0]!);
  twice.merkleRoot = Block.calculateMerkleRoot(twice.transactions!);
  assert.match(await refused(twice.toBuffer(), twice.getId()), /coinbase/);
  const none = smallBlock(0);
  none.transactions!.shift();
  none.merkleRoot = Block.calculateMerkleRoot(none.transactions!);
  assert.match(await refused(none.toBuffer(), none.getId()), /coinbase/);
});

async function mwebBlock(): Promise<{ raw: Uint8Array; hash: string }> {
  const raw = Uint8Array.fromHex((await Deno.readTextFile(here("mweb_block.hex"))).trim());
  return { raw, hash: readHeader(raw.subarray(0, 80)).hash };
}

Deno.test("a block with an extension block ends with what pays out of it", async () => {
  const { raw, hash } = await mwebBlock();
  // Of Litecoin Core 0.21.2.1 on its test chain, as it shows them itself.
  assert.equal(hash, "a957b56055b39b85c71e209410f7a77ed0164ed91c246d3360b1ef2561fa611c");

  const block: BitcoinBlock = await readBlock(raw, { hash, ...LTC });

  const [coinbase, hogEx] = block.transactions;
  assert.deepEqual([coinbase?.isHogEx, hogEx?.isHogEx, block.transactions.length], [
    ...[false, true, 2],
  ]);
  assert.equal(hogEx?.txid, "ae2e67ea34fedadd0ea98952d1746d4fbbffc175fa9e29ab99f6975977ca925b");
  assert.equal(hogEx.weight, 500);
  assert.deepEqual(hogEx.outputs[1], {
    valueRaw: 150_000_000n,
    script: "00148671560cdcca81093594c97a0d422b234ee39ec4",
  });
  assert.match(await refused(raw, hash, BTC), /flags 8/);
  const end = raw.length - extensionBytes(raw);
  await refused(raw.subarray(0, end), hash, LTC);
  const without = Uint8Array.from(raw);
  without[end] = 0;
  await refused(without, hash, LTC);
});

/** The last transaction has no witness, so that it ends with four bytes of its lock time. */
function extensionBytes(raw: Uint8Array): number {
  const hogExEnd = raw.toHex().indexOf(
    "00148671560cdcca81093594c97a0d422b234ee39ec40000000000",
    raw.toHex().indexOf("5820"),
  ) / 2;
  return raw.length - (hogExEnd + 27);
}

/** How often others had a turn meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  await work();
  clearInterval(timer);
  return turns;
}

/** One transaction is read at once. */
const LARGE: readonly (readonly [what: string, turnsMin: number, make: () => Transaction[]])[] = [
  ["5,000 payments", 2, () => many(5_000, { inputs: 2, outputs: 2, witnessBytes: 300 })],
  [
    "16,000 of the smallest",
    2,
    () => many(16_000, { inputs: 1, outputs: 1, script: new Uint8Array() }),
  ],
  ["one with 110,000 outputs", 0, () => many(1, { outputs: 110_000, script: new Uint8Array() })],
  ["one with 20,000 inputs", 0, () => many(1, { inputs: 20_000, witnessBytes: 100 })],
  ["one signature of 4 MB", 0, () => many(1, { witnessBytes: 3_990_000 })],
];

function many(count: number, made: Parameters<typeof makeTransaction>[1]): Transaction[] {
  const random = seededRandom(4);
  return Array.from({ length: count }, () => makeTransaction(random, made));
}

for (const [what, turnsMin, make] of LARGE) {
  Deno.test(`a block as large as it may be is read, and others have turns meanwhile: ${what}`, async () => {
    const transactions = make();
    const made = makeBlock(transactions);
    const [raw, hash] = [made.toBuffer(), made.getId()];
    const read = () => readBlock(raw, { hash, ...BTC });
    // The coinbase comes first.
    assert.equal((await read()).transactions.length, 1 + transactions.length);
    assert.ok(await turnsDuring(read) >= turnsMin);
  });
}
