import { Settings } from "../access/tables/users.ts";
import { Accounts } from "../accounts/tables/accounts.ts";
import type { Deps } from "../deps/deps.ts";
import { ActionRefused } from "../domain/refusals/refuse.ts";
import { lastSwitch } from "../proposals/reads.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";

const SETTINGS_ID = 1;
/** Not that of the stop, whose newest row says whether the gateway is stopped. */
const SETTINGS = "settings";

/** As it is shown to whoever decides: without secrets. */
export interface GuardedChange {
  readonly before: object | null;
  readonly after: object | null;
}

/** Somebody else has approved it. The unit that does it uses this up, so it is done once. */
export interface Mandate {
  readonly reads: readonly Read[];
  use(view: View, change: GuardedChange): void;
}

/** Nothing was changed: under dual control it becomes a proposal. */
export class SecondPersonNeeded extends ActionRefused {
  constructor(readonly accountId: number | null, readonly change: GuardedChange) {
    super("second_person_needed", {});
  }
}

export interface Guard {
  readonly reads: readonly Read[];
  /** In the unit that makes the change, before it does. What only makes things stricter passes. */
  pass(view: View, change: GuardedChange & { readonly isLooser: boolean }): void;
}

interface Whose {
  /** Null: it concerns the whole installation. */
  readonly accountId: number | null;
  readonly mandate: Mandate | undefined;
  /** The row that says whether dual control is on is itself what is being repaired. */
  readonly isRepair?: boolean;
}

/** Every change that dual control covers goes through one: the writer refuses those that don't. */
export async function guardOf(
  { db }: Pick<Deps, "db">,
  { accountId, mandate, isRepair = false }: Whose,
): Promise<Guard> {
  const row: Read = accountId === null
    ? read(Settings, [SETTINGS_ID])
    : read(Accounts, [accountId]);
  // Somebody may have set the row back, or deleted it.
  const isSaidToBeOn = await lastSwitch(db, subjectFor(accountId));
  return {
    reads: [row, ...mandate?.reads ?? []],
    pass: (view, { isLooser, before, after }) => {
      if (mandate) mandate.use(view, { before, after });
      else if (isLooser) {
        const current = isDual(view, { accountId, isRepair });
        if (current || isSaidToBeOn) throw new SecondPersonNeeded(accountId, { before, after });
      }
      view.guardPassed();
    },
  };
}

/** For what concerns several accounts, or the whole installation as well. */
export async function guardOfAll(
  deps: Pick<Deps, "db">,
  { accountIds, mandate, isRepair }: Omit<Whose, "accountId"> & {
    readonly accountIds: readonly (number | null)[];
  },
): Promise<Guard> {
  const guards = await Promise.all(
    accountIds.map((accountId) =>
      guardOf(deps, { accountId, mandate: undefined, isRepair: isRepair ?? false })
    ),
  );
  return {
    reads: [...guards.flatMap(({ reads }) => reads), ...mandate?.reads ?? []],
    pass: (view, change) => {
      if (mandate) {
        mandate.use(view, change);
        return view.guardPassed();
      }
      try {
        for (const guard of guards) guard.pass(view, change);
      } catch (error) {
        // Only operators decide about what isn't one account's.
        if (!(error instanceof SecondPersonNeeded)) throw error;
        throw new SecondPersonNeeded(null, error.change);
      }
    },
  };
}

function isDual(
  view: View,
  { accountId, isRepair }: { readonly accountId: number | null; readonly isRepair: boolean },
): boolean {
  const [table, key] = accountId === null
    ? [Settings, SETTINGS_ID] as const
    : [Accounts, accountId] as const;
  const row = (isRepair ? view.raw : view).find<{ readonly dualControl: boolean | null }>(table, [
    key,
  ]);
  return row?.dualControl === true;
}

/** The subject in the audit log of what dual control covers. */
export function subjectFor(accountId: number | null): string {
  return accountId === null ? SETTINGS : `account:${accountId}`;
}

interface Switches {
  readonly requiresSecondFactor?: boolean | null;
  readonly dualControl?: boolean | null;
}

/** In an old row that was put back, dual control may look off already. */
export function isLessStrict(before: Switches, change: Switches): boolean {
  return change.dualControl === false ||
    change.requiresSecondFactor === false && before.requiresSecondFactor === true;
}
