import type { Bytes } from "../base/bytes.ts";
import { NOBODY, type RequestCountRow } from "./table.ts";

const HOUR_MS = 3_600_000;
/** A flood costs the memory and the writer no more than this. */
const WAITING_MAX = 256;
/** Per account; a request whose sender isn't known to own the key may take the smaller part. */
const PER_HOUR_MAX = { all: 100, unproven: 40 };
const COUNTERS_MAX = 20_000;

interface Request {
  readonly accountId: number;
  readonly keyId: string;
  /** The endpoint's pattern. */
  readonly route: string;
  readonly method: string;
  readonly atMs: number;
}

export interface Described {
  readonly target: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly reason: string;
  readonly ip: string;
  readonly requestId: string;
  readonly skewS: number | null;
  readonly canonical: string | null;
  readonly body: Bytes;
}

export interface Rejection extends Request, Described {
  /** Its signature was right. */
  readonly isProven: boolean;
}

/** What is to be written. */
export interface Notes {
  readonly counts: readonly RequestCountRow[];
  readonly rejections: readonly Rejection[];
}

type Count = { -readonly [F in keyof RequestCountRow]: RequestCountRow[F] };

/** Requests since the last time they were written. No request waits for it. */
export class RequestNotes {
  /** Of this hour, by key and endpoint. */
  readonly #counts = new Map<string, Map<string, Count>>();
  /** Of earlier hours, and those that could not be written. */
  #older: RequestCountRow[] = [];
  #size = 0;
  #rejections: Rejection[] = [];
  #hourMs = 0;
  /** By account: how many of this hour are kept. */
  readonly #kept = new Map<number, { all: number; unproven: number }>();

  succeeded(
    { accountId, keyId }: Pick<Request, "accountId" | "keyId">,
    { route, method, atMs }: Pick<Request, "route" | "method" | "atMs">,
  ): void {
    this.#counter({ accountId, keyId, route, method, atMs }).succeeded++;
  }

  /** Describing it costs something, so it is done only for those that are kept. */
  rejected(
    request: Request,
    { isProven, describe }: { isProven: boolean; describe(): Described },
  ): void {
    this.#counter(request).rejected++;
    if (!this.#hasRoom(request, isProven)) return;
    this.#rejections.push({ ...request, ...describe(), isProven });
  }

  /** Rejected, and no account's. */
  strange(atMs: number): void {
    const nobody = { accountId: NOBODY, keyId: "", route: "", method: "" };
    this.#counter({ ...nobody, atMs }).rejected++;
  }

  /** Hands over some of the notes; the rest follows at the next call. */
  take({ countsMax, rejectionsMax }: { countsMax: number; rejectionsMax: number }): Notes {
    const rejections = this.#rejections.splice(0, rejectionsMax);
    if (this.#older.length === 0) this.#endCounts();
    const counts = this.#older.splice(0, countsMax);
    this.#size -= counts.length;
    return { counts, rejections };
  }

  /** They were not written, so they still count. */
  putBack(counts: readonly RequestCountRow[]): void {
    if (this.#size + counts.length > COUNTERS_MAX) return;
    this.#older.push(...counts);
    this.#size += counts.length;
  }

  #endCounts(): void {
    for (const byRoute of this.#counts.values()) this.#older.push(...byRoute.values());
    this.#counts.clear();
  }

  #counter({ accountId, keyId, route, method, atMs }: Request): Count {
    this.#enter(atMs - atMs % HOUR_MS);
    let byRoute = this.#counts.get(keyId);
    if (!byRoute) this.#counts.set(keyId, byRoute = new Map());
    const name = method === "" ? route : `${method} ${route}`;
    const known = byRoute.get(name);
    if (known) return known;
    const hourMs = this.#hourMs;
    const fresh = { accountId, keyId, route: name, hourMs, succeeded: 0, rejected: 0 };
    // More than that is not counted.
    if (this.#size >= COUNTERS_MAX) return fresh;
    byRoute.set(name, fresh);
    this.#size++;
    return fresh;
  }

  #enter(hourMs: number): void {
    if (hourMs === this.#hourMs) return;
    this.#endCounts();
    this.#kept.clear();
    this.#hourMs = hourMs;
  }

  #hasRoom({ accountId }: Request, isProven: boolean): boolean {
    if (this.#rejections.length >= WAITING_MAX) return false;
    const kept = this.#kept.getOrInsertComputed(accountId, () => ({ all: 0, unproven: 0 }));
    if (kept.all >= PER_HOUR_MAX.all) return false;
    if (!isProven && kept.unproven >= PER_HOUR_MAX.unproven) return false;
    kept.all++;
    if (!isProven) kept.unproven++;
    return true;
  }
}
