import { acceptConnections } from "../base/net/accept_connections.ts";
import type { Cidr } from "../base/net/cidr.ts";
import { isListed } from "../base/net/client_ip.ts";
import type { ConnectionLimits } from "../base/net/connection_book.ts";
import { ipSource } from "../base/net/ip_source.ts";
import type { Log } from "../base/log.ts";
import { serveConnection } from "../base/net/serve_connection.ts";
import { OperatorError } from "../domain/refusal.ts";
import type { Config } from "./config/config.ts";

interface Listener {
  readonly url: string;
  /** Settles with the reason once nothing can connect any more. */
  readonly lost: Promise<unknown>;
  shutdown(): Promise<void>;
}

interface ListenAt {
  readonly host: string;
  readonly port: number;
  /** The prefix of the variables, for error messages. */
  readonly prefix: "CPG" | "CPG_DASHBOARD";
}

interface ListenHow {
  /** Null: the platform in front of the program limits connections. */
  readonly limits: ConnectionLimits | null;
  readonly trustedProxies: readonly Cidr[];
  readonly log: Log;
}

/** Throws what listening there would throw. */
export function mustBeFree({ host, port, dashboard }: Config): void {
  mayListen({ host, port, prefix: "CPG" });
  if (dashboard.kind === "own") mayListen({ ...dashboard, prefix: "CPG_DASHBOARD" });
}

function mayListen(at: ListenAt): void {
  try {
    Deno.listen({ hostname: at.host, port: at.port }).close();
  } catch (error) {
    throw faultOf(error, at);
  }
}

type Handle = (request: Request, remoteIp: string) => Response | Promise<Response>;

export function listen(
  { host, port, prefix, limits, trustedProxies, log }: ListenAt & ListenHow,
  handle: Handle,
): Listener {
  try {
    if (!limits) return listenPlainly({ host, port }, handle);
    const serve = serveConnection;
    if (!serve) {
      log.warn(
        "this version of Deno cannot limit connections: put a proxy that does in front of it",
      );
      return listenPlainly({ host, port }, handle);
    }
    const listener = Deno.listen({ hostname: host, port });
    const accepting = acceptConnections(listener, {
      serve,
      limits,
      handle,
      sourceOf: (ip) => isListed(ip, trustedProxies) ? null : ipSource(ip),
      onTrouble: (trouble, facts) => log.warn(TROUBLES[trouble], { ...facts }),
      onFault: (error) => log.error("a request was not answered", { error }),
    });
    return { url: urlOf(host, listener.addr.port), ...accepting };
  } catch (error) {
    throw faultOf(error, { host, port, prefix });
  }
}

const TROUBLES = {
  refused: "connections were refused: there are too many, and all are busy",
  shortage: "no file descriptors left: idle connections are closed (raise the limit, ulimit -n)",
};

function listenPlainly({ host, port }: Pick<ListenAt, "host" | "port">, handle: Handle): Listener {
  const server = Deno.serve(
    { hostname: host, port, onListen: () => {} },
    (request, info) => handle(request, info.remoteAddr.hostname),
  );
  // It ends without an error only when it is shut down.
  const lost = new Promise<unknown>((resolve) => server.finished.catch(resolve));
  return { url: urlOf(host, server.addr.port), lost, shutdown: () => server.shutdown() };
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function faultOf(error: unknown, { host, port, prefix }: ListenAt): unknown {
  const failure = (text: string) => new OperatorError(text, { cause: error });
  if (error instanceof Deno.errors.AddrInUse) {
    return failure(
      `Port ${port} on ${host} is in use: stop what uses it or set ${prefix}_PORT; ` +
        `for example: ${prefix}_PORT=${port % 65_535 + 1}`,
    );
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return failure(
      `This program may not listen on port ${port} of ${host}: use another ${prefix}_PORT; ` +
        `for example: ${prefix}_PORT=8080`,
    );
  }
  if (
    error instanceof Deno.errors.AddrNotAvailable || error instanceof TypeError ||
    error instanceof URIError || String(error).includes("lookup address")
  ) {
    return failure(
      `${prefix}_HOST "${host}" is not an address of this machine; for example: ${prefix}_HOST=127.0.0.1`,
    );
  }
  return error;
}
