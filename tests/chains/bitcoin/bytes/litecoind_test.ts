import assert from "node:assert/strict";
import { addressOfScript, readAddress } from "../../../../src/chains/bitcoin/addresses.ts";
import { type BitcoinBlock, readBlock } from "../../../../src/chains/bitcoin/bytes/block.ts";
import {
  type BitcoinTransaction,
  readTransaction,
} from "../../../../src/chains/bitcoin/bytes/transaction.ts";
import { readExtendedKey } from "../../../../src/chains/bitcoin/extended_keys.ts";
import { MWEB_BLOCKS, PRESETS } from "../../../../src/chains/bitcoin/params.ts";
import { HDKey } from "@scure/bip32";
import { type Litecoind, startLitecoind } from "../../../support/nodes/litecoind.ts";
import { nodeAt } from "../line.ts";

const NETWORK = PRESETS["LTC-REGTEST"];
const LTC = { hasMweb: true };

// deno-lint-ignore no-explicit-any -- a test knows what it asked for
type Shown = any;

/** As the node shows it, in JSON; parts in an extension block aside. */
function sameAs(read: BitcoinTransaction, shown: Shown): void {
  assert.equal(read.txid, shown.txid);
  assert.equal(read.wtxid, shown.hash);
  assert.deepEqual([read.version, read.lockTime], [shown.version, shown.locktime]);
  assert.equal(Math.ceil(read.weight / 4), shown.vsize);
  const ordinary = (list: Shown[]) => list.filter(({ ismweb }) => !ismweb);
  const inputs = ordinary(shown.vin).filter(({ coinbase }) => coinbase === undefined);
  assert.deepEqual(
    read.inputs,
    inputs.map(({ txid, vout, sequence }) => ({ txid, vout, sequence })),
  );
  assert.deepEqual(
    read.outputs,
    ordinary(shown.vout).map(({ value, scriptPubKey }) => ({
      valueRaw: BigInt(Math.round(value * 1e8)),
      script: scriptPubKey.hex,
    })),
  );
}

async function readAll({ url, rpc }: Litecoind, from = 0): Promise<BitcoinBlock[]> {
  const node = nodeAt(url);
  const blocks: BitcoinBlock[] = [];
  const { height } = await node.chainInfo();
  const heights = Array.from({ length: height - from + 1 }, (_, i) => from + i);
  for (const hash of await node.blockHashes(heights)) {
    const block = await readBlock((await node.rawBlock({ height: 7, hash: hash! }))!, {
      hash: hash!,
      ...LTC,
    });
    const shown: Shown = await rpc("getblock", [hash, 2]);
    assert.equal(block.atMs, shown.time * 1000);
    assert.equal(block.transactions.length, shown.tx.length);
    block.transactions.forEach((transaction, i) => sameAs(transaction, shown.tx[i]));
    blocks.push(block);
  }
  return blocks;
}

Deno.test("every block of a node is read as it shows it, with every kind of payment", async () => {
  await using litecoind = await startLitecoind({ blocks: 101 });
  for (const form of ["legacy", "p2sh-segwit", "bech32"]) {
    const to: string = await litecoind.rpc("getnewaddress", ["", form], "payer");
    for (const coins of [3, 0.5]) await litecoind.pay(to, coins);
    await litecoind.mine(1);
  }
  // What was received in each form is spent again.
  for (let i = 0; i < 10; i++) {
    await litecoind.pay(await litecoind.rpc("getnewaddress", [], "payer"), 30);
  }
  await litecoind.mine(1);
  const blocks = await readAll(litecoind);
  assert.equal(blocks.length, 106);
  assert.ok(blocks.at(-1)!.transactions.length > 10);
});

Deno.test("an extension block's payments are read: in, inside, and out to an address of ours", async () => {
  await using litecoind = await startLitecoind({ blocks: 101 });
  const { rpc } = litecoind;
  const node = nodeAt(litecoind.url);
  await litecoind.startMweb();
  // A wallet that has coins in extension blocks only pays out of them.
  await rpc("createwallet", ["hidden"]);
  const hidden: string = await rpc("getnewaddress", ["", "mweb"], "hidden");
  assert.equal(readAddress(hidden, NETWORK), undefined);
  await rpc("createwallet", ["plain"]);
  await litecoind.pay(await rpc("getnewaddress", ["", "bech32"], "plain"), 3);
  await litecoind.pay(hidden, 5);
  await litecoind.mine(2);
  const to: string = await rpc("getnewaddress", ["", "bech32"], "payer");
  const { script } = readAddress(to, NETWORK)!;
  const out: string = await rpc("sendtoaddress", [to, "1.5"], "hidden");
  const inside: string = await rpc(
    ...["sendtoaddress", [await rpc("getnewaddress", ["", "mweb"], "payer"), 1], "hidden"] as const,
  );
  const into: string = await rpc("sendtoaddress", [hidden, 2], "plain");

  for (const raw of await node.rawTransactions([out, inside])) {
    // Of the extension block only, until it is mined.
    assert.equal(readTransaction(raw!, LTC), undefined);
  }
  const [raw] = await node.rawTransactions([into]);
  const pegIn = readTransaction(raw!, LTC)!;
  const shown = await rpc("getrawtransaction", [into, true]);
  assert.equal(pegIn.txid, into);
  assert.equal(pegIn.outputs.length, shown.vout.filter(({ ismweb }: Shown) => !ismweb).length);

  await litecoind.mine(1);
  const blocks = await readAll(litecoind, 430);
  assert.deepEqual(
    blocks.map(({ transactions }) => transactions.at(-1)!.isHogEx),
    blocks.map((_, i) => i >= 2),
  );
  const hogEx = blocks.at(-1)!.transactions.at(-1)!;
  const vout = hogEx.outputs.findIndex((output) => output.script === script);
  assert.equal(hogEx.outputs[vout]?.valueRaw, 150_000_000n);

  // And it may be spent after so many blocks, no earlier.
  const outpoint = { txid: hogEx.txid, vout };
  const spend = await rpc("createrawtransaction", [[outpoint], [{ [to]: "1.4999" }]]);
  const { hex } = await rpc("signrawtransactionwithwallet", [spend], "payer");
  await litecoind.mine(MWEB_BLOCKS - 2);
  const early = await node.testAccept(hex);
  await litecoind.mine(1);
  const inTime = await node.testAccept(hex);
  assert.deepEqual([early.isAccepted, inTime.isAccepted], [false, true]);
  assert.ok(!early.isAccepted && early.reason.startsWith("bad-txns-premature-spend"));
});

Deno.test("a node that leaves extension blocks out is understood, one without signatures isn't", async () => {
  await using litecoind = await startLitecoind({ blocks: 101 });
  await litecoind.startMweb();
  const { hash } = await nodeAt(litecoind.url).chainInfo();
  const readOn = async (url: string) => {
    const raw = await nodeAt(url).rawBlock({ height: 7, hash: hash! });
    return await readBlock(raw!, { hash, ...LTC });
  };
  const whole = await readOn(litecoind.url);
  assert.deepEqual(whole.transactions.map(({ isHogEx }) => isHogEx), [false, false, true]);
  await litecoind.stop();
  const { folder } = litecoind;
  await using plain = await startLitecoind({ folder, args: ["-rpcserialversion=1"] });
  assert.deepEqual(await readOn(plain.url), whole);
  await plain.stop();
  await using bare = await startLitecoind({ folder, args: ["-rpcserialversion=0"] });
  await assert.rejects(readOn(bare.url), /can't be checked/);
});

Deno.test("a node has the same scripts for our addresses, and the same addresses for a key", async () => {
  await using litecoind = await startLitecoind();
  const scripts = [
    `76a914${"11".repeat(20)}88ac`,
    `a914${"22".repeat(20)}87`,
    `0014${"33".repeat(20)}`,
    `0020${"44".repeat(32)}`,
    "512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
  ];
  for (const script of scripts) {
    const address = addressOfScript(script, NETWORK)!;
    const shown = await litecoind.rpc("validateaddress", [address]);
    assert.deepEqual([shown.isvalid, shown.scriptPubKey], [true, script], address);
  }
  const versions = { public: 0x043587cf, private: 0x04358394 };
  const { publicExtendedKey } = HDKey.fromMasterSeed(new Uint8Array(32).fill(8), versions)
    .derive("m/84'/1'/0'");
  const { descriptor } = await litecoind.rpc(
    ...["getdescriptorinfo", [`wpkh(${publicExtendedKey}/0/*)`]] as const,
  );
  const key = readExtendedKey(publicExtendedKey, NETWORK);
  assert.ok(typeof key !== "string");
  const derived = await litecoind.rpc("deriveaddresses", [descriptor, [0, 20]]);
  assert.deepEqual(Array.from({ length: 21 }, (_, i) => key.addressAt(i)), derived);
});
