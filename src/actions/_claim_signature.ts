import { sha256HexNow } from "../base/crypto.ts";
import { Refused } from "../domain/refusal.ts";
import { UsedSignatures } from "../store/signature_table.ts";
import { type Read, readAll, type View } from "../store/workspace.ts";

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
export function signatureReads(caller: SignedCaller): Read[] {
  return readAll(UsedSignatures, rowKeys(caller));
}

/**
 * Kept as its hash: who reads the database and takes the row out must not be able to send the request
 * once more. Older versions kept the signature itself, and a copy may come just after the update.
 */
function rowKeys({ signature }: SignedCaller): [hashed: [string], plain: [string]] {
  return [[sha256HexNow(signature)], [signature]];
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
  const keys = rowKeys(caller);
  if (keys.some((key) => view.find(UsedSignatures, key))) throw new Refused("replayed_request");
  const outcome = decide();
  if (reference === null || outcome instanceof Refused) {
    view.insertKeyed(UsedSignatures, {
      signature: keys[0][0],
      expiresAtMs: caller.signatureExpiresAtMs,
    });
  }
  return outcome;
}
