import { present } from "../base/assert.ts";
import { first } from "../base/lists.ts";
import type { Db } from "../store/engine/db.ts";
import { Balances, type LedgerEntryRow } from "../books/table.ts";
import type { Seals } from "../store/engine/seals.ts";
import { Alerts } from "../alerts/table.ts";
import { type NewAlert, raiseAlert } from "../books/alerts.ts";
import { Unproven } from "../domain/cannot_pay.ts";
import { catchUp, readBalances } from "./sum_balances.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import type { Deps } from "../deps/deps.ts";
import type { ProvenBalances } from "../deps/memory.ts";

/** For balances that were put back, when it can't be said which. */
export const BALANCES_CHANGED: NewAlert = {
  kind: "tampered",
  subject: `${Balances.name}:all`,
  message:
    "The balances are not what this gateway wrote last: nothing is paid until you have looked",
  advice: { code: "accept_balances" },
};

/** For listings of what is wrong. */
export function balancesChanged(): TamperedRow {
  const why = "The balances are not what this gateway wrote last";
  return new TamperedRow(Balances.name, { key: "all", accountId: null }, why);
}

class NotProven extends Unproven {
  override name = "NotProven";

  constructor() {
    super("Nothing proves that the balances are not older ones");
  }
}

interface Job {
  readonly deps: Deps;
  readonly hold: LedgerEntryRow;
}

async function proveAll(jobs: readonly Job[]): Promise<PromiseSettledResult<void>[]> {
  const { deps } = first(jobs);
  const proven = await prove(deps);
  if (!proven) {
    await raiseAlert(deps, BALANCES_CHANGED);
    throw new NotProven();
  }
  const { lastId } = proven.summed;
  return await Promise.allSettled(
    jobs.map(({ hold }) => hold.id <= lastId ? Promise.resolve() : Promise.reject(new NotProven())),
  );
}

/**
 * Once proven, only an operator's acceptance makes it start over, because a restart would know
 * less.
 */
async function prove(deps: Deps): Promise<ProvenBalances | undefined> {
  const { db, memory } = deps;
  const known = memory.provenBalances;
  const seals = present(db.seals(), "Books are open");
  if (known) {
    const { kept, difference, accept } = await catchUp(db, known.summed, seals);
    if (kept.turn <= known.turn) {
      if (kept.turn !== known.turn || difference !== 0n) return undefined;
      accept();
      return known;
    }
  } else if (await isAlerted(deps)) return undefined;
  return memory.provenBalances = await begin(db, seals);
}

/** After the alert, not every payment needs to read all balances again. */
async function isAlerted({ db }: Deps): Promise<boolean> {
  const { kind, subject } = BALANCES_CHANGED;
  return await db.find(Alerts, [kind, subject, 1], "open") !== undefined;
}

async function begin(db: Db, seals: Seals): Promise<ProvenBalances | undefined> {
  const summed = await readBalances(db, seals);
  const { kept, difference, accept } = await catchUp(db, summed, seals);
  if (difference !== 0n) return undefined;
  accept();
  return { summed, turn: kept.turn };
}

/**
 * A hold is paid only while the sum of all balances matches the one kept beside the log. A balance
 * that was put back to before a payment changes the sum, whatever happened to the ledger. All are
 * read once; after that each new entry updates the sum, so a restart can't make an old state right.
 */
export async function checkBalancesAddUp(deps: Deps, hold: LedgerEntryRow): Promise<void> {
  if (!deps.db.seals()?.areSummed) return;
  const job = { deps, hold };
  await deps.memory.balancesQueue.run("", { job, work: proveAll, owner: deps.db });
}
