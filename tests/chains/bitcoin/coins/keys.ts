import { HDKey } from "@scure/bip32";
import { p2wpkhScript } from "../../../../src/chains/bitcoin/addresses.ts";
import { createKeyRing } from "../../../../src/keys/key_ring.ts";
import type { Signer } from "../../../../src/transfers/rules/signer.ts";

const ring = createKeyRing(HDKey.fromMasterSeed(new Uint8Array(32).fill(5)));

/** A wallet of ours, the same for the same number. */
export function keyOf(index: number): { signer: Signer; script: string } {
  const signer = ring.signerOf({ coinType: 1, account: 1, branch: 1, index });
  return { signer, script: p2wpkhScript(signer.publicKey) };
}
