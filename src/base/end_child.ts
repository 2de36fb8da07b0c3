const PATIENCE_MS = 10_000;

/** For a child that ends with its input. */
export async function endInput(child: Deno.ChildProcess, { patienceMs = PATIENCE_MS } = {}) {
  await child.stdin.close().catch(() => {});
  const patience = setTimeout(() => send(child, "SIGKILL"), patienceMs);
  await child.status.finally(() => clearTimeout(patience));
}

/** Kills a child that ignores the signal, because its parent would wait forever. */
export async function endChild(
  child: Deno.ChildProcess,
  signal: Deno.Signal,
  { patienceMs = PATIENCE_MS } = {},
): Promise<void> {
  send(child, signal);
  const patience = setTimeout(() => send(child, "SIGKILL"), patienceMs);
  await child.status.finally(() => clearTimeout(patience));
}

function send(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // It has ended already.
  }
}
