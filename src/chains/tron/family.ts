import { ECDH } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { invariant } from "../../base/assert.ts";
import { toHex } from "../../base/bytes.ts";
import type { Family } from "../family.ts";
import { decodeAddress, encodeAddress, fromEvmAddress } from "./address.ts";

/** From the chain's time: long enough to be sent again and again, and nobody waits a day for a no. */
export const TRANSFER_LIFETIME_MS = 600_000;

export const tronFamily: Family = {
  name: "tron",
  coinType: 195,
  native: { symbol: "TRX", decimals: 6 },
  gasPriceUnit: { name: "sun", decimals: 0 },
  usualGas: { coins: 0n, tokens: 65_000n },
  gasMax: { coins: null, tokens: 300_000 },
  finality: "finalized",
  transferLifetimeMs: TRANSFER_LIFETIME_MS,
  tellsBalancesAtAnyBlock: false,
  nobody: encodeAddress(fromEvmAddress("0".repeat(40))),
  isAddress: (text) => decodeAddress(text) !== undefined,
  canonicalAddress: (text) => {
    invariant(decodeAddress(text) !== undefined, `Not an address: ${text}`);
    return text;
  },
  addressOf,
};

/** Takes a secp256k1 point in either encoding; one that is not on the curve throws. */
function addressOf(publicKey: Uint8Array): string {
  const point = ECDH.convertKey(publicKey, "secp256k1", undefined, undefined, "uncompressed");
  invariant(point instanceof Uint8Array, "Without an encoding a key comes back as bytes");
  return encodeAddress(fromEvmAddress(toHex(keccak_256(point.subarray(1)).subarray(12))));
}
