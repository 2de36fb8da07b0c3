import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The time of a simulation. All that waits for anything (a timer, a node, the disk, a thread that
 * computes a hash) is an event here, and one event runs after the other: a turn, with all its
 * promises, has ended before the next begins. Time passes only between turns, and takes none.
 */
export class SimulatedTime {
  #nowMs: number;
  readonly #startMs: number;
  #order = 0;
  readonly #events: Event[] = [];
  /** What really runs elsewhere. Its results are handed over in the order in which it was asked. */
  readonly #real: Real[] = [];
  #turns = 0;
  #watched: { readonly life: Life; left: number; readonly done: () => void } | undefined;
  /** Programs that start, or run a command, and load modules meanwhile. */
  #loading = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
    this.#startMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Since the beginning. */
  get elapsedMs(): number {
    return this.#nowMs - this.#startMs;
  }

  get turns(): number {
    return this.#turns;
  }

  /** Runs it in the program that asks, unless that has died by then. */
  after(ms: number, run: () => void): Event {
    const delayMs = Number.isFinite(ms) ? Math.max(0, Math.trunc(ms)) : 0;
    const event: Event = {
      atMs: this.#nowMs + delayMs,
      order: this.#order++,
      life: lives.getStore(),
      run,
      isCancelled: false,
    };
    push(this.#events, event);
    return event;
  }

  /** In a turn of that program, unless it has died by then; undefined: of nobody's. */
  handOver(life: Life | undefined, run: () => void): void {
    inLife(life?.isOver ? undefined : life, () => this.after(0, life?.isOver ? () => {} : run));
  }

  /** The program's next turn at this time: whatever it awaits, it may die before it. */
  turn(): Promise<void> {
    return this.sleep(0);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Once this program has had so many more turns, or has died: only then is nothing of it missed. */
  afterTurns(life: Life, turns: number): Promise<void> {
    return new Promise((done) => {
      this.#watched = { life, left: turns, done };
      life.atEnd(done);
    });
  }

  /** What a thread or the disk does for real: no time passes meanwhile. */
  real<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const done = work();
      done.catch(() => {});
      this.#real.push({
        life: lives.getStore(),
        settled: done.then((value) => () => resolve(value), (error) => () => reject(error)),
      });
    });
  }

  /** Something that loads modules meanwhile: no time passes before they are there. */
  async withLoading<T>(work: () => Promise<T>): Promise<T> {
    this.#loading++;
    try {
      return await work();
    } finally {
      this.#loading--;
    }
  }

  /** Until nothing is left to happen, this time has come, or `isDone` says so. */
  async run({ untilMs, isDone = () => false }: { untilMs: number; isDone?: () => boolean }) {
    for (;;) {
      await (this.#loading > 0 ? loaded() : drained());
      if (isDone()) return;
      if (this.#watched && this.#watched.left <= 0) {
        this.#watched.done();
        this.#watched = undefined;
        continue;
      }
      const real = this.#real.shift();
      if (real) {
        const hand = await real.settled;
        inLife(real.life, hand);
        this.#turns++;
        continue;
      }
      const event = this.#events[0];
      if (!event || event.atMs > untilMs) {
        this.#nowMs = Math.max(this.#nowMs, untilMs);
        return;
      }
      pop(this.#events);
      if (event.isCancelled) continue;
      this.#nowMs = Math.max(this.#nowMs, event.atMs);
      const asleepUntilMs = event.life?.asleepUntilMs ?? 0;
      if (asleepUntilMs > this.#nowMs) {
        push(this.#events, Object.assign(event, { atMs: asleepUntilMs }));
        continue;
      }
      this.#turns++;
      if (this.#watched && this.#watched.life === event.life) this.#watched.left--;
      inLife(event.life, event.run);
    }
  }
}

interface Event {
  atMs: number;
  readonly order: number;
  readonly life: Life | undefined;
  readonly run: () => void;
  isCancelled: boolean;
}

interface Real {
  readonly life: Life | undefined;
  readonly settled: Promise<() => void>;
}

/** One run of a program, from its start to its end. What a dead one waited for never happens. */
export class Life {
  #isOver = false;
  readonly #atEnd: (() => void)[] = [];
  /** As by SIGSTOP, or with its whole machine: it has no turn until then. */
  asleepUntilMs = 0;

  constructor(readonly name: string) {}

  get isOver(): boolean {
    return this.#isOver;
  }

  /** What the system takes back from a dead program: locks, files, connections. */
  atEnd(release: () => void): void {
    this.#atEnd.push(release);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const release of this.#atEnd.splice(0).reverse()) release();
  }

  run<T>(work: () => T): T {
    return lives.run(this, work);
  }
}

const lives = new AsyncLocalStorage<Life>();

export function currentLife(): Life | undefined {
  return lives.getStore();
}

export function asNobody<T>(work: () => T): T {
  return lives.exit(work);
}

function inLife(life: Life | undefined, run: () => void): void {
  if (!life) return lives.exit(run);
  if (!life.isOver) life.run(run);
}

const setImmediateForReal = setImmediate;

/** All promises that can settle have settled. */
function drained(): Promise<void> {
  return new Promise((resolve) => setImmediateForReal(resolve));
}

/** Modules that are imported when they are needed come from the loader, which says nothing of it. */
async function loaded(): Promise<void> {
  for (let i = 0; i < LOADER_TURNS; i++) await drained();
}

const LOADER_TURNS = 10;

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** A binary heap: the next event comes first. */
function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(event, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = event;
}

function pop(heap: Event[]): void {
  const last = heap.pop()!;
  if (heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
    if (!isBefore(heap[child]!, last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
}
