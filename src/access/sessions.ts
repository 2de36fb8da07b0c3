import { browserName } from "./rules/browser_name.ts";
import { randomToken } from "../base/bytes.ts";
import { sha256Hex } from "../base/secrets/crypto.ts";
import { type SessionRow, Sessions, type UserRow } from "./tables/users.ts";
import type { View } from "../store/engine/workspace.ts";
import { insertNotice } from "../books/alerts.ts";

const TOKEN_BYTES = 32;
const HOUR_MS = 3_600_000;
const USER_AGENT_CHARACTERS = 200;

export const SESSION_IDLE_MS = HOUR_MS;
const SESSION_MS = 12 * HOUR_MS;
/** Between the password and the second factor. */
const CODE_MS = 5 * 60_000;

export interface Origin {
  readonly ip: string;
  readonly userAgent: string;
}

/** A secret that is stored only as its hash. */
interface Token {
  readonly token: string;
  readonly tokenHash: string;
}

export function newToken(): Token {
  const token = randomToken(TOKEN_BYTES);
  return { token, tokenHash: hashOf(token) };
}

export function hashOf(token: string): string {
  return sha256Hex(token);
}

export function openSession(
  view: View,
  { user, tokenHash, stage, origin, nowMs }: {
    user: UserRow;
    tokenHash: string;
    stage: SessionRow["stage"];
    origin: Origin;
    nowMs: number;
  },
): SessionRow {
  if (stage === "open") noticeSignIn(view, { user, origin, nowMs });
  return view.atOnce("somebody signs in").insert(Sessions, {
    tokenHash,
    userId: user.id,
    generation: user.generation,
    stage,
    ip: origin.ip,
    userAgent: [...origin.userAgent].slice(0, USER_AGENT_CHARACTERS).join(""),
    createdAtMs: nowMs,
    seenAtMs: nowMs,
    provenAtMs: nowMs,
    endsAtMs: nowMs + (stage === "open" ? SESSION_MS : CODE_MS),
    challengeUsedMs: null,
  });
}

function noticeSignIn(
  view: View,
  { user: { email, accountId }, origin: { ip, userAgent }, nowMs }: {
    user: UserRow;
    origin: Origin;
    nowMs: number;
  },
): void {
  const title = `${email} signed in from ${ip}`;
  const text = browserName(userAgent);
  insertNotice(view, { topic: "security", accountId, title, text, nowMs });
}

export function userActor(user: Pick<UserRow, "id">, { ip }: Pick<Origin, "ip">) {
  return { name: `user:${user.id}`, ip };
}
