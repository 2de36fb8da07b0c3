import { hasSecondFactor } from "./rules/second_factors.ts";
import { Settings, type SettingsRow, type UserRow } from "./tables/users.ts";
import { Accounts } from "../accounts/tables/accounts.ts";
import { recordAudit } from "../books/records.ts";
import { isGenuine } from "../books/tampered.ts";
import { guardOf, isLessStrict, subjectFor } from "../control/guard.ts";
import { type By, changedText, guarded } from "../control/guarded.ts";
import { noteSwitch, twoPeople } from "../control/two_people.ts";
import type { Deps } from "../deps/deps.ts";

const ID = 1;
const UNSET: SettingsRow = { id: ID, requiresSecondFactor: false, dualControl: null };

export async function settingsOf({ db }: Pick<Deps, "db">): Promise<SettingsRow> {
  return await db.find(Settings, [ID]) ?? UNSET;
}

interface SettingsOrder {
  readonly change: {
    readonly requiresSecondFactor?: boolean;
    readonly dualControl?: boolean;
  };
}

export const settingSet = guarded({
  kind: "setting.set",
  ability: null,
  sentence: ({ change }: SettingsOrder) =>
    `change the settings: ${
      changedText(change, {
        requiresSecondFactor: "second factor required",
        dualControl: "dual control",
      })
    }`,
  run: (deps, wanted, how) => setSettings(deps, { ...wanted, ...how }),
});

export async function setSettings(
  deps: Deps,
  { change, actor, mandate }: SettingsOrder & By,
): Promise<SettingsRow> {
  const guard = await guardOf(deps, { accountId: null, mandate });
  const { reads, mustBeThere } = await twoPeople(deps, null);
  const subject = subjectFor(null);
  return await deps.db.write({
    reads: [...guard.reads, ...reads],
    decide: (view) => {
      const row = view.find(Settings, [ID]);
      const before = row ?? UNSET;
      const isLooser = isLessStrict(before, change);
      const nowMs = deps.clock.nowMs();
      guard.pass(view, { isLooser, before, after: change });
      recordAudit(view, {
        ...{ actor, action: "settings.changed", subject, detail: { before, change }, nowMs },
      });
      noteSwitch(view, { accountId: null, before, change, actor, mustBeThere });
      return row
        ? view.update(Settings, row, change)
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
  return !hasSecondFactor(user) && await isFactorRequired(deps, user);
}
