import { Refused } from "../domain/refusal.ts";
import { UsedSignatures } from "../store/signature_table.ts";
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

/**
 * A signature is used up by the first request that gets here, whatever comes of it: what was refused
 * is not executed later, when somebody sends a copy. What was accepted with a reference needs no row
 * here, because copies of it are answered with what it made.
 */
export function once<T>(
  view: View,
  { caller, reference }: { caller: SignedCaller; reference: string | null },
  decide: () => T | Refused,
): T | Refused {
  if (view.find(UsedSignatures, [caller.signature])) throw new Refused("replayed_request");
  const outcome = decide();
  if (reference === null || outcome instanceof Refused) {
    view.insertKeyed(UsedSignatures, {
      signature: caller.signature,
      expiresAtMs: caller.signatureExpiresAtMs,
    });
  }
  return outcome;
}
