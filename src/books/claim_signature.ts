import { Accounts } from "../accounts/tables/accounts.ts";
import { storedRead, whyFull } from "./quota.ts";
import { isSuspended } from "./stopped.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { Refused } from "../domain/refusal.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { type UsedSignatureRow, UsedSignatures } from "../store/tables/signatures.ts";

const KEPT_HEX = 32;

/** Who made a verified request, and the signature that proves it. */
export interface SignedCaller {
  readonly accountId: number;
  readonly keyId: string;
  /** Where the request came from. */
  readonly ip?: string;
  /** Lower case, so that one signature is one text. */
  readonly signature: string;
  /** After this the timestamp alone is refused. */
  readonly signatureExpiresAtMs: number;
  /** Called when the signature is stored, even if the request is refused. */
  readonly onStored?: () => void;
}

/** Somebody in the dashboard, whose orders have a reference and need no signature. */
export interface HandCaller {
  readonly accountId: number;
  readonly keyId: string;
  readonly actor: Actor;
  readonly signature: null;
}

/** What the unit that uses the signature up has to read. */
export function signatureRead({ signature }: SignedCaller): Read<UsedSignatureRow> {
  return read(UsedSignatures, [keptPart(signature)]);
}

/** Half of it, so that a stolen row can't be used to send the request again. */
function keptPart(signature: string): string {
  return signature.slice(0, KEPT_HEX);
}

/**
 * The first request with a signature uses it up, even if it is refused, so that a copy sent later
 * is not executed. A request accepted with a reference needs no row here: copies get the first
 * one's answer.
 */
export function once<T>(
  view: View,
  { caller, used = signatureRead(caller), reference }: {
    caller: SignedCaller;
    /** Its read, if the caller has made it. */
    used?: Read<UsedSignatureRow> | undefined;
    reference: string | null;
  },
  decide: () => T | Refused,
): T | Refused {
  if (view.rowOf(used)) throw new Refused("replayed_request");
  view.charge(caller.accountId);
  const outcome = decide();
  if (reference === null || outcome instanceof Refused) {
    const row = view.insertKeyed(UsedSignatures, {
      signature: keptPart(caller.signature),
      expiresAtMs: caller.signatureExpiresAtMs,
    });
    // Refused writes have a limit of their own.
    if (outcome instanceof Refused) view.countAs("none", row);
    caller.onStored?.();
  }
  return outcome;
}

/**
 * For changes that move no money. The signature is used up before the change, so a crash between
 * them leaves nothing done, and no copy does it later.
 */
export async function claimWrite(
  { db }: Deps,
  caller: SignedCaller,
  { isUrgent = false }: {
    /** It ends, decides or completes something that is there. */
    isUrgent?: boolean;
  } = {},
): Promise<void> {
  const { accountId } = caller;
  const refused = await db.write({
    reads: [signatureRead(caller), read(Accounts, [accountId]), storedRead(accountId)],
    decide: (view) =>
      once(view, { caller, reference: null }, () => {
        if (isSuspended(view, accountId)) return new Refused("account_suspended");
        return whyFull(view, { accountId, isUrgent });
      }),
  });
  if (refused) throw refused;
}
