import { filterGenuine } from "../../books/tampered.ts";
import type { HeadSocket, PushedHead } from "../../chains/head_socket.ts";
import type { PushHealth } from "../../chains/health.ts";
import { familyOf } from "../../chains/registry.ts";
import type { Deps } from "../../deps/deps.ts";
import { type NetworkRow, Networks } from "../../networks/table.ts";

interface Sockets {
  blockMs: number | null;
  readonly config: string;
  /** In the order of the nodes. */
  readonly each: readonly (HeadSocket | null)[];
}

const NO_SOCKET: PushHealth = { isPushing: null, pushError: null };

/** The sockets of all networks. Each instance has its own, whoever follows. */
export class PushedHeads {
  readonly #deps: Deps;
  readonly #onHead: (code: string, head: PushedHead) => void;
  readonly #sockets = new Map<string, Sockets>();
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;

  constructor(deps: Deps, onHead: (code: string, head: PushedHead) => void) {
    this.#deps = deps;
    this.#onHead = onHead;
  }

  /** Sockets as the network is set now. */
  async set(network: NetworkRow): Promise<void> {
    const { code, chainId, wsUrls } = this.#deps.nodeUrls.of(network);
    const config = JSON.stringify([chainId, wsUrls]);
    const { blockMs = null } = this.#deps.chains.of(network).seenHeads?.() ?? {};
    const known = this.#sockets.get(code);
    if (known?.config === config) {
      known.blockMs = blockMs;
      return;
    }
    this.#drop(code);
    if (wsUrls === null || this.#isClosed) return;
    // Whoever may write to the database decides not where this program connects to.
    const [genuine] = await filterGenuine(this.#deps, Networks, [network]);
    if (!genuine || this.#isClosed || this.#sockets.has(code)) return;
    const each = wsUrls.map((url) => this.#open(network, url));
    this.#sockets.set(code, { blockMs, config, each });
    for (const socket of each) socket?.look({ blockMs });
  }

  /** Lets each notice silence, or connect again. */
  look(): void {
    for (const { blockMs, each } of this.#sockets.values()) {
      for (const socket of each) socket?.look({ blockMs });
    }
  }

  /** Whether any of them pushes. */
  isLive(code: string): boolean {
    return this.#sockets.get(code)?.each.some((socket) => socket?.isLive()) ?? false;
  }

  /** In the order of the nodes. */
  health(code: string): readonly PushHealth[] {
    return (this.#sockets.get(code)?.each ?? []).map((socket) => socket?.health() ?? NO_SOCKET);
  }

  forget(isKnown: (code: string) => boolean): void {
    for (const code of this.#sockets.keys()) if (!isKnown(code)) this.#drop(code);
  }

  /** For good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const code of [...this.#sockets.keys()]) this.#drop(code);
    await Promise.all(this.#closing);
  }

  #open({ code, chainId, family }: NetworkRow, url: string): HeadSocket | null {
    const { openHeadSocket } = familyOf(family);
    if (url === "" || !openHeadSocket) return null;
    const { clock } = this.#deps;
    return openHeadSocket({ url, chainId, clock, onHead: (head) => this.#onHead(code, head) });
  }

  #drop(code: string): void {
    for (const socket of this.#sockets.get(code)?.each ?? []) {
      if (!socket) continue;
      const closed: Promise<void> = socket.close().finally(() => this.#closing.delete(closed));
      this.#closing.add(closed);
    }
    this.#sockets.delete(code);
  }
}
