import type { BrowserContext, Page } from "playwright-core";
import { newToken, openSession } from "../../../src/access/sessions.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { createUser } from "../../../src/access/manage_users.ts";
import { scryptSync } from "node:crypto";
import { utf8 } from "../../../src/base/bytes.ts";
import type { Role } from "../../../src/access/rules/roles.ts";
import { Sessions, type UserRow, Users } from "../../../src/access/tables/users.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { noteTest } from "../stage.ts";
import type { TestBrowser, VisitorOptions } from "./browser.ts";

export interface Login {
  readonly user: UserRow;
  /** The session's, as in the cookie. */
  readonly token: string;
}

const HERE = { ip: "127.0.0.1", userAgent: "test" };

/** Tests may wait for others: what they have proved before that is to be good until their turn. */
const SUITE_MS_MAX = 3 * 3_600_000;

/** Signs a new user in without the password check, which is slow and tested elsewhere. */
export async function makeLogin(
  deps: Deps,
  { accountId = null, email, role = accountId === null ? "operator" : "merchant" }: {
    accountId?: number | null;
    email?: string;
    role?: Role;
  } = {},
): Promise<Login> {
  const order = { role, accountId, actor: "test", email: email ?? `${role}@example.com` };
  const user = await createUser(deps, order, null);
  return { user, token: await makeSession(deps, user) };
}

export async function makeSession(deps: Deps, user: UserRow): Promise<string> {
  const { token, tokenHash } = newToken();
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [],
    decide: (view) => {
      noteTest(view);
      const session = openSession(view, { user, tokenHash, stage: "open", origin: HERE, nowMs });
      view.update(Sessions, session, { provenAtMs: nowMs + SUITE_MS_MAX });
    },
  });
  return token;
}

export const PASSWORD = "correct horse battery";

/** A user whose password is cheap to check, for tests that sign in often. */
export async function makeUser(
  { db, ...deps }: Deps,
  order: Parameters<typeof createUser>[1],
): Promise<UserRow> {
  return await setPassword(db, await createUser({ db, ...deps }, order, null));
}

const SALT = new Uint8Array(16);
const CHEAP = { N: 2, r: 8, p: 1 };

async function setPassword(db: Deps["db"], user: UserRow): Promise<UserRow> {
  const key = new Uint8Array(scryptSync(utf8(PASSWORD), SALT, 32, CHEAP));
  const passwordHash = `scrypt$2$8$1$${SALT.toBase64()}$${key.toBase64()}`;
  await db.write({
    reads: [read(Users, [user.id])],
    decide: (view) => {
      noteTest(view);
      view.update(Users, view.find(Users, [user.id])!, { passwordHash });
    },
  });
  return { ...user, passwordHash };
}

/** Lets the last proof of password or code expire in all the user's sessions. */
export async function forgetProof({ db }: Deps, { user }: Pick<Login, "user">): Promise<void> {
  await setPassword(db, user);
  const ids = (await db.list(Sessions, { userId: user.id })).map(({ id }) => id);
  await db.write({
    reads: ids.map((id) => read(Sessions, [id])),
    decide: (view) => {
      noteTest(view);
      for (const id of ids) view.update(Sessions, view.get(Sessions, [id]), { provenAtMs: 0 });
    },
  });
}

export async function openAs(
  browser: TestBrowser,
  { url, login, ...options }: VisitorOptions & { url: string; login: Login },
): Promise<Page> {
  const page = await browser.open(options);
  await signedIn(page.context(), { url, token: login.token });
  return page;
}

async function signedIn(
  context: BrowserContext,
  { url, token }: { url: string; token: string },
): Promise<void> {
  await context.addCookies([{ name: "cpg", value: token, url, sameSite: "Strict" }]);
}

/** The request that a browser would send, without a browser. */
export function dashboardFetch(
  url: string,
  { path, token, form }: { path: string; token?: string; form?: Record<string, string> },
): Promise<Response> {
  return fetch(`${url}/dashboard${path === "/" ? "" : path}`, {
    redirect: "manual",
    headers: {
      ...(token === undefined ? {} : { cookie: `cpg=${token}` }),
      ...(form === undefined ? {} : { origin: url }),
    },
    ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
  });
}
