import type { Deps } from "../actions/deps.ts";
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
}

export const ALL_WELL: Standing = { stop: undefined, suspended: undefined };

export async function standingOf({ db }: Deps, { accountId }: UserRow): Promise<Standing> {
  const [stop, account] = await Promise.all([
    findStop(db),
    accountId === null ? undefined : db.find(Accounts, [accountId]),
  ]);
  const isSuspended = account !== undefined && account.suspendedAtMs !== null;
  return { stop, suspended: isSuspended ? account : undefined };
}
