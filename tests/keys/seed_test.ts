import assert from "node:assert/strict";
import { mnemonicToSeed } from "@scure/bip39";
import { HDKey } from "@scure/bip32";
import { toHex } from "../../src/base/bytes.ts";
import { newRecoveryPhrase, parseRecoveryPhrase, rootOf } from "../../src/keys/seed.ts";

const TEST_PHRASE = "test test test test test test test test test test test junk";
const ABANDON = `${"abandon ".repeat(23)}art`;

Deno.test("a new recovery phrase has 24 words, is valid and doesn't repeat", () => {
  const phrases = Array.from({ length: 20 }, newRecoveryPhrase);
  assert.equal(new Set(phrases).size, 20);
  for (const phrase of phrases) {
    assert.equal(phrase.split(" ").length, 24);
    assert.equal(parseRecoveryPhrase(phrase), phrase);
  }
});

Deno.test("a phrase is read whatever its case and spacing", () => {
  const written = `\n ${ABANDON.toUpperCase().replaceAll(" ", " \t\n ")} `;
  assert.equal(parseRecoveryPhrase(written), ABANDON);
  assert.equal(parseRecoveryPhrase(TEST_PHRASE), TEST_PHRASE);
});

const WRONG: readonly (readonly [what: string, phrase: string])[] = [
  ["nothing", ""],
  ["one word", "abandon"],
  ["a wrong checksum", `${"abandon ".repeat(23)}abandon`],
  ["a word that is not in the list", `${"abandon ".repeat(23)}bitcoin`],
  ["a word too few", ABANDON.split(" ").slice(1).join(" ")],
  ["a word too many", `${ABANDON} art`],
  ["commas", ABANDON.replaceAll(" ", ",")],
];

for (const [what, phrase] of WRONG) {
  Deno.test(`a phrase with ${what} is invalid`, () => {
    assert.equal(parseRecoveryPhrase(phrase), undefined);
  });
}

Deno.test("two swapped words are noticed by the checksum", () => {
  const words = newRecoveryPhrase().split(" ");
  const swapped = words.flatMap((_, i) =>
    words.slice(i + 1).filter((word) => word !== words[i]).map((word) => {
      const other = [...words];
      other[words.indexOf(word)] = words[i]!;
      other[i] = word;
      return other.join(" ");
    })
  );
  const passed = swapped.filter((phrase) => parseRecoveryPhrase(phrase) !== undefined);
  // One in 256 passes by chance: 8 bits of checksum.
  assert.ok(passed.length < swapped.length / 20, `${passed.length} of ${swapped.length}`);
});

Deno.test("a phrase's root is the master key of the BIP-39 and BIP-32 test vectors", async () => {
  const root = await rootOf(`${"abandon ".repeat(11)}about`);
  assert.equal(
    root.privateExtendedKey,
    "xprv9s21ZrQH143K3GJpoapnV8SFfukcVBSfeCficPSGfubmSFDxo1kuHnLisriDvSnRRuL2Qrg5ggqHKNVpxR86QEC8w35uxmGoggxtQTPvfUu",
  );
  assert.equal(toHex(root.privateKey!).length, 64);
});

Deno.test("any phrase's root is the one that the library derives, and no phrase has none", async () => {
  for (const phrase of [TEST_PHRASE, ABANDON, ...Array.from({ length: 10 }, newRecoveryPhrase)]) {
    const { privateExtendedKey } = HDKey.fromMasterSeed(await mnemonicToSeed(phrase));
    assert.equal((await rootOf(phrase)).privateExtendedKey, privateExtendedKey);
  }
  for (const none of ["", "abandon", `${ABANDON} art`]) {
    await assert.rejects(rootOf(none), /has 12 to 24 words/);
  }
});
