export function closeQuietly(connection: { close(): void }): void {
  try {
    connection.close();
  } catch (error) {
    // Already closed, by us, by the runtime, or with its TLS wrapper.
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
