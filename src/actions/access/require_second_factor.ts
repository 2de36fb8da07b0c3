import { Accounts } from "../../store/tables/setup.ts";
import { Settings, type SettingsRow, type UserRow } from "../../store/tables/users.ts";
import { read } from "../../store/engine/workspace.ts";
import { isGenuine, mustBeGenuine } from "../books/tampered.ts";
import { recordAudit } from "../books/records.ts";
import { GATEWAY } from "../books/trail.ts";
import type { Actor, Deps } from "../deps.ts";

const ID = 1;
const UNSET: SettingsRow = { id: ID, requiresSecondFactor: false };

export async function settingsOf({ db }: Pick<Deps, "db">): Promise<SettingsRow> {
  return await db.find(Settings, [ID]) ?? UNSET;
}

export async function setSettings(
  deps: Deps,
  { change, actor }: { change: Partial<Omit<SettingsRow, "id">>; actor: Actor },
): Promise<SettingsRow> {
  return await deps.db.write({
    reads: [read(Settings, [ID])],
    decide: (view) => {
      const before = view.find(Settings, [ID]);
      if (before) mustBeGenuine(view, Settings, before);
      const detail = { before: before ?? UNSET, change };
      const nowMs = deps.clock.nowMs();
      recordAudit(view, { actor, action: "settings.changed", subject: GATEWAY, detail, nowMs });
      return before
        ? view.update(Settings, before, change)
        : view.insertKeyed(Settings, { ...UNSET, ...change });
    },
  });
}

/** A row that somebody changed in the database requires it too. */
export async function isFactorRequired(deps: Deps, { accountId }: UserRow): Promise<boolean> {
  if (accountId === null) {
    const row = await deps.db.find(Settings, [ID]);
    return row !== undefined &&
      (row.requiresSecondFactor || !await isGenuine(deps, Settings, row));
  }
  const account = await deps.db.get(Accounts, [accountId]);
  return account.requiresSecondFactor === true || !await isGenuine(deps, Accounts, account);
}

/** The user can't do anything else first. */
export async function mustSetUpFactor(deps: Deps, user: UserRow): Promise<boolean> {
  return user.totpSealed === null && await isFactorRequired(deps, user);
}
