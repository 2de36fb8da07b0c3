import { ConnectionBook } from "./connection_book.ts";
import { sleep } from "../clock.ts";
import { type AcceptOptions, ConnectionServer, type Pace } from "./connection_server.ts";

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
