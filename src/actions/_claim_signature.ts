import { Refused } from "../domain/refusal.ts";
import { UsedSignatures } from "../store/tables.ts";
import type { View } from "../store/workspace.ts";

/** A verified request's maker, and the signature that proves it. */
export interface SignedCaller {
  readonly accountId: number;
  readonly keyId: string;
  /** Lower case, so that one signature is one text. */
  readonly signature: string;
  /** From then on the timestamp is refused by itself. */
  readonly signatureExpiresAtMs: number;
}

/** An exact copy of a signed write is refused; what was refused once is not executed later either. */
export function claimSignature(view: View, caller: SignedCaller): void {
  if (view.find(UsedSignatures, [caller.signature])) throw new Refused("replayed_request");
  view.insertKeyed(UsedSignatures, {
    signature: caller.signature,
    expiresAtMs: caller.signatureExpiresAtMs,
  });
}
