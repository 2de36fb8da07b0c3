import type { Log } from "../base/log.ts";
import { type Vault, WrongMasterKey } from "../keys/vault.ts";
import { shownUrl } from "./logins.ts";
import { type NetworkRow, nodeUrlsContext } from "./table.ts";

type Urls = Pick<NetworkRow, "rpcUrls" | "wsUrls">;
type Sealed = Pick<NetworkRow, "rpcUrlsSealed" | "wsUrlsSealed">;

interface NodeUrlsDeps {
  readonly vault: Vault;
  readonly log: Pick<Log, "error">;
  /** Learns of a new master key, which another instance may have sealed with already. */
  followKey(): Promise<unknown>;
}

/**
 * The URLs under which nodes are asked. A network's row has *** instead of names and passwords, and
 * beside that the same URLs in full, sealed. Only here are they put together, in memory.
 */
export class NodeUrls {
  readonly #deps: NodeUrlsDeps;
  /** By sealed text. */
  readonly #opened = new Map<string, readonly string[]>();

  constructor(deps: NodeUrlsDeps) {
    this.#deps = deps;
  }

  /** What is to be stored of a network's URLs, those that are given. */
  async sealed(code: string, { rpcUrls, wsUrls }: Partial<Urls>): Promise<Partial<Urls & Sealed>> {
    const sealedAs = (column: "rpc_urls" | "ws_urls", urls: readonly string[] | null) =>
      this.#sealed(urls ?? [], nodeUrlsContext(column, code));
    return {
      ...rpcUrls && {
        rpcUrls: rpcUrls.map(shownUrl),
        rpcUrlsSealed: await sealedAs("rpc_urls", rpcUrls),
      },
      ...wsUrls !== undefined && {
        wsUrls: wsUrls?.map(shownUrl) ?? null,
        wsUrlsSealed: await sealedAs("ws_urls", wsUrls),
      },
    };
  }

  /** Before `of` knows them. The rows must be genuine. */
  async open(networks: readonly NetworkRow[]): Promise<void> {
    for (const { code, rpcUrlsSealed, wsUrlsSealed } of networks) {
      await this.#open(rpcUrlsSealed, nodeUrlsContext("rpc_urls", code));
      await this.#open(wsUrlsSealed, nodeUrlsContext("ws_urls", code));
    }
  }

  /** The network with its URLs in full. What didn't open stays as it is, and its node refuses us. */
  of(network: NetworkRow): NetworkRow {
    const { wsUrls, wsUrlsSealed } = network;
    return {
      ...network,
      rpcUrls: this.nodesOf(network),
      wsUrls: this.#opened.get(wsUrlsSealed ?? "") ?? wsUrls,
      ...{ rpcUrlsSealed: null, wsUrlsSealed: null },
    };
  }

  nodesOf(
    { rpcUrls, rpcUrlsSealed }: {
      readonly rpcUrls: readonly string[];
      readonly rpcUrlsSealed?: string | null;
    },
  ): readonly string[] {
    return this.#opened.get(rpcUrlsSealed ?? "") ?? rpcUrls;
  }

  async #sealed(urls: readonly string[], context: string): Promise<string | null> {
    if (urls.every((url) => shownUrl(url) === url)) return null;
    const sealed = await this.#deps.vault.seal(JSON.stringify(urls), context);
    this.#opened.set(sealed, urls);
    return sealed;
  }

  async #open(sealed: string | null, context: string): Promise<void> {
    if (sealed === null || this.#opened.has(sealed)) return;
    const { vault, log, followKey } = this.#deps;
    try {
      const text = await vault.open(sealed, context).catch(async (error) => {
        if (!(error instanceof WrongMasterKey)) throw error;
        await followKey();
        return await vault.open(sealed, context);
      });
      this.#opened.set(sealed, JSON.parse(text));
    } catch (error) {
      if (!(error instanceof WrongMasterKey)) throw error;
      log.error("names and passwords of nodes can't be opened", { error: error.message });
    }
  }
}
