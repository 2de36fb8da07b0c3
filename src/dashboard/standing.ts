import type { Deps } from "../actions/deps.ts";
import { mustSetUpFactor } from "../actions/access/require_second_factor.ts";
import { findStop } from "../actions/integrity/manage_stop.ts";
import { type AccountRow, Accounts } from "../store/tables/setup.ts";
import type { StopRow } from "../store/tables/stops.ts";
import type { UserRow } from "../store/tables/users.ts";

/** Shown at the top of every page. */
export interface Standing {
  /** Set while nothing is signed. */
  readonly stop: StopRow | undefined;
  /** The user's own account, if it is suspended. */
  readonly suspended: AccountRow | undefined;
  /** The user must set up a second factor before anything else. */
  readonly mustSetUp: boolean;
}

export const ALL_WELL: Standing = { stop: undefined, suspended: undefined, mustSetUp: false };

export async function standingOf(deps: Deps, user: UserRow): Promise<Standing> {
  const { db } = deps;
  const { accountId } = user;
  const [stop, account, mustSetUp] = await Promise.all([
    findStop(db),
    accountId === null ? undefined : db.find(Accounts, [accountId]),
    mustSetUpFactor(deps, user),
  ]);
  const isSuspended = account !== undefined && account.suspendedAtMs !== null;
  return { stop, suspended: isSuspended ? account : undefined, mustSetUp };
}
