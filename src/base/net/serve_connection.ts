type Handler = (request: Request) => Promise<Response>;

export interface ServedConnection {
  readonly finished: Promise<void>;
  /** Requests under way are answered first. */
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
 * What `Deno.serve` does with each connection that it accepts, for one that we accepted: the runtime
 * has it, and does not document it. `Deno.serve` itself knows no timeouts and no limits, and ends for
 * good when it gets no file descriptor. Undefined: this runtime does not have it.
 */
export const serveConnection: ServeConnection | undefined = (() => {
  const runtime = Deno as unknown as { internal: symbol } & Record<symbol, Internals | undefined>;
  return runtime[runtime.internal]?.serveHttpOnConnection;
})();

interface Internals {
  readonly serveHttpOnConnection?: ServeConnection;
}
