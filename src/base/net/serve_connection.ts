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
