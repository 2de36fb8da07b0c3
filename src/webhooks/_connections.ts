import { hostOf, isPublicAddress, portOf } from "./allowed_target.ts";

/** Every address of a name, as the system finds them. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface Connection {
  read(into: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

export interface ConnectionOptions {
  readonly resolve: Resolve;
  readonly isPrivateAllowed: boolean;
  /** Certificates that are trusted beside the system's. */
  readonly caCerts: readonly string[];
}

const ADDRESSES_TRIED_MAX = 3;
const IDLE_MAX_MS = 4_000;
/** A name that moves is followed after this. */
const AGE_MAX_MS = 60_000;
const IDLE_PER_HOST_MAX = 16;

export class TargetRefused extends Error {
  override name = "TargetRefused";
}

export interface Held {
  readonly connection: Connection;
  readonly openedAtMs: number;
  readonly isUsed: boolean;
}

interface Idle extends Held {
  readonly timer: ReturnType<typeof setTimeout>;
}

/** The address that was checked is the one connected to: the name is not looked up a second time. */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #idle = new Map<string, Idle[]>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** One that is open already, if there is one. */
  reuse(url: URL): Held | undefined {
    const idle = this.#idle.get(url.origin)?.pop();
    if (!idle) return undefined;
    clearTimeout(idle.timer);
    return idle;
  }

  async open(url: URL, signal: AbortSignal): Promise<Held> {
    const host = hostOf(url);
    const addresses = await this.#allowedAddresses(host);
    let lastError: unknown;
    for (const hostname of addresses.slice(0, ADDRESSES_TRIED_MAX)) {
      signal.throwIfAborted();
      try {
        const tcp = await Deno.connect({ hostname, port: portOf(url) });
        tcp.setNoDelay(true);
        const connection = await this.#secured(tcp, { url, host, signal });
        return { connection, openedAtMs: performance.now(), isUsed: false };
      } catch (error) {
        lastError = error;
      }
    }
    throw lastError;
  }

  keep(url: URL, { connection, openedAtMs }: Held): void {
    const list = this.#idle.get(url.origin) ?? [];
    if (list.length >= IDLE_PER_HOST_MAX || performance.now() - openedAtMs > AGE_MAX_MS) {
      return closeQuietly(connection);
    }
    const timer = setTimeout(() => {
      const at = list.findIndex((idle) => idle.connection === connection);
      if (at >= 0) list.splice(at, 1);
      if (list.length === 0) this.#idle.delete(url.origin);
      closeQuietly(connection);
    }, IDLE_MAX_MS);
    list.push({ connection, openedAtMs, isUsed: true, timer });
    this.#idle.set(url.origin, list);
  }

  close(): void {
    for (const { connection, timer } of [...this.#idle.values()].flat()) {
      clearTimeout(timer);
      closeQuietly(connection);
    }
    this.#idle.clear();
  }

  async #allowedAddresses(host: string): Promise<readonly string[]> {
    const addresses = await this.#options.resolve(host);
    if (addresses.length === 0) throw new Error(`${host} has no address`);
    if (this.#options.isPrivateAllowed) return addresses;
    const allowed = addresses.filter(isPublicAddress);
    if (allowed.length > 0) return allowed;
    throw new TargetRefused(`${host} is ${addresses[0]}, not an address of the public internet`);
  }

  async #secured(
    tcp: Deno.TcpConn,
    { url, host, signal }: { url: URL; host: string; signal: AbortSignal },
  ): Promise<Connection> {
    const giveUp = () => closeQuietly(tcp);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      signal.throwIfAborted();
      if (url.protocol === "http:") return tcp;
      // The certificate must be the name's, whatever address it was found at.
      const tls = await Deno.startTls(tcp, {
        hostname: host,
        alpnProtocols: ["http/1.1"],
        caCerts: [...this.#options.caCerts],
      });
      await tls.handshake();
      return tls;
    } catch (error) {
      closeQuietly(tcp);
      throw error;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }
}

export function closeQuietly(connection: { close(): void }): void {
  try {
    connection.close();
  } catch (error) {
    // It is closed already, by us or with its TLS wrapper.
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
