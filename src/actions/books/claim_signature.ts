import { Refused } from "../../domain/refusal.ts";
import { type UsedSignatureRow, UsedSignatures } from "../../store/tables/signatures.ts";
import { type Read, read, type View } from "../../store/engine/workspace.ts";

const KEPT_HEX = 32;

/** A verified request's maker, and the signature that proves it. */
export interface SignedCaller {
  readonly accountId: number;
  readonly keyId: string;
  /** Lower case, so that one signature is one text. */
  readonly signature: string;
  /** From then on the timestamp is refused by itself. */
  readonly signatureExpiresAtMs: number;
}

/** What the unit that uses the signature up has to read. */
export function signatureRead({ signature }: SignedCaller): Read<UsedSignatureRow> {
  return read(UsedSignatures, [keptPart(signature)]);
}

/** Half of it: who takes the row out of the database cannot send the request once more. */
function keptPart(signature: string): string {
  return signature.slice(0, KEPT_HEX);
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
  if (view.rowOf(signatureRead(caller))) throw new Refused("replayed_request");
  const outcome = decide();
  if (reference === null || outcome instanceof Refused) {
    view.insertKeyed(UsedSignatures, {
      signature: keptPart(caller.signature),
      expiresAtMs: caller.signatureExpiresAtMs,
    });
  }
  return outcome;
}
