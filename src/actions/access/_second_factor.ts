import { totpStep } from "../../base/secrets/totp.ts";
import { totpContext, type UserRow, Users } from "../../store/tables/users.ts";
import type { View } from "../../store/engine/workspace.ts";
import { hashOf } from "./sessions.ts";
import type { Deps } from "../deps.ts";

export type Proof =
  | { readonly kind: "totp"; readonly step: number }
  | { readonly kind: "recovery_code"; readonly hash: string };

/** A six-digit code from the app or a recovery code; spaces don't matter. */
export async function checkSecondFactor(
  { vault, clock }: Pick<Deps, "vault" | "clock">,
  { user, code }: { user: UserRow; code: string },
): Promise<Proof | undefined> {
  if (user.totpSealed === null) return undefined;
  const plain = plainCode(code);
  if (/^\d{6}$/.test(plain)) {
    const secret = await vault.open(user.totpSealed, totpContext(user.id));
    const step = totpStep(plain, { secret, nowMs: clock.nowMs(), after: user.totpStep });
    return step === undefined ? undefined : { kind: "totp", step };
  }
  const hash = await hashOf(plain);
  return user.recoveryHashes.includes(hash) ? { kind: "recovery_code", hash } : undefined;
}

/** Each works once. False if another request was first. */
export function spendSecondFactor(view: View, user: UserRow, proof: Proof): boolean {
  if (proof.kind === "totp") {
    if (proof.step <= user.totpStep) return false;
    view.update(Users, user, { totpStep: proof.step });
    return true;
  }
  const left = user.recoveryHashes.filter((hash) => hash !== proof.hash);
  if (left.length === user.recoveryHashes.length) return false;
  view.update(Users, user, { recoveryHashes: left });
  return true;
}

export function plainCode(code: string): string {
  return code.replace(/[\s-]/g, "").toLowerCase();
}
