import { utf8 } from "../bytes.ts";
import { sleep } from "../clock.ts";
import { closeQuietly } from "./close_quietly.ts";
import {
  ConnectionBook,
  type ConnectionLimits,
  type OpenConnection,
  type Source,
} from "./connection_book.ts";
import { Ending, serveConnection, type ServedConnection } from "./serve_connection.ts";
import { watchStream } from "./streamed.ts";

const BUSY = utf8(
  "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\n" +
    "content-type: text/plain\r\ncontent-length: 21\r\n\r\nToo many connections\n",
);

class ConnectionServer {
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

interface Accepting {
  /** Settles with the reason once no more connections can be accepted. */
  readonly lost: Promise<unknown>;
  shutdown(): Promise<void>;
}

export type TcpListener = Pick<Deno.TcpListener, "accept" | "close">;

const LOOK_EVERY_MS = 1_000;
const PAUSE_MS = 100;
const FAULTS_IN_A_ROW_MAX = 100;
const TELL_EVERY_MS = 10_000;
/** Linux limits the files of a process, the files of the system, and memory. */
const SHORTAGES: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"]);
/** The client left before its turn. However many do, the listener is fine. */
const GONE: ReadonlySet<string> = new Set(["ENOTCONN", "ECONNABORTED", "ECONNRESET", "EPROTO"]);

/** Serves connections within limits, and waits while file descriptors run short. */
export function acceptConnections(
  listener: TcpListener,
  { pauseMs = PAUSE_MS, lookEveryMs = LOOK_EVERY_MS, ...options }: AcceptOptions & Pace,
): Accepting {
  const book = new ConnectionBook(options.limits, () => performance.now());
  const lost = Promise.withResolvers<unknown>();
  const report = troubleReporter(book, options);
  const server = new ConnectionServer(book, options);
  const stopping = new AbortController();
  const timer = setInterval(() => book.closeLate(), lookEveryMs);

  async function run(): Promise<void> {
    for (let faults = 0; faults < FAULTS_IN_A_ROW_MAX;) {
      try {
        const connection = await listener.accept();
        if (stopping.signal.aborted) return connection.close();
        if (!server.take(connection)) report("refused");
        faults = 0;
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (isOneOf(GONE, error)) continue;
        if (isOneOf(SHORTAGES, error)) {
          report("shortage");
          book.makeRoom();
        } else if (++faults === FAULTS_IN_A_ROW_MAX) lost.resolve(error);
        await sleep(pauseMs, stopping.signal);
      }
    }
  }

  const running = run().catch(lost.resolve);
  return {
    lost: lost.promise,
    shutdown: async () => {
      stopping.abort();
      clearInterval(timer);
      listener.close();
      await Promise.all([running, server.shutdown()]);
    },
  };
}

function isOneOf(codes: ReadonlySet<string>, error: unknown): boolean {
  return error instanceof Error && "code" in error && codes.has(String(error.code));
}

function troubleReporter(book: ConnectionBook, { onTrouble }: AcceptOptions) {
  const counts = {
    refused: { times: 0, atMs: -Infinity },
    shortage: { times: 0, atMs: -Infinity },
  };
  return (trouble: keyof typeof counts) => {
    const count = counts[trouble];
    count.times++;
    const nowMs = performance.now();
    if (nowMs - count.atMs < TELL_EVERY_MS) return;
    onTrouble(trouble, { open: book.size, times: count.times });
    Object.assign(count, { times: 0, atMs: nowMs });
  };
}

export interface AcceptOptions {
  readonly limits: ConnectionLimits;
  sourceOf(remoteIp: string): Source;
  handle(request: Request, remoteIp: string): Response | Promise<Response>;
  /** Called at most once in ten seconds for each kind. */
  onTrouble(trouble: "refused" | "shortage", facts: { open: number; times: number }): void;
  onFault(error: unknown): void;
}

interface Pace {
  readonly serve: NonNullable<typeof serveConnection>;
  /** Between attempts while nothing can be accepted. */
  readonly pauseMs?: number;
  readonly lookEveryMs?: number;
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
