import type { Db } from "../store/engine/db.ts";
import { type LeaseRow, Leases } from "./table.ts";
import { read } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";
import type { Membership } from "./membership.ts";

/** Decides which instance of a database does a job. */
export interface JobHolder {
  /** The dependencies for the job while this instance holds it; undefined while another one does. */
  hold(job: string, network?: string): Promise<Deps | undefined>;
}

/** Another instance has taken the job over, so nothing is written. */
class LeaseLost extends Error {
  override name = "LeaseLost";
}

/** False if another instance does the job or took it over midway. */
export async function doJob(
  jobs: JobHolder,
  { job, network }: { job: string; network?: string },
  work: (deps: Deps) => Promise<void>,
): Promise<boolean> {
  const deps = await jobs.hold(job, network);
  if (!deps) return false;
  try {
    await work(deps);
    return true;
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    deps.log.info("job lost", { job, network });
    return false;
  }
}

/** What went wrong. A step that fails doesn't stop those after it, but the loss of the job does. */
export async function doSteps(steps: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const step of steps) {
    await step().catch((error) => {
      if (error instanceof LeaseLost) throw error;
      errors.push(error);
    });
  }
  return errors;
}

/** As `doSteps`, and then throws all that went wrong. */
export async function doAll(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors = await doSteps(steps);
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join("; "));
  if (errors.length > 0) throw errors[0];
}

/** Alone on its database, an instance does everything. */
export function holdEverything(deps: Deps): JobHolder {
  return { hold: () => Promise.resolve(deps) };
}

/**
 * One instance per job. Every unit of a job checks its lease's fence in the same commit, so an
 * instance that was paused and wakes up after a take-over can't write.
 */
export function createJobHolder(deps: Deps, membership: Membership): JobHolder {
  const held = new Map<string, { lease: LeaseRow; deps: Deps }>();

  async function take(job: string, network: string): Promise<LeaseRow | undefined> {
    return await deps.db.write({
      reads: [read(Leases, [job, network])],
      decide: (view) => {
        const stored = view.find(Leases, [job, network]);
        if (!stored) {
          const { instance } = membership;
          return view.insertKeyed(Leases, { job, network, instance, fence: 1 });
        }
        if (!isFree(stored, membership)) return undefined;
        const { instance } = membership;
        return view.update(Leases, stored, { instance, fence: stored.fence + 1 });
      },
    });
  }

  return {
    hold: async (job, network = "") => {
      const name = `${job} ${network}`;
      const known = membership.lease(job, network);
      const mine = held.get(name);
      // A lease just taken isn't in the last look yet.
      const isMine = mine && (!known || known.fence <= mine.lease.fence);
      if (isMine) return mine.deps;
      held.delete(name);
      if (known && !isFree(known, membership)) return undefined;
      const lease = await take(job, network);
      if (!lease) return undefined;
      deps.log.info("job taken", { job, network, fence: lease.fence });
      const fencedDeps = { ...deps, db: fenced(deps.db, lease) };
      held.set(name, { lease, deps: fencedDeps });
      return fencedDeps;
    },
  };
}

function isFree({ instance }: LeaseRow, membership: Membership): boolean {
  return instance === null || instance === membership.instance || membership.isGone(instance);
}

function fenced(db: Db, { job, network, fence }: LeaseRow): Db {
  return {
    ...db,
    write: (unit) =>
      db.write({
        reads: [...unit.reads, read(Leases, [job, network])],
        decide: (view) => {
          if (view.find(Leases, [job, network])?.fence !== fence) {
            throw new LeaseLost(`Another instance does ${job} ${network} now`);
          }
          return unit.decide(view);
        },
      }),
  };
}
