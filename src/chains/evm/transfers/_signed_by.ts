import { secp256k1 } from "@noble/curves/secp256k1";
import { pippenger, wNAF } from "@noble/curves/abstract/curve";
import { Field, FpInvertBatch, invert, mod } from "@noble/curves/abstract/modular";
import { TurnBatches } from "../../../base/waiting/batches.ts";
import { toHex } from "../../../base/bytes.ts";
import { Lru } from "../../../base/lru.ts";
import type { RecoverableSignature } from "../../../domain/signer.ts";
import { evmFamily } from "../family.ts";

const { ProjectivePoint: Point, CURVE: { n } } = secp256k1;
type Point = InstanceType<typeof Point>;

/** Sums of table entries. Their timing reveals the numbers, which are public here. */
const multiples = wNAF(Point, 256);
/** A separate point, because the signer's table of G has another format. */
const G = withTable(Point.BASE, 8);

interface PublicKey {
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

interface Signature {
  readonly digest: Uint8Array;
  readonly signed: RecoverableSignature;
}

interface Check extends Signature {
  readonly key: PublicKey;
}

/** Smaller groups are faster one by one. */
const TOGETHER_MIN = 8;
const TOGETHER_MAX = 64;

const together = new TurnBatches(TOGETHER_MAX);

/**
 * Whether recovering the key would give exactly this one. All signatures of a key in one turn of
 * the loop are checked by one sum, and one by one if that fails.
 */
export async function isSignedBy(key: PublicKey, signature: Signature): Promise<boolean> {
  return await together.run(key.address, { job: { key, ...signature }, work: checkAll });
}

function checkAll(checks: readonly Check[]): PromiseSettledResult<boolean>[] {
  for (const { key } of checks) {
    if (++key.checks === CHECKS_UNTIL_TABLE) key.point = withTable(key.point, WINDOW_BITS);
  }
  const areAll = checks.length >= TOGETHER_MIN && checks.every(isInRange) && holdTogether(checks);
  return checks.map((check) => ({
    status: "fulfilled",
    value: areAll || (isInRange(check) && holds(check)),
  }));
}

/** Every node refuses the upper half. */
function isInRange({ signed: { r, s } }: Signature): boolean {
  return r > 0n && r < n && s > 0n && s <= n / 2n;
}

/**
 * True if r and parity belong to the point (z / s) G + (r / s) Q. Equal to recovering the key and
 * comparing, but much faster, because the multiples of both points are in tables.
 */
function holds({ key, digest, signed: { r, s, recovery } }: Check): boolean {
  const inverse = invert(s, n);
  const sum = sumOf(key, { ofG: numberOf(digest) * inverse, ofKey: r * inverse });
  if (sum.equals(Point.ZERO)) return false;
  const { x, y } = sum.toAffine();
  return x === r && (y & 1n) === BigInt(recovery);
}

/** From 1 on; the sum takes one step per bit. */
const Weights = Field(2n ** 31n - 1n);
const Numbers = Field(n);

/**
 * The sum of all equations, each with a random weight drawn after signing: a single wrong one is
 * always found, and several cancel out once in 2^31 times at most.
 */
function holdTogether(checks: readonly Check[]): boolean {
  const drawn = crypto.getRandomValues(new Uint32Array(checks.length));
  const weights = Array.from(drawn, (number) => BigInt(number) % (Weights.ORDER - 1n) + 1n);
  const points = checks.flatMap(({ signed }) => pointOf(signed) ?? []);
  if (points.length < checks.length) return false;
  const inverses = FpInvertBatch(Numbers, checks.map(({ signed }) => signed.s));
  let ofG = 0n;
  let ofKey = 0n;
  checks.forEach(({ digest, signed: { r } }, i) => {
    const factor = mod(inverses[i]! * weights[i]!, n);
    ofG += numberOf(digest) * factor;
    ofKey += r * factor;
  });
  return pippenger(Point, Weights, points, weights).equals(sumOf(checks[0]!.key, { ofG, ofKey }));
}

/** Undefined if r belongs to no point. */
function pointOf({ r, recovery }: RecoverableSignature): Point | undefined {
  try {
    return Point.fromHex(`0${2 + recovery}${r.toString(16).padStart(64, "0")}`);
  } catch {
    return undefined;
  }
}

function sumOf(key: PublicKey, { ofG, ofKey }: { ofG: bigint; ofKey: bigint }): Point {
  return multiple(key.point, mod(ofKey, n), multiple(G, mod(ofG, n)));
}

function numberOf(digest: Uint8Array): bigint {
  return BigInt(`0x${toHex(digest)}`);
}

function withTable(point: Point, windowBits: number): Point {
  const own = Point.fromAffine(point.toAffine());
  multiples.setWindowSize(own, windowBits);
  return own;
}

/** `times` the point, plus `more`. */
function multiple(point: Point, times: bigint, more = Point.ZERO): Point {
  return multiples.wNAFCachedUnsafe(point, times, Point.normalizeZ, more);
}
