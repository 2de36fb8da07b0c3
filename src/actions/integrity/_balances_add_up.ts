import { KeyedBatches } from "../../base/waiting/batches.ts";
import type { Db } from "../../store/engine/db.ts";
import { Balances, type LedgerEntryRow } from "../../store/tables/ledger.ts";
import type { Seals } from "../../store/engine/seals.ts";
import { Alerts } from "../../store/tables/alerts.ts";
import { type NewAlert, raiseAlert } from "../books/alerts.ts";
import { CannotPayYet } from "../books/cannot_pay.ts";
import { catchUp, readBalances, type Summed } from "./sum_balances.ts";
import { TamperedRow } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";

const TOGETHER_MAX = 500;

/** For balances that were put back, when it can't be said which. */
export const BALANCES_CHANGED: NewAlert = {
  kind: "tampered",
  subject: `${Balances.name}:all`,
  message: "The balances are not what this gateway wrote last: nothing is paid until you have " +
    'looked ("reconcile"), and "integrity resume" takes them as they stand',
};

/** For listings of what is wrong. */
export function balancesChanged(): TamperedRow {
  const why = "The balances are not what this gateway wrote last";
  return new TamperedRow(Balances.name, { key: "all", accountId: null }, why);
}

class NotProven extends CannotPayYet {
  override name = "NotProven";

  constructor() {
    super("Nothing proves that the balances are not older ones");
  }
}

interface Job {
  readonly deps: Deps;
  readonly hold: LedgerEntryRow;
}

interface Known {
  readonly summed: Summed;
  /** How often operators had accepted them as they were. */
  readonly turn: number;
}

class Prover {
  #known: Known | undefined;
  readonly #queue = new KeyedBatches(TOGETHER_MAX);

  run(job: Job): Promise<void> {
    return this.#queue.run("", { job, work: (jobs) => this.#proveAll(jobs) });
  }

  async #proveAll(jobs: readonly Job[]): Promise<PromiseSettledResult<void>[]> {
    const { deps } = jobs[0]!;
    if (!await this.#isProven(deps)) {
      await raiseAlert(deps, BALANCES_CHANGED);
      throw new NotProven();
    }
    const { lastId } = this.#known!.summed;
    return await Promise.allSettled(
      jobs.map(({ hold }) =>
        hold.id <= lastId ? Promise.resolve() : Promise.reject(new NotProven())
      ),
    );
  }

  /**
   * Once proven, only an operator's acceptance makes it start over, because a restart would know
   * less.
   */
  async #isProven(deps: Deps): Promise<boolean> {
    const seals = deps.db.seals()!;
    if (this.#known) {
      const { summed, turn } = this.#known;
      const { kept, difference, accept } = await catchUp(deps.db, summed, seals);
      if (kept.turn <= turn) {
        const isRight = kept.turn === turn && difference === 0n;
        if (isRight) accept();
        return isRight;
      }
    } else if (await isTold(deps)) return false;
    this.#known = await begin(deps.db, seals);
    return this.#known !== undefined;
  }
}

/** After the alert, not every payment needs to read all balances again. */
async function isTold({ db }: Deps): Promise<boolean> {
  const { kind, subject } = BALANCES_CHANGED;
  return await db.find(Alerts, [kind, subject, 1], "open") !== undefined;
}

async function begin(db: Db, seals: Seals): Promise<Known | undefined> {
  const summed = await readBalances(db, seals);
  const { kept, difference, accept } = await catchUp(db, summed, seals);
  if (difference !== 0n) return undefined;
  accept();
  return { summed, turn: kept.turn };
}

const provers = new WeakMap<Db, Prover>();

/**
 * A hold is paid only while the sum of all balances matches the one kept beside the log. A balance
 * that was put back to before a payment changes the sum, whatever happened to the ledger. All are
 * read once; after that each new entry updates the sum, so a restart can't make an old state right.
 */
export async function checkBalancesAddUp(deps: Deps, hold: LedgerEntryRow): Promise<void> {
  if (!deps.db.seals()?.areSummed) return;
  const prover = provers.get(deps.db) ?? new Prover();
  provers.set(deps.db, prover);
  await prover.run({ deps, hold });
}
