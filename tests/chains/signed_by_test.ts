import assert from "node:assert/strict";
import { secp256k1 } from "@noble/curves/secp256k1";
import { recoverAddress } from "viem/utils";
import { toHex } from "../../src/base/bytes.ts";
import { isSignedBy } from "../../src/chains/signed_by.ts";
import type { RecoverableSignature } from "../../src/transfers/rules/signer.ts";
import { makeWallet } from "../support/nodes/evm_wallet.ts";

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
  const key = wallet.signer.publicKey;
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
});

Deno.test("the upper half, and invalid numbers, are nobody's signature", async () => {
  const wallet = makeWallet(33);
  const key = wallet.signer.publicKey;
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
