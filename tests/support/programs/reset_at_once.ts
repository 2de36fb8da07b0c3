import { connect } from "node:net";

/** Connects, and resets the connection before it can be accepted. */
export function resetAtOnce(
  { hostname, port }: { readonly hostname: string; readonly port: number | string },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname, () => socket.resetAndDestroy());
  socket.once("close", resolve);
  return promise;
}
