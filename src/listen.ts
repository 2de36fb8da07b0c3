import { OperatorError } from "./domain/refusal.ts";

export interface Listener {
  readonly url: string;
  shutdown(): Promise<void>;
}

export interface ListenAt {
  readonly host: string;
  readonly port: number;
  /** The variables' beginning, for what is told when it does not work. */
  readonly prefix: "CPG" | "CPG_DASHBOARD";
}

type Handle = (request: Request, remoteIp: string) => Response | Promise<Response>;

export function listen({ host, port, prefix }: ListenAt, handle: Handle): Listener {
  try {
    const server = Deno.serve(
      { hostname: host, port, onListen: () => {} },
      (request, info) => handle(request, info.remoteAddr.hostname),
    );
    const name = host.includes(":") ? `[${host}]` : host;
    return { url: `http://${name}:${server.addr.port}`, shutdown: () => server.shutdown() };
  } catch (error) {
    throw faultOf(error, { host, port, prefix });
  }
}

function faultOf(error: unknown, { host, port, prefix }: ListenAt): unknown {
  const told = (text: string) => new OperatorError(text, { cause: error });
  if (error instanceof Deno.errors.AddrInUse) {
    return told(`Port ${port} on ${host} is in use: stop what uses it or set ${prefix}_PORT`);
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return told(
      `This program may not listen on port ${port} of ${host}: use another ${prefix}_PORT; ` +
        `for example: ${prefix}_PORT=8080`,
    );
  }
  if (
    error instanceof Deno.errors.AddrNotAvailable || error instanceof TypeError ||
    error instanceof URIError || String(error).includes("lookup address")
  ) {
    return told(
      `${prefix}_HOST "${host}" is not an address of this machine; for example: ${prefix}_HOST=127.0.0.1`,
    );
  }
  return error;
}
