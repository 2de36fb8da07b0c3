import {
  ConnectionBook,
  type ConnectionLimits,
  type OpenConnection,
  type Source,
} from "./connection_book.ts";
import { utf8 } from "../bytes.ts";
import { closeQuietly } from "./close_quietly.ts";
import { Ending, serveConnection, type ServedConnection } from "./serve_connection.ts";
import { watchStream } from "./streamed.ts";

export interface AcceptOptions {
  readonly limits: ConnectionLimits;
  sourceOf(remoteIp: string): Source;
  handle(request: Request, remoteIp: string): Response | Promise<Response>;
  /** Called at most once in ten seconds for each kind. */
  onTrouble(trouble: "refused" | "shortage", facts: { open: number; times: number }): void;
  onFault(error: unknown): void;
}

export interface Pace {
  readonly serve: NonNullable<typeof serveConnection>;
  /** Between attempts while nothing can be accepted. */
  readonly pauseMs?: number;
  readonly lookEveryMs?: number;
}

const BUSY = utf8(
  "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\n" +
    "content-type: text/plain\r\ncontent-length: 21\r\n\r\nToo many connections\n",
);

export class ConnectionServer {
  readonly #served = new Set<ServedConnection>();

  constructor(
    readonly book: ConnectionBook,
    readonly options: AcceptOptions & Pick<Pace, "serve">,
  ) {}

  /** False if there is no room. */
  take(connection: Deno.TcpConn): boolean {
    const { book, options } = this;
    const remoteIp = connection.remoteAddr.hostname;
    const ending = new Ending();
    const open = book.admit(options.sourceOf(remoteIp), () => ending.abort());
    if (!open) {
      void refuse(connection);
      return false;
    }
    const handle = this.#handler(open, remoteIp);
    const onError = (error: unknown) => this.#answerFault(error);
    try {
      const one = options.serve(connection, ending.signal, handle, onError, () => {});
      this.#served.add(one);
      // Clients disconnect at any time.
      one.finished.catch(() => {}).finally(() => {
        this.#served.delete(one);
        book.leave(open);
      });
    } catch (error) {
      options.onFault(error);
      book.leave(open);
      closeQuietly(connection);
    }
    return true;
  }

  async shutdown(): Promise<void> {
    await Promise.all([...this.#served].map((one) => one.shutdown().catch(() => {})));
  }

  #handler(open: OpenConnection, remoteIp: string): (request: Request) => Promise<Response> {
    const { book, options } = this;
    const watch = {
      handOver: (stream: object) => book.handOver(open, stream),
      taken: (stream: object) => book.taken(open, stream),
      ended: (stream: object) => {
        book.taken(open, stream);
        book.end(open, { isLast: false });
      },
    };
    return async (request) => {
      if (!book.begin(open)) return new Response(null, { status: 503 });
      try {
        const response = await options.handle(request, remoteIp);
        // The rest of the request's body is not waited for.
        if (!watchStream(response, watch)) book.end(open, { isLast: response.status === 408 });
        return response;
      } catch (error) {
        book.end(open, { isLast: true });
        throw error;
      }
    };
  }

  #answerFault(error: unknown): Response {
    this.options.onFault(error);
    return new Response(null, { status: 500 });
  }
}

async function refuse(connection: Deno.TcpConn): Promise<void> {
  try {
    await connection.write(BUSY);
  } catch {
    // It is gone already.
  } finally {
    closeQuietly(connection);
  }
}
