type Handler = (request: Request) => Promise<Response>;

export interface ServedConnection {
  readonly finished: Promise<void>;
  /** Finishes requests in progress first. */
  shutdown(): Promise<void>;
}

type ServeConnection = (
  connection: Deno.Conn,
  signal: AbortSignal,
  handler: Handler,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => ServedConnection;

/**
 * The undocumented function with which `Deno.serve` handles each connection. `Deno.serve` itself
 * has no timeouts and no limits, and stops for good when it gets no file descriptor. Undefined if
 * this runtime lacks it.
 */
export const serveConnection: ServeConnection | undefined = (() => {
  const runtime = Deno as unknown as { internal: symbol } & Record<symbol, Internals | undefined>;
  return runtime[runtime.internal]?.serveHttpOnConnection;
})();

interface Internals {
  readonly serveHttpOnConnection?: ServeConnection;
}

/**
 * Ends a served connection, also one whose client has just left: for those the runtime's listener
 * throws, and a signal would report that as an uncaught error, which ends the whole program.
 */
export class Ending extends AbortController {
  constructor() {
    super();
    const listen = this.signal.addEventListener.bind(this.signal);
    this.signal.addEventListener = (type: string, listener: EventListenerOrEventListenerObject) =>
      listen(type, (event) => unlessGone(listener, event), { once: true });
  }
}

function unlessGone(end: EventListenerOrEventListenerObject, event: Event): void {
  try {
    if (typeof end === "function") end(event);
    else end.handleEvent(event);
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
