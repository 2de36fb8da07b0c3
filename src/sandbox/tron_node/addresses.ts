import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { secp256k1 } from "@noble/curves/secp256k1";
import { fromHex, toHex, utf8 } from "../../base/bytes.ts";
import { present } from "../../base/assert.ts";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const CHECKSUM_BYTES = 4;

/** An address inside the node: 21 bytes as hex, "41…". */
export type HexAddress = string;

/** An address of a request, as base58check or hex. */
export function hexAddress(address: string): HexAddress {
  if (isHexAddress(address)) return address.toLowerCase();
  return present(fromBase58Check(address), `Not a TRON address: ${address}`);
}

export function isHexAddress(text: string): boolean {
  return /^41[0-9a-fA-F]{40}$/.test(text);
}

export function toBase58Check(address: HexAddress): string {
  const payload = present(fromHex(address), `Not hex: ${address}`);
  const bytes = concat(payload, checksumOf(payload));
  let number = BigInt(`0x${toHex(bytes)}`);
  let text = "";
  for (; number > 0n; number /= 58n) text = ALPHABET[Number(number % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return "1".repeat(Math.max(0, zeros)) + text;
}

/** Undefined where a letter or the checksum is wrong. */
export function fromBase58Check(text: string): string | undefined {
  let number = 0n;
  for (const letter of text) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) return undefined;
    number = number * 58n + BigInt(digit);
  }
  const hex = number.toString(16);
  const bytes = fromHex(hex.length % 2 === 0 ? hex : `0${hex}`);
  if (!bytes || bytes.length <= CHECKSUM_BYTES) return undefined;
  const payload = bytes.slice(0, -CHECKSUM_BYTES);
  const isRight = toHex(checksumOf(payload)) === toHex(bytes.slice(-CHECKSUM_BYTES));
  return isRight ? toHex(payload) : undefined;
}

export function addressOfKey(privateKey: Uint8Array): HexAddress {
  return addressOfPoint(secp256k1.getPublicKey(privateKey, false));
}

/** Undefined where the signature is nobody's. */
export function recoverSigner(hash: Uint8Array, signature: Uint8Array): HexAddress | undefined {
  const v = signature[64] ?? 0;
  const recovery = v >= 27 ? v - 27 : v;
  try {
    const point = secp256k1.Signature.fromCompact(signature.slice(0, 64))
      .addRecoveryBit(recovery)
      .recoverPublicKey(hash);
    return addressOfPoint(point.toRawBytes(false));
  } catch {
    return undefined;
  }
}

export function signHash(hash: Uint8Array, privateKey: Uint8Array): string {
  const signature = secp256k1.sign(hash, privateKey);
  return toHex(signature.toCompactRawBytes()) + toHex(Uint8Array.of(27 + signature.recovery));
}

/** A key that is the same in every run. */
export function keyOf(name: string): Uint8Array {
  return sha256(utf8(`tron node key: ${name}`));
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function addressOfPoint(point: Uint8Array): HexAddress {
  return `41${toHex(keccak_256(point.slice(1)).slice(12))}`;
}

function checksumOf(payload: Uint8Array): Uint8Array {
  return sha256(sha256(payload)).slice(0, CHECKSUM_BYTES);
}
