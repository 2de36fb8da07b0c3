import { randomToken } from "../base/bytes.ts";
import { lookUntil, sleep } from "../base/clock.ts";
import { allInstances, beatsOf, instancesAndLeases } from "./reads/instances.ts";
import { type InstanceRow, Instances, type LeaseRow } from "./table.ts";
import type { Db } from "../store/engine/db.ts";
import { read, readAll } from "../store/engine/workspace.ts";
import { type Vault, WrongMasterKey } from "../keys/vault.ts";
import type { Deps } from "../deps/deps.ts";
import { followMasterKey } from "./follow_master_key.ts";

const LOOK_EVERY_MS = 1_000;
const BEAT_EVERY_MS = 2_000;
/** Long enough for a busy machine, short enough for a take-over within ten seconds. */
const GONE_AFTER_MS = 5_000;
const FORGOTTEN_AFTER_MS = 60_000;
const SERVING_WITHIN_MS = 15_000;

interface Seen {
  readonly beat: number;
  readonly sinceMs: number;
}

/**
 * This program among those that serve the same database. Each shows that it lives by its beat,
 * which the others watch by their own clocks.
 */
export class Membership {
  readonly instance = randomToken(12);
  readonly #deps: Deps;
  readonly #startedAtMs: number;
  readonly #leaving = new AbortController();
  #seen = new Map<string, Seen>();
  #leases = new Map<string, LeaseRow>();
  #beatAtMs = -Infinity;
  #beat = 0;
  #url: { readonly keyId: string; readonly sealed: string } | undefined;
  #loop = Promise.resolve();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#startedAtMs = deps.clock.nowMs();
  }

  /** Looks every second until `leave` is called. */
  async start(): Promise<void> {
    await this.look();
    this.#loop = this.#run();
  }

  /** After this, others may take over at once. */
  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#loop;
    await this.#deps.db.write({
      reads: [read(Instances, [this.instance])],
      decide: (view) => {
        const own = view.find(Instances, [this.instance]);
        if (own) view.remove(Instances, own);
      },
    });
  }

  /** As of the last look. */
  lease(job: string, network: string): LeaseRow | undefined {
    return this.#leases.get(nameOf(job, network));
  }

  isGone(instance: string): boolean {
    return instance !== this.instance && this.#stillForMs(instance) > GONE_AFTER_MS;
  }

  /** Looks at the others and now and then shows that it lives. */
  async look(): Promise<void> {
    const { db, clock } = this.#deps;
    await followMasterKey(this.#deps);
    const { instances, leases } = await instancesAndLeases(db);
    const nowMs = clock.nowMs();
    const before = this.#seen;
    this.#seen = new Map(
      instances.map((row) => [row.instance, seenNow(row, before.get(row.instance), nowMs)]),
    );
    this.#leases = new Map(leases.map((row) => [nameOf(row.job, row.network), row]));
    const isDue = nowMs - this.#beatAtMs >= BEAT_EVERY_MS || nowMs < this.#beatAtMs;
    if (isDue && !this.#leaving.signal.aborted) await this.#showLife(nowMs);
  }

  async #showLife(nowMs: number): Promise<void> {
    const { db, vault } = this.#deps;
    const names = [...this.#seen.keys()];
    const forgotten = names.filter((name) => this.#stillForMs(name) > FORGOTTEN_AFTER_MS);
    const publicUrl = await this.#sealedUrl();
    await db.write({
      reads: readAll(Instances, [this.instance, ...forgotten].map((name) => [name])),
      decide: (view) => {
        for (const name of forgotten) {
          const row = view.find(Instances, [name]);
          if (row && name !== this.instance) view.remove(Instances, row);
        }
        const masterKeyId = vault.keyId();
        const fields = { beat: ++this.#beat, masterKeyId, seenAtMs: nowMs, publicUrl };
        const own = view.find(Instances, [this.instance]);
        if (own) return view.update(Instances, own, fields);
        const { instance } = this;
        return view.insertKeyed(Instances, { instance, startedAtMs: this.#startedAtMs, ...fields });
      },
    });
    this.#beatAtMs = nowMs;
  }

  /** Whoever only writes to the database leads no payer elsewhere. */
  async #sealedUrl(): Promise<string> {
    const { vault, publicUrl } = this.#deps;
    const keyId = vault.keyId();
    if (this.#url?.keyId !== keyId) {
      const sealed = await vault.seal(publicUrl, urlContext(this.instance));
      this.#url = { keyId, sealed };
    }
    return this.#url.sealed;
  }

  async #run(): Promise<void> {
    while (!this.#leaving.signal.aborted) {
      await sleep(LOOK_EVERY_MS, this.#leaving.signal);
      await this.look().catch((error) => {
        this.#deps.log.warn("the other instances cannot be seen", { error });
      });
    }
  }

  #stillForMs(instance: string): number {
    const seen = this.#seen.get(instance);
    return seen ? this.#deps.clock.nowMs() - seen.sinceMs : Infinity;
  }
}

/** Who serves this database, as far as clocks agree. A killed instance is listed a little longer. */
export async function servingInstances(
  { db, clock }: Pick<Deps, "db" | "clock">,
): Promise<InstanceRow[]> {
  const sinceMs = clock.nowMs() - SERVING_WITHIN_MS;
  return (await allInstances(db)).filter(({ seenAtMs }) => seenAtMs > sinceMs);
}

/**
 * Where payers reach a running server: a command may run with another environment, and a link is to
 * work. What the environment says if no server runs, or one of them says the same.
 */
export async function servedAt(
  deps: Pick<Deps, "db" | "clock" | "vault" | "publicUrl">,
): Promise<string> {
  const serving = await servingInstances(deps);
  const newestFirst = serving.toSorted((a, b) => b.seenAtMs - a.seenAtMs);
  const urls = (await Promise.all(newestFirst.map((row) => urlOf(deps.vault, row))))
    .filter((url) => url !== undefined);
  return urls.includes(deps.publicUrl) ? deps.publicUrl : urls[0] ?? deps.publicUrl;
}

async function urlOf(
  vault: Vault,
  { instance, publicUrl }: InstanceRow,
): Promise<string | undefined> {
  if (publicUrl === null) return undefined;
  return await vault.open(publicUrl, urlContext(instance)).catch((error) => {
    // It was written with another master key, or by somebody else.
    if (!(error instanceof WrongMasterKey)) throw error;
    return undefined;
  });
}

function urlContext(instance: string): string {
  return `instances.public_url ${instance}`;
}

/**
 * Whether any program is alive: only a beat that changes shows that, because no clock needs to be
 * right. A dead program's row costs five seconds. Only the table of instances is read, so that an
 * older database can be asked.
 */
export async function isServed(db: Db): Promise<boolean> {
  const before = await beatsOf(db);
  const isLiving = (now: ReadonlyMap<string, number>) =>
    [...now].some(([instance, beat]) => before.get(instance) !== beat);
  if (before.size === 0) return false;
  const now = await lookUntil(() => beatsOf(db), {
    isSo: (beats) => beats.size === 0 || isLiving(beats),
    waitMs: GONE_AFTER_MS,
  });
  return isLiving(now);
}

/** Since when its beat hasn't changed. A clock that was set back restarts the measurement. */
function seenNow({ beat }: InstanceRow, before: Seen | undefined, nowMs: number): Seen {
  return before?.beat === beat && before.sinceMs <= nowMs ? before : { beat, sinceMs: nowMs };
}

function nameOf(job: string, network: string): string {
  return `${job} ${network}`;
}
