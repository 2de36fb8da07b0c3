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

/** Balances that were put back, where none of them can be named. */
export const BALANCES_CHANGED: NewAlert = {
  kind: "tampered",
  subject: `${Balances.name}:all`,
  message: "The balances are not what this gateway wrote last: nothing is paid until you have " +
    'looked ("reconcile"), and "integrity resume" takes them as they stand',
};

/** For those who list what is wrong. */
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
  /** How often operators had taken them for right. */
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

  /** What was proven once is only given up for an operator's word: a restart would know less. */
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

/** Whoever has read all of them once need not do so for each payment. */
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
 * A hold is paid only while all balances together come to the sum that is kept beside the log: a
 * balance that was put back to before a payment does not, whatever became of the ledger. All are read
 * once; from then on each new entry moves what is known of them, so a restart makes nothing old right.
 */
export async function checkBalancesAddUp(deps: Deps, hold: LedgerEntryRow): Promise<void> {
  if (!deps.db.seals()?.areSummed) return;
  const prover = provers.get(deps.db) ?? new Prover();
  provers.set(deps.db, prover);
  await prover.run({ deps, hold });
}
