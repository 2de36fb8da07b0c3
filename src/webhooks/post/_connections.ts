import { closeQuietly } from "../../base/net/close_quietly.ts";
import { ALLOWED_BY, hostOf, isPublicAddress, portOf } from "./allowed_target.ts";
import type { ResolveFor } from "./_lookups.ts";
import { type Connection, connectTls } from "../../base/net/tls.ts";

interface ConnectionOptions {
  readonly resolve: ResolveFor;
  readonly isPrivateAllowed: boolean;
  /** Trusted in addition to the system's certificates. */
  readonly caCerts: readonly string[];
}

const ADDRESSES_TRIED_MAX = 3;
const IDLE_MAX_MS = 4_000;
/** After this, a name is looked up again. */
const AGE_MAX_MS = 60_000;
/** Several webhooks may share a host. */
const IDLE_PER_HOST_MAX = 64;
const BUFFER_BYTES = 16 * 1024;

class TargetRefused extends Error {
  override name = "TargetRefused";
}

export interface Held {
  readonly connection: Connection;
  readonly openedAtMs: number;
  readonly isUsed: boolean;
  /** The read buffer: one per connection, not one per answer. */
  readonly buffer: Uint8Array<ArrayBuffer>;
}

interface Idle extends Held {
  readonly sinceMs: number;
}

/** Connects to the very address that was checked, without looking the name up again. */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #idle = new Map<string, Idle[]>();
  #sweeper: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** An open connection, if there is one. */
  reuse(url: URL): Held | undefined {
    const idle = this.#idle.get(url.origin)?.pop();
    if (!idle || performance.now() - idle.sinceMs < IDLE_MAX_MS) {
      idle?.connection.rest?.(false);
      return idle;
    }
    // The newest is too old, so all are, and the sweeper closes them.
    closeQuietly(idle.connection);
    return undefined;
  }

  async open(
    url: URL,
    { owner, signal }: { owner: number; signal: AbortSignal },
  ): Promise<Held> {
    const host = hostOf(url);
    const addresses = await this.#allowedAddresses(host, owner);
    let lastError: unknown;
    for (const hostname of addresses.slice(0, ADDRESSES_TRIED_MAX)) {
      signal.throwIfAborted();
      try {
        const connection = await this.#connect(url, { hostname, host, signal });
        const buffer = new Uint8Array(BUFFER_BYTES);
        return { connection, openedAtMs: performance.now(), isUsed: false, buffer };
      } catch (error) {
        lastError = error;
      }
    }
    throw lastError;
  }

  keep(url: URL, held: Held): void {
    const sinceMs = performance.now();
    const list = this.#idle.get(url.origin) ?? [];
    if (list.length >= IDLE_PER_HOST_MAX || sinceMs - held.openedAtMs > AGE_MAX_MS) {
      return closeQuietly(held.connection);
    }
    held.connection.rest?.(true);
    list.push({ ...held, isUsed: true, sinceMs });
    this.#idle.set(url.origin, list);
    this.#sweeper ??= setTimeout(() => this.#sweep(), IDLE_MAX_MS);
  }

  close(): void {
    clearTimeout(this.#sweeper);
    for (const { connection } of [...this.#idle.values()].flat()) closeQuietly(connection);
    this.#idle.clear();
  }

  /** One timer for all connections. */
  #sweep(): void {
    const nowMs = performance.now();
    for (const [origin, list] of this.#idle) {
      const kept = list.filter(({ sinceMs }) => nowMs - sinceMs < IDLE_MAX_MS);
      for (const idle of list) {
        if (!kept.includes(idle)) closeQuietly(idle.connection);
      }
      if (kept.length > 0) this.#idle.set(origin, kept);
      else this.#idle.delete(origin);
    }
    this.#sweeper = this.#idle.size > 0 ? setTimeout(() => this.#sweep(), IDLE_MAX_MS) : undefined;
  }

  async #allowedAddresses(host: string, owner: number): Promise<readonly string[]> {
    const addresses = await this.#options.resolve(host, owner);
    if (addresses.length === 0) throw new Error(`${host} has no address`);
    if (this.#options.isPrivateAllowed) return addresses;
    const allowed = addresses.filter(isPublicAddress);
    if (allowed.length > 0) return allowed;
    // Merchants read this: it mustn't tell them the addresses of a private network.
    throw new TargetRefused(`${host} has no address of the public internet (${ALLOWED_BY})`);
  }

  async #connect(
    url: URL,
    { hostname, host, signal }: { hostname: string; host: string; signal: AbortSignal },
  ): Promise<Connection> {
    const port = portOf(url);
    if (url.protocol === "https:") {
      const { caCerts } = this.#options;
      return await connectTls({ address: hostname, port, host, caCerts, signal });
    }
    const connection = await Deno.connect({ hostname, port, signal });
    connection.setNoDelay(true);
    return connection;
  }
}
