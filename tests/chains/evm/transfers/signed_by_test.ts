import assert from "node:assert/strict";
import { invert, mod } from "@noble/curves/abstract/modular";
import { secp256k1 } from "@noble/curves/secp256k1";
import { recoverAddress } from "viem/utils";
import { toHex } from "../../../../src/base/bytes.ts";
import { isSignedBy, publicKeyOf } from "../../../../src/chains/evm/transfers/_signed_by.ts";
import type { RecoverableSignature } from "../../../../src/domain/signer.ts";
import { seededRandom } from "../../../domain/random.ts";
import { makeWallet, type TestWallet } from "../../../support/nodes/evm_wallet.ts";

const { n } = secp256k1.CURVE;
const SEED = 20_261_121;
const ROUNDS = 60;

/** The same digests for the same seed. */
function digestOf(round: number): Uint8Array {
  return secp256k1.CURVE.hash(new TextEncoder().encode(`${SEED} ${round}`));
}

/** The sender that the signature recovers to. */
async function recovered(digest: Uint8Array, { r, s, recovery }: RecoverableSignature) {
  const hex = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}` as const;
  const signature = { r: hex(r), s: hex(s), yParity: recovery };
  return await recoverAddress({ hash: `0x${toHex(digest)}`, signature }).catch(() => undefined);
}

function flipped(recovery: 0 | 1): 0 | 1 {
  return recovery === 0 ? 1 : 0;
}

Deno.test("a signature is the key's exactly if recovering it gives the key's address (seeded)", async () => {
  const [wallet, other] = [makeWallet(31), makeWallet(32)];
  const key = publicKeyOf(wallet.signer.publicKey);
  assert.equal(key.address, wallet.address);
  for (let round = 0; round < ROUNDS; round++) {
    const digest = digestOf(round);
    const own = await wallet.signer.sign(digest);
    const foreign = await other.signer.sign(digest);
    const { r, s, recovery } = own;
    const rows: [string, RecoverableSignature, Uint8Array][] = [
      ["its own", own, digest],
      ["another parity", { r, s, recovery: flipped(recovery) }, digest],
      ["another r", { r: r + 1n, s, recovery }, digest],
      ["another s", { r, s: s - 1n, recovery }, digest],
      ["another digest", own, digestOf(round + ROUNDS)],
      ["another key", foreign, digest],
    ];
    for (const [name, signed, of] of rows) {
      const is = await isSignedBy(key, { digest: of, signed });
      assert.equal(is, await recovered(of, signed) === wallet.address, `${name}, round ${round}`);
      assert.equal(is, name === "its own", `${name}, round ${round}`);
    }
  }
  assert.ok(key.checks >= ROUNDS * 6, "and most of it with the key's table");
});

/** All are checked in one turn of the event loop. */
function checkTogether(
  publicKey: Uint8Array,
  all: readonly { digest: Uint8Array; signed: RecoverableSignature }[],
): Promise<boolean[]> {
  return Promise.all(all.map((one) => isSignedBy(publicKeyOf(publicKey), one)));
}

const TOGETHER = 20;

async function signTogether({ signer }: TestWallet, round: number) {
  return await Promise.all(Array.from({ length: TOGETHER }, async (_, i) => {
    const digest = digestOf(TOGETHER * round + i);
    return { digest, signed: await signer.sign(digest) };
  }));
}

Deno.test("of many checked together exactly the wrong ones are found, whatever is wrong (seeded)", async () => {
  const { below, pick } = seededRandom(SEED);
  const wallet = makeWallet(34);
  const wrongs: readonly ((signed: RecoverableSignature) => RecoverableSignature)[] = [
    ({ recovery, ...rest }) => ({ ...rest, recovery: flipped(recovery) }),
    ({ r, ...rest }) => ({ ...rest, r: r + 1n }),
    ({ s, ...rest }) => ({ ...rest, s: s - 1n }),
    ({ s, ...rest }) => ({ ...rest, s: n - s }),
    (rest) => ({ ...rest, r: 0n }),
    (rest) => ({ ...rest, s: 0n }),
  ];
  for (let round = 0; round < 12; round++) {
    const all = await signTogether(wallet, round);
    for (let wrong = 0; wrong < round % 4; wrong++) {
      const at = below(TOGETHER);
      all[at] = { ...all[at]!, signed: pick(wrongs)(all[at]!.signed) };
    }
    const expected = await Promise.all(
      all.map(async ({ digest, signed }) =>
        signed.s <= n / 2n && await recovered(digest, signed) === wallet.address
      ),
    );
    const reported = await checkTogether(wallet.signer.publicKey, all);
    assert.deepEqual(reported, expected, `seed ${SEED}, round ${round}`);
  }
});

Deno.test("two wrong ones that cancel out are found, because each has its own weight", async () => {
  const key = new Uint8Array(32).fill(9);
  const publicKey = secp256k1.getPublicKey(key);
  const [first, second] = [digestOf(1), digestOf(2)];
  /** The result that would be right for another point. */
  const wrong = (digest: Uint8Array, { reported, right }: { reported: bigint; right: bigint }) => {
    const { x: r, y } = secp256k1.ProjectivePoint.BASE.multiply(reported).toAffine();
    const z = BigInt(`0x${toHex(digest)}`);
    const s = mod((z + r * BigInt(`0x${toHex(key)}`)) * invert(right, n), n);
    const recovery: 0 | 1 = y & 1n ? 1 : 0;
    return { digest, signed: { r, s, recovery } };
  };
  const pairs = Array.from({ length: 20 }, (_, i) => [
    wrong(first, { reported: 1_000n, right: 1_001n + BigInt(i) }),
    wrong(second, { reported: 2_000n, right: 1_999n - BigInt(i) }),
  ]).filter((pair) => pair.every(({ signed }) => signed.s <= n / 2n));
  assert.ok(pairs.length > 0);
  const { r, s, recovery } = secp256k1.sign(first, key, { lowS: true });
  const right = { digest: first, signed: { r, s, recovery: recovery as 0 | 1 } };
  for (const pair of pairs) {
    const reported = await checkTogether(publicKey, [...pair, ...Array(TOGETHER).fill(right)]);
    assert.deepEqual(reported, [false, false, ...Array(TOGETHER).fill(true)]);
  }
});

Deno.test("the upper half, and invalid numbers, are nobody's signature", async () => {
  const wallet = makeWallet(33);
  const key = publicKeyOf(wallet.signer.publicKey);
  const digest = digestOf(0);
  const { r, s, recovery } = await wallet.signer.sign(digest);
  const upper = { r, s: n - s, recovery: flipped(recovery) };
  assert.equal(await recovered(digest, upper), wallet.address, "nodes refuse it all the same");
  for (const signed of [upper, { r: 0n, s, recovery }, { r, s: 0n, recovery }]) {
    assert.equal(await isSignedBy(key, { digest, signed }), false);
  }
  for (const signed of [{ r: r + n, s, recovery }, { r, s: s + n, recovery }]) {
    assert.equal(await isSignedBy(key, { digest, signed }), false);
  }
});

Deno.test("keys that sign in turns don't mix up their tables", async () => {
  const wallets = [41, 42, 43].map(makeWallet);
  for (let round = 0; round < 12; round++) {
    const digest = digestOf(round);
    for (const { signer } of wallets) {
      const signed = await signer.sign(digest);
      const are = await Promise.all(
        wallets.map((it) => isSignedBy(publicKeyOf(it.signer.publicKey), { digest, signed })),
      );
      const owners = wallets.filter((_, i) => are[i]);
      assert.deepEqual(owners.map((it) => it.signer), [signer]);
    }
  }
});
