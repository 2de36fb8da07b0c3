import { ECDH } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { invariant } from "../../base/assert.ts";
import { toHex } from "../../base/bytes.ts";
import { bip44 } from "../bip44.ts";
import type { ChainRules, PaymentAsked } from "../rules.ts";
import { decodeAddress, encodeAddress, fromEvmAddress } from "./address.ts";

export const tronRules: ChainRules = {
  name: "TRON",
  native: { symbol: "TRX", decimals: 6 },
  isAddress: (text) => decodeAddress(text) !== undefined,
  canonicalAddress: (text) => {
    invariant(decodeAddress(text) !== undefined, `Not an address: ${text}`);
    return text;
  },
  addressForm: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
  looksWhole: /^T[1-9A-Za-z]{33}$/,
  addressStart: /^T/i,
  nobody: encodeAddress(fromEvmAddress("0".repeat(40))),
  ...bip44(195),
  addressOf,
  paymentUri,
  inCode: (text) => text,
};

/** Accepts a secp256k1 point in either encoding and throws if it is not on the curve. */
function addressOf(publicKey: Uint8Array): string {
  const point = ECDH.convertKey(publicKey, "secp256k1", undefined, undefined, "uncompressed");
  invariant(point instanceof Uint8Array, "Without an encoding a key comes back as bytes");
  return encodeAddress(fromEvmAddress(toHex(keccak_256(point.subarray(1)).subarray(12))));
}

/** There is no standard as on Ethereum, and wallets read less. */
function paymentUri({ contract, address, amount }: PaymentAsked): string {
  const token = contract === null ? "" : `&token=${contract}`;
  return `tron:${address}?amount=${amount}${token}`;
}
