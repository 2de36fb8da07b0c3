/** Below the ports that the system and other tests hand out, so nobody begins to listen there. */
let nextPort = 9_000 + Math.floor(Math.random() * 900);

/** An address that refuses connections. */
export function closedUrl(): string {
  for (;; nextPort++) {
    try {
      Deno.listen({ hostname: "127.0.0.1", port: nextPort }).close();
      return `http://127.0.0.1:${nextPort++}`;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
