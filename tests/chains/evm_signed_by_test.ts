import assert from "node:assert/strict";
import { secp256k1 } from "@noble/curves/secp256k1";
import { recoverAddress } from "viem/utils";
import { toHex } from "../../src/base/bytes.ts";
import { isSignedBy, publicKeyOf } from "../../src/chains/evm/_signed_by.ts";
import type { RecoverableSignature } from "../../src/domain/signer.ts";
import { makeWallet } from "../support/evm_wallet.ts";

const { n } = secp256k1.CURVE;
const SEED = 20_261_121;
const ROUNDS = 60;

/** The same digests for the same seed. */
function digestOf(round: number): Uint8Array {
  return secp256k1.CURVE.hash(new TextEncoder().encode(`${SEED} ${round}`));
}

/** What whoever gets the signature would take its sender for. */
async function recovered(digest: Uint8Array, { r, s, recovery }: RecoverableSignature) {
  const hex = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}` as const;
  const signature = { r: hex(r), s: hex(s), yParity: recovery };
  return await recoverAddress({ hash: `0x${toHex(digest)}`, signature }).catch(() => undefined);
}

function flipped(recovery: 0 | 1): 0 | 1 {
  return recovery === 0 ? 1 : 0;
}

Deno.test("a signature is the key's exactly where recovering it gives the key's address (seeded)", async () => {
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
      const is = isSignedBy(key, { digest: of, signed });
      assert.equal(is, await recovered(of, signed) === wallet.address, `${name}, round ${round}`);
      assert.equal(is, name === "its own", `${name}, round ${round}`);
    }
  }
  assert.ok(key.checks >= ROUNDS * 6, "and most of it with the key's table");
});

Deno.test("the upper half, and numbers that are none, are nobody's signature", async () => {
  const wallet = makeWallet(33);
  const key = publicKeyOf(wallet.signer.publicKey);
  const digest = digestOf(0);
  const { r, s, recovery } = await wallet.signer.sign(digest);
  const upper = { r, s: n - s, recovery: flipped(recovery) };
  assert.equal(await recovered(digest, upper), wallet.address, "nodes refuse it all the same");
  for (const signed of [upper, { r: 0n, s, recovery }, { r, s: 0n, recovery }]) {
    assert.equal(isSignedBy(key, { digest, signed }), false);
  }
  for (const signed of [{ r: r + n, s, recovery }, { r, s: s + n, recovery }]) {
    assert.equal(isSignedBy(key, { digest, signed }), false);
  }
});

Deno.test("keys that sign by turns do not get into each other's tables", async () => {
  const wallets = [41, 42, 43].map(makeWallet);
  for (let round = 0; round < 12; round++) {
    const digest = digestOf(round);
    for (const { signer } of wallets) {
      const signed = await signer.sign(digest);
      const owners = wallets.filter((it) =>
        isSignedBy(publicKeyOf(it.signer.publicKey), { digest, signed })
      );
      assert.deepEqual(owners.map((it) => it.signer), [signer]);
    }
  }
});
