import assert from "node:assert/strict";
import { secp256k1 } from "@noble/curves/secp256k1";
import { TronWeb } from "tronweb";
import { toHex } from "../../../src/base/bytes.ts";
import { decodeAddress, encodeAddress } from "../../../src/chains/tron/address.ts";
import { tronRules } from "../../../src/chains/tron/mod.ts";
import { createKeyRing } from "../../../src/keys/key_ring.ts";
import { HDKey } from "@scure/bip32";
import { mnemonicToSeedSync } from "@scure/bip39";
import { seededRandom } from "../../domain/random.ts";

const USDT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
const WORDS = "test test test test test test test test test test test junk";

Deno.test("an address is base58check with its checksum, and nothing else", () => {
  assert.equal(tronRules.isAddress(USDT), true);
  assert.equal(tronRules.canonicalAddress(USDT), USDT);
  const others = [
    `${USDT.slice(0, -1)}u`,
    USDT.toLowerCase(),
    ` ${USDT}`,
    `${USDT}\n`,
    USDT.slice(0, -1),
    `${USDT}1`,
    `1${USDT}`,
    "41a614f803b6fd780986a42c78ec9c7f77e6ded13c",
    "0xa614f803b6fd780986a42c78ec9c7f77e6ded13c",
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "1002000",
    "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT",
    "",
  ];
  for (const text of others) assert.equal(tronRules.isAddress(text), false, text);
});

Deno.test("addresses agree with tronweb in both directions, for 2000 random ones (seed 7)", () => {
  const random = seededRandom(7);
  for (let i = 0; i < 2000; i++) {
    const digits = Array.from({ length: 40 }, () => random.below(16).toString(16)).join("");
    const hex = i === 0 ? `41${"0".repeat(40)}` : `41${digits}`;
    const text = encodeAddress(hex);
    assert.equal(text, TronWeb.address.fromHex(hex));
    assert.equal(decodeAddress(text), hex);
  }
});

Deno.test("a key's address agrees with tronweb, and the seed's are at m/44'/195'", () => {
  const random = seededRandom(8);
  for (let i = 0; i < 100; i++) {
    const key = Uint8Array.from({ length: 32 }, () => 1 + random.below(255));
    const address = tronRules.addressOf(secp256k1.getPublicKey(key));
    assert.equal(address, TronWeb.address.fromPrivateKey(toHex(key)));
    assert.equal(tronRules.addressOf(secp256k1.getPublicKey(key, false)), address);
  }
  const keys = createKeyRing(HDKey.fromMasterSeed(mnemonicToSeedSync(WORDS)));
  const path = { coinType: tronRules.coinType, account: 0, branch: 0, index: 3 } as const;
  const { address } = TronWeb.fromMnemonic(WORDS, "m/44'/195'/0'/0/3");
  assert.equal(tronRules.addressOf(keys.publicKeyOf(path)), address);
});
