import { base32nopad } from "@scure/base";
import { randomBytes } from "../base/bytes.ts";
import { totpStep } from "../base/secrets/totp.ts";
import { hasSecondFactor } from "./rules/second_factors.ts";
import { lastProofs } from "../control/reads/last_words.ts";
import { totpContext, type UserRow, Users } from "./tables/users.ts";
import type { View } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { codesSaid } from "../integrity/newest.ts";
import { checkProven, type Given, type PasskeyProof } from "./passkeys/check.ts";
import { usePasskey } from "./passkeys/use.ts";
import { hashOf } from "./sessions.ts";
import type { Actor, Deps } from "../deps/deps.ts";

const RECOVERY_CODES = 10;

export type Proof =
  | { readonly kind: "totp"; readonly step: number }
  | { readonly kind: "recovery_code"; readonly hash: string }
  | PasskeyProof;

/** A passkey, a six-digit code from the app or a recovery code; spaces don't matter. */
export async function checkSecondFactor(
  deps: Deps,
  { user, given }: { user: UserRow; given: Given },
): Promise<Proof | undefined> {
  if (typeof given !== "string") return await checkProven(deps, { ...given, user });
  const plain = plainCode(given);
  if (/^\d{6}$/.test(plain)) return await checkCode(deps, { user, code: plain });
  if (!hasSecondFactor(user)) return undefined;
  const hash = hashOf(plain);
  return user.recoveryHashes.includes(hash) ? { kind: "recovery_code", hash } : undefined;
}

async function checkCode(
  { db, vault, clock }: Pick<Deps, "db" | "vault" | "clock">,
  { user, code }: { user: UserRow; code: string },
): Promise<Proof | undefined> {
  if (user.totpSealed === null) return undefined;
  const secret = await vault.open(user.totpSealed, totpContext(user.id));
  // An old row may have been put back, but not into the log, whichever instance wrote there.
  const steps = (await lastProofs(db, `user:${user.id}`)).map(({ detail }) => Number(detail.step));
  const after = Math.max(user.totpStep, ...steps.filter(Number.isSafeInteger));
  const step = totpStep(code, { secret, nowMs: clock.nowMs(), after });
  return step === undefined ? undefined : { kind: "totp", step };
}

/** For the audit log, which remembers when the newest code was that somebody used. */
export function proofSaid(proof: Proof): { readonly step?: number } {
  return proof.kind === "totp" ? { step: proof.step } : {};
}

/** Each works once. False if another request was first. */
export function spendSecondFactor(
  view: View,
  { deps: { db }, user, proof, actor }: {
    deps: Pick<Deps, "db">;
    user: UserRow;
    proof: Proof;
    actor: Actor;
  },
): boolean {
  if (proof.kind === "passkey") return usePasskey(view, { user, proof, actor });
  const spending = view.atOnce("a code is used up");
  if (proof.kind === "totp") {
    if (proof.step <= user.totpStep) return false;
    spending.update(Users, user, { totpStep: proof.step });
    return true;
  }
  const recoveryHashes = user.recoveryHashes.filter((hash) => hash !== proof.hash);
  const left = recoveryHashes.length;
  if (left === user.recoveryHashes.length) return false;
  const action = "user.recovery_code_used";
  const codes = codesSaid(spending.update(Users, user, { recoveryHashes }), db);
  const sides = { before: { left: left + 1 }, after: { left } };
  recordAudit(view, {
    ...{ actor, action, subject: `user:${user.id}`, nowMs: view.nowMs },
    detail: { ...sides, codes },
  });
  return true;
}

export function plainCode(code: string): string {
  return code.replace(/[\s-]/g, "").toLowerCase();
}

/** 50 bits each, behind the same throttle as codes. */
export function newRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, () => {
    const text = base32nopad.encode(randomBytes(7)).toLowerCase().slice(0, 10);
    return `${text.slice(0, 5)}-${text.slice(5)}`;
  });
  return { codes, hashes: codes.map((code) => hashOf(plainCode(code))) };
}
