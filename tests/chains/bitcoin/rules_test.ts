import assert from "node:assert/strict";
import { addressOfScript } from "../../../src/chains/bitcoin/addresses.ts";
import { type BitcoinPreset, PRESETS } from "../../../src/chains/bitcoin/params.ts";
import { BITCOIN_RULES } from "../../../src/chains/bitcoin/rules.ts";
import { createKeyRing } from "../../../src/keys/key_ring.ts";
import { rootOf } from "../../../src/keys/seed.ts";
import { seededRandom } from "../../domain/random.ts";
import { bytesOf } from "./blocks.ts";

const ALL = Object.keys(PRESETS) as BitcoinPreset[];
const ring = createKeyRing(await rootOf(`${"abandon ".repeat(11)}about`));

function scripts(seed: number): string[] {
  const random = seededRandom(seed);
  const [hash, key] = [20, 32].map((length) => bytesOf(random, length).toHex());
  return [`76a914${hash}88ac`, `a914${hash}87`, `0014${hash}`, `0020${key}`, `5120${key}`];
}

for (const preset of ALL) {
  const rules = BITCOIN_RULES[preset];

  Deno.test(`what is typed looks like what it is: ${preset}`, () => {
    const all = Array.from({ length: 300 }, (_, seed) => scripts(seed)).flat();
    for (const script of [...all, `76a914${"00".repeat(20)}88ac`, `a914${"00".repeat(20)}87`]) {
      const address = addressOfScript(script, PRESETS[preset])!;
      const isWitness = address.startsWith(PRESETS[preset].hrp);
      for (const written of isWitness ? [address, address.toUpperCase()] : [address]) {
        assert.ok(rules.isAddress(written), written);
        assert.equal(rules.canonicalAddress(written), address);
        assert.match(written, rules.addressForm);
        assert.match(written, rules.looksWhole);
        const start = rules.addressStart.exec(written)?.[0];
        assert.equal(start?.length, isWitness ? PRESETS[preset].hrp.length + 2 : 1);
      }
    }
  });

  Deno.test(`keys lie where BIP-84 has them, those of all accounts in a row: ${preset}`, () => {
    const { bip, coinType } = rules;
    const one = rules.keysFor({ purpose: "deposit", account: 1 });
    assert.deepEqual(rules.keysFor({ purpose: "deposit", account: 2 }), one);
    assert.deepEqual([bip, one], [84, { coinType, account: 0, branch: 0 }]);
    const hot = rules.keysFor({ purpose: "hot", account: 1 });
    assert.deepEqual(hot, { coinType, account: 1, branch: 0 });
    assert.equal(coinType, PRESETS[preset].isTest ? 1 : preset === "LTC" ? 2 : 0);
    const address = rules.addressOf(ring.publicKeyOf({ bip, ...one, index: 0 }));
    assert.ok(rules.isAddress(address));
  });
}

Deno.test("the first address of BIP-84's seed, and the link that pays it", () => {
  const rules = BITCOIN_RULES.BTC;
  const keys = rules.keysFor({ purpose: "deposit", account: 7 });
  const address = rules.addressOf(ring.publicKeyOf({ bip: rules.bip, ...keys, index: 0 }));
  assert.equal(address, "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu");
  const asked = { chainId: "", contract: null, address, raw: 150_000n, amount: "0.0015" };
  assert.equal(rules.paymentUri(asked), `bitcoin:${address}?amount=0.0015`);
  const onTest = BITCOIN_RULES["LTC-TEST"].paymentUri({ ...asked, address: "tltc1" });
  assert.equal(onTest, "litecoin:tltc1?amount=0.0015");
});
