import { first } from "../base/lists.ts";
import { present } from "../base/assert.ts";
import { ipSource } from "../base/net/ip_source.ts";
import { hasSecondFactor } from "./rules/second_factors.ts";
import type { Budget, GuessRules } from "./rules/guess_limits.ts";
import { loginsWith } from "./reads/users.ts";
import { type UserRow, Users } from "./tables/users.ts";
import { read } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { newToken, openSession, type Origin, userActor } from "./sessions.ts";
import {
  countTry,
  isKnownAddress,
  secondsToWait,
  signInRulesOf,
  takeBackTry,
  throttleReads,
} from "./_throttle.ts";
import { isNewestUser } from "../integrity/newest.ts";
import { filterGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { subjectOf } from "./manage_users.ts";
import { noteFailure } from "./_failed_sign_in.ts";

export type SignIn =
  /** Signed in, or the second factor is still missing. */
  | { readonly outcome: "open" | "code"; readonly token: string }
  | { readonly outcome: "wrong" }
  | { readonly outcome: "throttled"; readonly retryAfterS: number };

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly origin: Origin;
}

/** An email may have a login in several accounts: the password says which one is meant. */
export async function signIn(deps: Deps, credentials: Credentials): Promise<SignIn> {
  const { password, origin, origin: { ip } } = credentials;
  const email = credentials.email.trim().toLowerCase().slice(0, 254);
  const logins = await filterGenuine(deps, Users, await loginsWith(deps.db, email));
  const parties = await partiesOf(deps, { logins, email, ip });
  const retryAfterS = await secondsToWait(deps, first(parties).rules);
  if (retryAfterS !== undefined) return { outcome: "throttled", retryAfterS };
  const guess = await look(deps, { parties, email, ip, password });
  if (guess.retryAfterS !== undefined) return { outcome: "throttled", ...guess };
  const { user, charged } = guess;
  if (!user || !await isNewestUser(deps, user)) {
    await noteFailure(deps, { email, user: user ?? logins[0], origin });
    return { outcome: "wrong" };
  }
  return await begin(deps, {
    user,
    hash: present(user.passwordHash, "It matched"),
    charged,
    origin,
  });
}

/** Logins to which the same rules apply. */
interface Party {
  readonly isKnown: boolean;
  readonly rules: GuessRules;
  readonly users: readonly UserRow[];
}

/**
 * Those who signed in from there before, if any, and strangers, always: whoever has a login with
 * somebody else's email guesses at that one's password as a stranger, and can't tell whether there
 * is one.
 */
async function partiesOf(
  deps: Deps,
  { logins, email, ip }: { logins: readonly UserRow[]; email: string; ip: string },
): Promise<Party[]> {
  const users = logins.filter(({ disabledAtMs }) => disabledAtMs === null);
  // Also looked up for unknown users, so that it takes as long.
  const ids = users.length === 0 ? [0] : users.map(({ id }) => id);
  const areKnown = await Promise.all(ids.map((userId) => isKnownAddress(deps, { userId, ip })));
  const partyOf = (isKnown: boolean): Party => ({
    isKnown,
    rules: signInRulesOf({ who: email, ip, isKnown }),
    users: users.filter((_, i) => areKnown[i] === isKnown),
  });
  return areKnown.includes(true) ? [partyOf(true), partyOf(false)] : [partyOf(false)];
}

interface GuessGiven {
  readonly parties: readonly Party[];
  readonly email: string;
  readonly ip: string;
  readonly password: string;
}

type Looked =
  | {
    readonly user: UserRow | undefined;
    readonly charged: readonly Budget[];
    readonly retryAfterS?: never;
  }
  | { readonly retryAfterS: number };

/** A try counts when its turn comes. One that was turned away before that was no guess. */
function look(deps: Deps, { parties, email, ip, password }: GuessGiven): Promise<Looked> {
  const asker = first(parties).isKnown
    ? { isKnown: true } as const
    : { isKnown: false, marks: [`from ${ipSource(ip, 48)}`, `at ${email}`] } as const;
  return deps.passwords.guess(asker, async (_, matchIn): Promise<Looked> => {
    const charged: Budget[] = [];
    const users: UserRow[] = [];
    for (const party of parties) {
      const counted = await countTry(deps, party.rules);
      if (counted.retryAfterS !== undefined) {
        if (party === first(parties)) return counted;
        continue;
      }
      charged.push(...counted.charged);
      users.push(...party.users);
    }
    const hashes = users.flatMap(({ passwordHash }) => passwordHash ?? []);
    // An unknown user takes as long as a wrong password.
    const hash = await matchIn(password, hashes.length === 0 ? [deps.passwords.decoyHash] : hashes);
    return { user: users.find(({ passwordHash }) => hash && passwordHash === hash), charged };
  });
}

async function begin(
  deps: Deps,
  { user: { id }, hash, charged, origin }: {
    user: UserRow;
    hash: string;
    charged: readonly Budget[];
    origin: Origin;
  },
): Promise<SignIn> {
  const { token, tokenHash } = newToken();
  return await deps.db.write({
    reads: [read(Users, [id]), ...throttleReads(charged)],
    decide: (view): SignIn => {
      const user = view.find(Users, [id]);
      if (user?.passwordHash !== hash || user.disabledAtMs !== null) return { outcome: "wrong" };
      if (user.accountId !== null) view.charge(user.accountId);
      const nowMs = deps.clock.nowMs();
      takeBackTry(view, { ...deps, charged });
      const stage = hasSecondFactor(user) ? "code" : "open";
      openSession(view, { user, tokenHash, stage, origin, nowMs });
      const actor = userActor(user, origin);
      const action = stage === "open" ? "user.signed_in" : "user.password_given";
      recordAudit(view, { actor, action, subject: subjectOf(user), nowMs });
      return { outcome: stage, token };
    },
  });
}
