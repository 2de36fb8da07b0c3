import { mustSetUpFactor } from "../access/require_second_factor.ts";
import type { UserRow } from "../access/tables/users.ts";
import { type AccountRow, Accounts } from "../accounts/tables/accounts.ts";
import { type Stored, storedOf } from "../books/quota.ts";
import type { Deps } from "../deps/deps.ts";
import { findStop } from "../integrity/manage_stop.ts";
import type { StopRow } from "../integrity/table.ts";

/** Shown at the top of every page. */
export interface Standing {
  /** Set while nothing is signed. */
  readonly stop: StopRow | undefined;
  /** The user's own account, if it is suspended. */
  readonly suspended: AccountRow | undefined;
  /** What the user's own account has stored today, once that is most of its quota. */
  readonly stored: Stored | undefined;
  /** The user must set up a second factor before anything else. */
  readonly mustSetUp: boolean;
}

export const ALL_WELL: Standing = {
  stop: undefined,
  suspended: undefined,
  stored: undefined,
  mustSetUp: false,
};

/** From here on every page says how much is left. */
const MOST = 0.8;

export async function standingOf(deps: Deps, user: UserRow): Promise<Standing> {
  const { db } = deps;
  const { accountId } = user;
  const [stop, account, mustSetUp] = await Promise.all([
    findStop(db),
    accountId === null ? undefined : db.find(Accounts, [accountId]),
    mustSetUpFactor(deps, user),
  ]);
  const isSuspended = account !== undefined && account.suspendedAtMs !== null;
  const stored = account && await storedOf(deps, account);
  const isNearlyFull = stored !== undefined && stored.bytes >= stored.bytesMax * MOST;
  return {
    ...{ stop, mustSetUp },
    suspended: isSuspended ? account : undefined,
    stored: isNearlyFull ? stored : undefined,
  };
}
