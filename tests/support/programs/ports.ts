/**
 * Below those that the system gives to outgoing connections, so that it stays free over a restart,
 * and above 10080, which `fetch` refuses.
 */
const FIRST = 10_100;
const COUNT = 20_000;
const TRIES_MAX = 100;
const HELD_MS = 10;

/** Nobody else who runs in the same suite gets it, not even while its program is down. */
export function lastingPort(): number {
  for (let tries = 1;; tries++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    try {
      claim(port);
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      const isTaken = isInUse(error) || error instanceof Deno.errors.AlreadyExists;
      if (!isTaken || tries === TRIES_MAX) throw error;
    }
  }
}

/**
 * Every process that is just being started holds the listeners of the one that starts it, so a port
 * stays in use for a moment after it was closed.
 */
export async function onceFree<T>(listen: () => Promise<T>): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await listen();
    } catch (error) {
      const isHeld = error instanceof Error && isInUse(error.cause);
      if (!isHeld || tries === TRIES_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, HELD_MS));
    }
  }
}

function isInUse(error: unknown): boolean {
  return error instanceof Deno.errors.AddrInUse;
}

function claim(port: number): void {
  const folder = Deno.env.get("TESTS_PORTS");
  if (folder) Deno.writeTextFileSync(`${folder}/${port}`, "", { createNew: true });
}
