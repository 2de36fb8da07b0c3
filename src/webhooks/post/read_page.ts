import { Waits } from "../../base/waiting/waits.ts";
import type { HttpAnswer } from "./_answer.ts";
import { Connections } from "./_connections.ts";
import { Exchange, linesOf } from "./_exchange.ts";
import { boundedLookups } from "./_lookups.ts";
import { refusedUrl } from "./allowed_target.ts";
import { refusalText, type SenderOptions } from "./send.ts";

/** Reads small documents from elsewhere, with the same limits on where as for webhooks. */
export interface PageReader {
  /** Why nothing may be read there; undefined if it may, as far as the URL shows. */
  refusalOf(url: string): string | undefined;
  /** Only an answer of 200 counts. Throws an error that says why there is none. */
  read(url: string): Promise<string>;
  close(): void;
}

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 64 * 1024;

export function createPageReader(options: SenderOptions): PageReader {
  const { isPrivateAllowed, caCerts = [], timeoutMs = TIMEOUT_MS } = options;
  const resolve = boundedLookups(options.resolve);
  const connections = new Connections({ isPrivateAllowed, resolve, caCerts });
  const waits = new Waits(timeoutMs);
  const running = new Set<Exchange>();
  const refusalOf = (url: string) => refusedUrl(url, { isPrivateAllowed });
  return {
    refusalOf,
    read: async (text) => {
      const refusal = refusalOf(text);
      if (refusal !== undefined) throw new Error(`not read: ${refusalText(text, refusal)}`);
      const exchange = new Exchange(
        targetOf(new URL(text)),
        { url: text, ...REQUEST },
        connections,
      );
      running.add(exchange);
      const late = `no whole answer within ${timeoutMs / 1000} s`;
      const giveUp = waits.start(() => exchange.abort(late));
      try {
        return documentIn(await Promise.race([exchange.run(), exchange.aborted]));
      } catch (error) {
        exchange.abort("it failed");
        throw error;
      } finally {
        running.delete(exchange);
        giveUp();
      }
    },
    close: () => {
      for (const exchange of running) exchange.abort("the program ends");
      connections.close();
    },
  };
}

/** One byte more than allowed shows that there are too many. */
const REQUEST = {
  owner: 0,
  headers: {},
  body: new Uint8Array(0),
  bodyBytesMax: BYTES_MAX + 1,
};

function targetOf(url: URL) {
  const fields = { host: url.host, "user-agent": "CPG-Rates/1", accept: "application/json" };
  return { url, head: `GET ${url.pathname}${url.search} HTTP/1.1\r\n${linesOf(fields)}` };
}

function documentIn({ status, body, isWhole }: HttpAnswer): string {
  if (status !== 200) throw new Error(`HTTP ${status}`);
  if (body.length > BYTES_MAX) throw new Error(`more than ${BYTES_MAX / 1024} KiB`);
  const text = new TextDecoder().decode(body);
  // A price that was cut off is a price too; JSON of any other kind shows it.
  if (!isWhole && /^\s*[-\d]/.test(text)) throw new Error("the answer doesn't say where it ends");
  return text;
}
