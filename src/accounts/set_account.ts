import { coolingMsOf } from "./receiving_wallet.ts";
import { type AccountRow, Accounts } from "./tables/accounts.ts";
import { findAccount } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import { guardOf, isLessStrict } from "../control/guard.ts";
import { type By, changedText, guarded } from "../control/guarded.ts";
import { noteSwitch, twoPeople } from "../control/two_people.ts";
import type { Deps } from "../deps/deps.ts";

interface AccountSettings {
  readonly name?: string;
  readonly mayPush?: boolean;
  readonly coolingMs?: number;
  readonly requiresSecondFactor?: boolean;
  readonly dualControl?: boolean;
  /** A symbol in any case; null: none. */
  readonly reporting?: string | null;
  /** How many megabytes are stored for it a day at most. */
  readonly quotaMb?: number;
  readonly delegatesNative?: boolean;
}

interface AccountOrder {
  readonly id: number;
  readonly change: AccountSettings;
}

export const accountSet = guarded({
  kind: "account.set",
  ability: null,
  sentence: ({ id, change }: AccountOrder) =>
    `change account ${id}: ${changedText(change, SETTING_NAMES)}`,
  run: (deps, wanted, how) => setAccount(deps, { ...wanted, ...how }),
});

const SETTING_NAMES = {
  name: "name",
  mayPush: "users may bump, resend and revoke",
  coolingMs: "waiting time of receiving wallets",
  requiresSecondFactor: "second factor required",
  dualControl: "dual control",
  reporting: "reporting currency",
  quotaMb: "megabytes stored a day",
  delegatesNative: "addresses that take native coins delegate too",
};

export async function setAccount(
  deps: Deps,
  { id, change: wanted, actor, mandate }: AccountOrder & By,
): Promise<AccountRow> {
  const change = wanted.reporting
    ? { ...wanted, reporting: wanted.reporting.toUpperCase() }
    : wanted;
  await findAccount(deps, id);
  const guard = await guardOf(deps, { accountId: id, mandate });
  const { reads, mustBeThere } = await twoPeople(deps, id);
  return await deps.db.write({
    reads: [...guard.reads, ...reads],
    decide: (view) => {
      const before = view.get(Accounts, [id]);
      const nowMs = deps.clock.nowMs();
      const isLooser = isLess(before, change);
      guard.pass(view, { isLooser, before: settingsOf(before), after: change });
      const detail = { before, change };
      const action = "account.changed";
      const subject = `account:${id}`;
      recordAudit(view, { actor, action, subject, detail, nowMs });
      noteSwitch(view, { accountId: id, before, change, actor, mustBeThere });
      return view.update(Accounts, before, change);
    },
  });
}

function settingsOf(row: AccountRow): object {
  const { name, mayPush, coolingMs, requiresSecondFactor, dualControl, reporting, quotaMb } = row;
  const { delegatesNative } = row;
  const settings = { name, mayPush, coolingMs, requiresSecondFactor, dualControl, reporting };
  return { ...settings, quotaMb, delegatesNative };
}

/** Whether the account is less protected then. */
function isLess(before: AccountRow, change: AccountSettings): boolean {
  const { coolingMs } = change;
  return coolingMs !== undefined && coolingMs < coolingMsOf(before) ||
    isLessStrict(before, change);
}
