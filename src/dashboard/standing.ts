import type { Deps } from "../actions/deps.ts";
import { findStop } from "../actions/manage_stop.ts";
import type { AccountRow } from "../store/rows.ts";
import { Accounts } from "../store/setup_tables.ts";
import type { StopRow } from "../store/stop_table.ts";
import type { UserRow } from "../store/user_tables.ts";

/** What every page says above all else. */
export interface Standing {
  /** While nothing is signed. */
  readonly stop: StopRow | undefined;
  /** The user's own account, while it is suspended. */
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
