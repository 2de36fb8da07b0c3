import assert from "node:assert/strict";
import { Transaction } from "bitcoinjs-lib";
import { readTransaction } from "../../../../src/chains/bitcoin/bytes/transaction.ts";
import { NodeError } from "../../../../src/chains/faults.ts";
import { seededRandom } from "../../../domain/random.ts";
import { bytesOf, makeTransaction } from "../blocks.ts";

const [BTC, LTC] = [{ hasMweb: false }, { hasMweb: true }];

const KNOWN: readonly (readonly [what: string, hex: string])[] = [
  [
    "BIP-143: P2PK and P2WPKH",
    "01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830450" +
    "221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99f" +
    "2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309" +
    "fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a7" +
    "83a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac000247304" +
    "402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c4518331561406" +
    "f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad25" +
    "3f62fc70f07aeee635711000000",
  ],
  [
    "BIP-341: key paths of Taproot among others",
    "020000000001097de20cbff686da83a54981d2b9bab3586f4ca7e48f57f5b55963115f3b334e9c010000000000000000" +
    "d7b7cab57b1393ace2d064f4d4a2cb8af6def61273e127517d44759b6dafdd990000000000fffffffff8e1f583384333" +
    "689228c5d28eac13366be082dc57441760d957275419a41842000000006b4830450221008f3b8f8f0537c420654d2283" +
    "673a761b7ee2ea3c130753103e08ce79201cf32a022079e7ab904a1980ef1c5890b648c8783f4d10103dd62f740d13da" +
    "a79e298d50c201210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798fffffffff06891" +
    "80aa63b30cb162a73c6d2a38b7eeda2a83ece74310fda0843ad604853b0100000000feffffffaa5202bdf6d8ccd2ee0f" +
    "0202afbbb7461d9264a25e5bfd3c5a52ee1239e0ba6c0000000000feffffff956149bdc66faa968eb2be2d2faa29718a" +
    "cbfe3941215893a2a3446d32acd050000000000000000000e664b9773b88c09c32cb70a2a3e4da0ced63b7ba3b22f848" +
    "531bbb1d5d5f4c94010000000000000000e9aa6b8e6c9de67619e6a3924ae25696bb7b694bb677a632a74ef7eadfd4ea" +
    "bf0000000000ffffffffa778eb6a263dc090464cd125c466b5a99667720b1c110468831d058aa1b82af10100000000ff" +
    "ffffff0200ca9a3b000000001976a91406afd46bcdfd22ef94ac122aa11f241244a37ecc88ac807840cb0000000020ac" +
    "9a87f5594be208f8532db38cff670c450ed2fea8fcdefcc9a663f78bab962b0141ed7c1647cb97379e76892be0cacff5" +
    "7ec4a7102aa24296ca39af7541246d8ff14d38958d4cc1e2e478e4d4a764bbfd835b16d4e314b72937b29833060b8727" +
    "6c030141052aedffc554b41f52b521071793a6b88d6dbca9dba94cf34c83696de0c1ec35ca9c5ed4ab28059bd606a4f3" +
    "a657eec0bb96661d42921b5f50a95ad33675b54f83000141ff45f742a876139946a149ab4d9185574b98dc919d2eb675" +
    "4f8abaa59d18b025637a3aa043b91817739554f4ed2026cf8022dbd83e351ce1fabc272841d2510a010140b4010dd48a" +
    "617db09926f729e79c33ae0b4e94b79f04a1ae93ede6315eb3669de185a17d2b0ac9ee09fd4c64b678a0b61a0a86fa88" +
    "8a273c8511be83bfd6810f0247304402202b795e4de72646d76eab3f0ab27dfa30b810e856ff3a46c9a702df53bb0d8c" +
    "c302203ccc4d822edab5f35caddb10af1be93583526ccfbade4b4ead350781e2f8adcd012102f9308a019258c3104934" +
    "4f85f89d5229b531c845836f99b08601f113bce036f90141a3785919a2ce3c4ce26f298c3d51619bc474ae24014bcdd3" +
    "1328cd8cfbab2eff3395fa0a16fe5f486d12f22a9cedded5ae74feb4bbe5351346508c5405bcfee0020141ea0c6ba907" +
    "63c2d3a296ad82ba45881abb4f426b3f87af162dd24d5109edc1cdd11915095ba47c3a9963dc1e6c432939872bc49212" +
    "fe34c632cd3ab9fed429c4820141bbc9584a11074e83bc8c6759ec55401f0ae7b03ef290c3139814f545b58a9f812725" +
    "8000874f44bc46db7646322107d4d86aec8e73b8719a61fff761d75b5dd9810065cd1d",
  ],
];

for (const [what, hex] of KNOWN) {
  Deno.test(`a transaction is read as an independent library reads it: ${what}`, () => {
    const other = Transaction.fromHex(hex);
    for (const on of [BTC, LTC]) {
      const read = readTransaction(Uint8Array.fromHex(hex), on)!;
      assert.equal(read.txid, other.getId());
      assert.equal(read.wtxid, other.getHash(true).toReversed().toHex());
      assert.equal(read.weight, other.weight());
      assert.deepEqual(
        read.outputs.map(({ valueRaw, script }) => [valueRaw, script]),
        other.outs.map(({ value, script }) => [value, script.toHex()]),
      );
      assert.deepEqual(
        read.inputs.map(({ sequence }) => sequence),
        other.ins.map((one) => one.sequence),
      );
    }
  });
}

Deno.test("no cut, lengthened or random bytes are read, nor anything but a NodeError thrown", () => {
  const random = seededRandom(6);
  const read = (bytes: Uint8Array) => {
    for (const on of [BTC, LTC]) {
      try {
        readTransaction(bytes, on);
      } catch (error) {
        assert.ok(error instanceof NodeError, `${error}`);
      }
    }
  };
  for (let round = 0; round < 300; round++) {
    const made = makeTransaction(random, { witnessBytes: random.pick([0, 30]), inputs: 2 });
    const bytes = made.toBuffer();
    for (let length = 0; length < bytes.length; length += 7) {
      assert.throws(() => readTransaction(bytes.subarray(0, length), BTC), NodeError);
    }
    assert.throws(() => readTransaction(Uint8Array.from([...bytes, 0]), LTC), NodeError);
    const changed = Uint8Array.from(bytes);
    for (let i = 0; i < 3; i++) changed[random.below(bytes.length)] = random.below(256);
    read(changed);
    read(bytesOf(random, random.below(200)));
  }
});

const BODY = "01" + "ab".repeat(32) + "00000000" + "00" + "ffffffff" + "01" + "e803000000000000" +
  "160014" + "cd".repeat(20);
const REFUSED: readonly (readonly [what: string, hex: string])[] = [
  ["no inputs and no outputs", "02000000" + "00" + "00" + "00000000"],
  ["flags that there aren't", "02000000" + "0002" + BODY + "00000000"],
  ["signed apart without a signature", "02000000" + "0001" + BODY + "00" + "00000000"],
  ["a list of 4 billion inputs", "02000000" + "feffffffff" + "00".repeat(50)],
  ["a list as long as a double", "02000000" + "ffffffffffffff1f00" + "00".repeat(50)],
  ["a list longer than a double", "02000000" + "ffffffffffffffffff" + "00".repeat(50)],
  ["a count written longer than needed", "02000000" + BODY.replace("01", "fd0100") + "00000000"],
  [
    "more coins than there are",
    "02000000" + BODY.replace("e803000000000000", "01001d68c1d71d00") + "00000000",
  ],
];

for (const [what, hex] of REFUSED) {
  Deno.test(`not read: ${what}`, () => {
    for (const on of [BTC, LTC]) {
      assert.throws(() => readTransaction(Uint8Array.fromHex(hex), on), NodeError);
    }
  });
}

Deno.test("of a transaction into an extension block, its plain part has the txid", () => {
  const plain = readTransaction(Uint8Array.fromHex("02000000" + BODY + "07000000"), LTC);
  const withPart = "02000000" + "0008" + BODY + "01" + "ee".repeat(500) + "07000000";
  const read = readTransaction(Uint8Array.fromHex(withPart), LTC);
  assert.deepEqual(read, plain);
  assert.throws(() => readTransaction(Uint8Array.fromHex(withPart), BTC), NodeError);
  const only = readTransaction(
    Uint8Array.fromHex("02000000" + "0008" + "00" + "00" + "01" + "ee".repeat(500) + "07000000"),
    LTC,
  );
  assert.equal(only, undefined);
});
