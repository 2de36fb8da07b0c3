import { ECDH } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { invariant } from "../../base/assert.ts";
import { toHex } from "../../base/bytes.ts";
import { bip44 } from "../bip44.ts";
import type { ChainRules, PaymentAsked } from "../rules.ts";
import { checksumAddress } from "./address.ts";

export const evmRules: ChainRules = {
  name: "Ethereum and networks like it",
  native: { symbol: "ETH", decimals: 18 },
  isAddress,
  canonicalAddress,
  addressForm: /^0x[0-9a-fA-F]{40}$/,
  looksWhole: /^0x[0-9a-f]{40}$/i,
  addressStart: /^0x/i,
  nobody: `0x${"0".repeat(40)}`,
  ...bip44(60),
  addressOf,
  paymentUri,
  inCode: (text) => text,
};

/** A wrong checksum is a typo, so mixed case must match exactly. */
function isAddress(text: string): boolean {
  if (/^0x(?:[0-9a-f]{40}|[0-9A-F]{40})$/.test(text)) return true;
  return /^0x[0-9a-fA-F]{40}$/.test(text) && checksumAddress(text) === text;
}

function canonicalAddress(text: string): string {
  invariant(isAddress(text), `Not an address: ${text}`);
  return checksumAddress(text);
}

/** Accepts a secp256k1 point in either encoding and throws if it is not on the curve. */
function addressOf(publicKey: Uint8Array): string {
  const point = ECDH.convertKey(publicKey, "secp256k1", undefined, undefined, "uncompressed");
  invariant(point instanceof Uint8Array, "Without an encoding a key comes back as bytes");
  return checksumAddress(`0x${toHex(keccak_256(point.slice(1))).slice(24)}`);
}

/** EIP-681. */
function paymentUri({ chainId, contract, address, raw }: PaymentAsked): string {
  return contract === null
    ? `ethereum:${address}@${chainId}?value=${raw}`
    : `ethereum:${contract}@${chainId}/transfer?address=${address}&uint256=${raw}`;
}
