import type { Db } from "../../store/engine/db.ts";
import { type SessionRow, Sessions, type UserRow, Users } from "../tables/users.ts";

/** Oldest first. */
export function userPage(
  db: Db,
  { accountId = null, afterId, limit }: {
    accountId?: number | null;
    afterId: number;
    limit: number;
  },
): Promise<UserRow[]> {
  if (accountId !== null) {
    const wanted = [accountId, afterId, limit];
    return db.rows(Users, "WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?", wanted);
  }
  return db.rows(Users, "WHERE id > ? ORDER BY id LIMIT ?", [afterId, limit]);
}

const LOGINS_MAX = 20;

/** All logins with this email, oldest first. */
export function loginsWith(db: Db, email: string): Promise<UserRow[]> {
  return db.rows(Users, "INDEXED BY users_email WHERE email = ? ORDER BY id LIMIT ?", [
    email,
    LOGINS_MAX,
  ]);
}

const DECIDERS_MAX = 50;

/** Who may decide on proposals, if they can sign in: for the gateway, or for one account too. */
export async function deciders(db: Db, accountId: number | null): Promise<UserRow[]> {
  const [everywhere, own] = await Promise.all([
    db.rows(
      Users,
      "WHERE account_id IS NULL AND role IN ('operator', 'approver') ORDER BY id LIMIT ?",
      [DECIDERS_MAX],
    ),
    accountId === null ? [] : userPage(db, { accountId, afterId: 0, limit: DECIDERS_MAX }),
  ]);
  return [...everywhere, ...own];
}

/** Also one that is disabled. */
export async function hasOperator(db: Db): Promise<boolean> {
  const tail = "INDEXED BY users_account WHERE account_id IS NULL AND role = 'operator' LIMIT 1";
  return (await db.rows(Users, tail)).length > 0;
}

/** The user's sessions that can still be used, newest first. */
export function liveSessions(
  db: Db,
  { user, nowMs, idleMs, limit }: { user: UserRow; nowMs: number; idleMs: number; limit: number },
): Promise<SessionRow[]> {
  return db.rows(
    Sessions,
    `WHERE user_id = ? AND generation = ? AND stage = 'open' AND ends_at_ms > ? AND seen_at_ms > ?
ORDER BY id DESC
LIMIT ?`,
    [user.id, user.generation, nowMs, nowMs - idleMs, limit],
  );
}
