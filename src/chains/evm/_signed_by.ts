import { secp256k1 } from "@noble/curves/secp256k1";
import { wNAF } from "@noble/curves/abstract/curve";
import { invert, mod } from "@noble/curves/abstract/modular";
import { toHex } from "../../base/bytes.ts";
import { Lru } from "../../base/lru.ts";
import type { RecoverableSignature } from "../../domain/signer.ts";
import { evmFamily } from "./family.ts";

const { ProjectivePoint: Point, CURVE: { n } } = secp256k1;
type Point = InstanceType<typeof Point>;

/** Sums of table entries, in a time that tells of the numbers, which are public here. */
const multiples = wNAF(Point, 256);
/** A point of its own: the signer's table of G is made in another way. */
const G = withTable(Point.BASE, 8);

export interface PublicKey {
  readonly address: string;
  point: Point;
  checks: number;
}

/** A key that signs often gets a table of its multiples, some hundred kilobytes. */
const KEYS_MAX = 64;
const CHECKS_UNTIL_TABLE = 8;
const WINDOW_BITS = 6;

const known = new Lru<string, PublicKey>(KEYS_MAX);

export function publicKeyOf(bytes: Uint8Array): PublicKey {
  const text = toHex(bytes);
  const found = known.get(text);
  if (found) return found;
  const key = { address: evmFamily.addressOf(bytes), point: Point.fromHex(text), checks: 0 };
  known.set(text, key);
  return key;
}

/**
 * Whether exactly this key is what can be recovered from it: r and parity belong to the point
 * (z / s) G + (r / s) Q. The same as to recover the key and compare, in a fraction of the
 * time: the multiples of both points are in tables.
 */
export function isSignedBy(
  key: PublicKey,
  { digest, signed: { r, s, recovery } }: { digest: Uint8Array; signed: RecoverableSignature },
): boolean {
  // The upper half is refused by every node.
  if (r <= 0n || r >= n || s <= 0n || s > n / 2n) return false;
  if (++key.checks === CHECKS_UNTIL_TABLE) key.point = withTable(key.point, WINDOW_BITS);
  const inverse = invert(s, n);
  const z = BigInt(`0x${toHex(digest)}`);
  const sum = multiple(key.point, mod(r * inverse, n), multiple(G, mod(z * inverse, n)));
  if (sum.equals(Point.ZERO)) return false;
  const { x, y } = sum.toAffine();
  return x === r && (y & 1n) === BigInt(recovery);
}

function withTable(point: Point, windowBits: number): Point {
  const own = Point.fromAffine(point.toAffine());
  multiples.setWindowSize(own, windowBits);
  return own;
}

/** So many times the point, and `more`. */
function multiple(point: Point, times: bigint, more = Point.ZERO): Point {
  return multiples.wNAFCachedUnsafe(point, times, Point.normalizeZ, more);
}
