import { secp256k1 } from "@noble/curves/secp256k1";
import { toHex } from "../base/bytes.ts";
import type { RecoverableSignature } from "../transfers/rules/signer.ts";

/** Whether whoever checks the signature recovers this key from it, parity included. */
export function isSignedBy(
  publicKey: Uint8Array,
  { digest, signed: { r, s, recovery } }: {
    readonly digest: Uint8Array;
    readonly signed: RecoverableSignature;
  },
): boolean {
  const recovered = recoveredKey(digest, { r, s, recovery });
  return recovered !== undefined &&
    toHex(recovered.toRawBytes(publicKey.length === COMPRESSED_BYTES)) === toHex(publicKey);
}

const COMPRESSED_BYTES = 33;

/** Undefined if it is nobody's, or has the upper half that every node refuses. */
function recoveredKey(digest: Uint8Array, { r, s, recovery }: RecoverableSignature) {
  try {
    const signature = new secp256k1.Signature(r, s).addRecoveryBit(recovery);
    return signature.hasHighS() ? undefined : signature.recoverPublicKey(digest);
  } catch {
    return undefined;
  }
}
