import { first } from "../base/lists.ts";
import type { Deps } from "../deps/deps.ts";
import { doJob, type JobHolder } from "../upkeep/leases.ts";
import { currentRates } from "./current.ts";
import type { KnownSource } from "./known.ts";
import { readSources } from "./read_sources.ts";
import { kindOf } from "./sources/kinds.ts";
import { Running } from "../base/waiting/running.ts";
import { type Due, dueAfter } from "./rules/schedule.ts";

interface Task {
  readonly name: string;
  /** Those on a network have a lease of their own. */
  readonly network: string;
  readonly everyMs: number;
  /** False: nothing has a price. */
  read(deps: Deps): Promise<boolean>;
}

/** What is read together has its own schedule, so something slow delays nothing else. */
export class RateReader {
  readonly #deps: Deps;
  readonly #jobs: JobHolder;
  readonly #due = new Map<string, Due>();
  readonly #running = new Running();

  constructor(deps: Deps, jobs: JobHolder) {
    this.#deps = deps;
    this.#jobs = jobs;
  }

  /** Starts what is due. */
  async look(): Promise<void> {
    const tasks = tasksOf((await currentRates(this.#deps)).sources);
    const nowMs = this.#deps.clock.nowMs();
    for (const task of tasks) {
      const due = this.#due.get(task.name);
      // A wait longer than possible means that the clock was set back.
      const isWaiting = due && nowMs < due.atMs && due.atMs - nowMs <= due.pauseMs;
      if (isWaiting || this.#running.has(task.name)) continue;
      this.#running.start(task.name, () => this.#run(task));
    }
    const names = new Set(tasks.map(({ name }) => name));
    for (const name of this.#due.keys()) if (!names.has(name)) this.#due.delete(name);
  }

  /** Resolves when nothing is being read. */
  idle(): Promise<void> {
    return this.#running.idle();
  }

  async #run({ name, network, everyMs, read }: Task): Promise<void> {
    const startedAtMs = this.#deps.clock.nowMs();
    let isRead = false;
    try {
      const isMine = await doJob(this.#jobs, { job: "read rates", network }, async (deps) => {
        isRead = await read(deps);
      });
      if (!isMine) isRead = true;
    } catch (error) {
      this.#deps.log.error("rates are not read", { source: name, error });
    }
    const failures = isRead ? 0 : (this.#due.get(name)?.failures ?? 0) + 1;
    this.#due.set(name, dueAfter({ startedAtMs, everyMs, failures }));
  }
}

function tasksOf(sources: readonly KnownSource[]): Task[] {
  const read = sources.filter((source) => source.readAs !== null);
  return Array.from(Map.groupBy(read, nameOf), ([name, together]): Task => ({
    ...{ name, network: first(together).network ?? "" },
    everyMs: Math.min(...together.map(everyMsOf)),
    read: (deps) => readSources(deps, together),
  }));
}

function nameOf(source: KnownSource): string {
  return kindOf(source)?.reads?.together?.(source) ?? `source ${source.id}`;
}

function everyMsOf(source: KnownSource): number {
  return kindOf(source)?.reads?.everyMs ?? (source.maxAgeMs ?? 0) / 2;
}
