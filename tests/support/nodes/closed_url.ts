/** Below the ports that the system hands out, so no other test begins to listen there. */
let nextPort = 20_000;

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
