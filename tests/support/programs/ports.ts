/** Below those that the system gives to outgoing connections, so that it stays free over a restart. */
const FIRST = 10_000;
const COUNT = 20_000;
const TRIES_MAX = 100;

export function lastingPort(): number {
  for (let tries = 1;; tries++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse) || tries === TRIES_MAX) throw error;
    }
  }
}
