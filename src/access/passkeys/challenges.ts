import { fromBase64Url } from "../../base/bytes.ts";
import type { SessionRow } from "../tables/users.ts";
import { WrongMasterKey } from "../../keys/vault.ts";
import type { Deps } from "../../deps/deps.ts";

/** Long enough to fetch a phone, and as long as the session between password and second factor. */
const VALID_MS = 5 * 60_000;

type Purpose = "create" | "prove";

interface Bound {
  readonly session: Pick<SessionRow, "id" | "userId" | "challengeUsedMs">;
  readonly purpose: Purpose;
}

/** Says when it was made, so nothing is stored; only this gateway can make one. */
export function newChallenge(
  { vault, clock }: Pick<Deps, "vault" | "clock">,
  bound: Bound,
): Promise<string> {
  return vault.seal(String(clock.nowMs()), contextOf(bound));
}

/** When the challenge was made that a browser answered. Undefined: not here, or not lately. */
export async function challengeMadeMs(
  { vault, clock }: Pick<Deps, "vault" | "clock">,
  { challenge, ...bound }: Bound & { challenge: string },
): Promise<number | undefined> {
  const bytes = fromBase64Url(challenge);
  if (!bytes) return undefined;
  try {
    const opened = await vault.open(new TextDecoder().decode(bytes), contextOf(bound));
    const madeMs = Number(opened);
    const isFresh = Math.abs(clock.nowMs() - madeMs) < VALID_MS;
    return isFresh && isUnused(bound.session, madeMs) ? madeMs : undefined;
  } catch (error) {
    if (error instanceof WrongMasterKey) return undefined;
    throw error;
  }
}

/** Neither the one that was answered last nor an earlier one. */
export function isUnused(
  { challengeUsedMs }: Pick<SessionRow, "challengeUsedMs">,
  madeMs: number,
): boolean {
  return challengeUsedMs === null || madeMs > challengeUsedMs;
}

function contextOf({ session: { id, userId }, purpose }: Bound): string {
  return `passkeys.challenge:${purpose}:${userId}:${id}`;
}
