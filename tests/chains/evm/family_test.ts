import assert from "node:assert/strict";
import { secp256k1 } from "@noble/curves/secp256k1";
import { privateKeyToAddress } from "viem/accounts";
import { evmRules } from "../../../src/chains/evm/mod.ts";

const CHECKSUMMED = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const DIGITS = CHECKSUMMED.slice(2);

Deno.test("an address is accepted in lower case, in upper case and with its checksum", () => {
  const forms = [`0x${DIGITS.toLowerCase()}`, `0x${DIGITS.toUpperCase()}`, CHECKSUMMED];
  for (const form of forms) {
    assert.equal(evmRules.isAddress(form), true, form);
    assert.equal(evmRules.canonicalAddress(form), CHECKSUMMED);
  }
});

Deno.test("an address in any other form is refused", () => {
  const others = [
    CHECKSUMMED.replace("5aA", "5AA"),
    `0X${DIGITS.toLowerCase()}`,
    DIGITS,
    ` ${CHECKSUMMED}`,
    `${CHECKSUMMED}\n`,
    CHECKSUMMED.slice(0, -1),
    `${CHECKSUMMED}0`,
    CHECKSUMMED.replace("5", "g"),
    "",
    "vitalik.eth",
    "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb",
  ];
  for (const other of others) assert.equal(evmRules.isAddress(other), false, other);
});

Deno.test("an address of digits alone has no case to check", () => {
  assert.equal(evmRules.isAddress(`0x${"1".repeat(40)}`), true);
});

Deno.test("both encodings of a public key give the address that viem gives", () => {
  for (let byte = 1; byte <= 20; byte++) {
    const key = new Uint8Array(32).fill(byte);
    const expected = privateKeyToAddress(`0x${key.toHex()}`);
    assert.equal(evmRules.addressOf(secp256k1.getPublicKey(key, true)), expected);
    assert.equal(evmRules.addressOf(secp256k1.getPublicKey(key, false)), expected);
  }
});

Deno.test("a public key that is not on the curve throws", () => {
  const point = secp256k1.getPublicKey(new Uint8Array(32).fill(1), false);
  point[64]! ^= 1;
  assert.throws(() => evmRules.addressOf(point));
  assert.throws(() => evmRules.addressOf(new Uint8Array(33)));
});
