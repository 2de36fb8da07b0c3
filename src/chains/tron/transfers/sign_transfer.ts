import { sha256 } from "@noble/hashes/sha2.js";
import { invariant } from "../../../base/assert.ts";
import { toHex } from "../../../base/bytes.ts";
import type { RecoverableSignature } from "../../../transfers/rules/signer.ts";
import type { PreparedTransfer, SignedTransfer, SignOptions } from "../../transfer.ts";
import { isSignedBy } from "../../signed_by.ts";
import { TRANSFER_LIFETIME_MS } from "../family.ts";
import { tronRules } from "../rules.ts";
import { bytesOf, encodeRaw, encodeSigned, idOf, type TronDetail } from "./transaction.ts";

/** The nonce is the expiry. A sender never uses one twice, so no two transactions are equal. */
export async function signTransfer(
  { request: { from }, detail, charge }: PreparedTransfer<TronDetail>,
  { nonce, signer }: SignOptions,
): Promise<SignedTransfer> {
  const signerAddress = tronRules.addressOf(signer.publicKey);
  invariant(signerAddress === from, `Key of ${signerAddress} cannot sign for ${from}`);
  invariant(detail.feeLimitRaw <= charge.maxRaw, "It costs no more than was said");
  const times = { expirationMs: nonce, timestampMs: nonce - TRANSFER_LIFETIME_MS };
  const raw = encodeRaw(detail, times);
  const digest = sha256(raw);
  const signature = await signer.sign(digest);
  invariant(isSignedBy(signer.publicKey, { digest, signed: signature }), `Not signed as ${from}`);
  const signed = encodeSigned(raw, bytesOf(textOf(signature)));
  return { raw: toHex(signed), txHash: idOf(raw), nonce };
}

function textOf({ r, s, recovery }: RecoverableSignature): string {
  return [r, s].map((half) => half.toString(16).padStart(64, "0")).join("") +
    (27 + recovery).toString(16);
}
