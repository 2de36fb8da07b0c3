import { Webhook } from "standardwebhooks";

export interface Received {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  // deno-lint-ignore no-explicit-any -- a test knows what was sent
  readonly event: any;
}

interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
  /** Its answer to each request from now on. */
  answer: (received: Received, request: Request) => Response | Promise<Response>;
}

/** A merchant's server on this machine that keeps what it was sent. */
export function startReceiver({ port = 0 }: { port?: number } = {}): Receiver {
  const received: Received[] = [];
  const receiver = { answer: () => new Response("ok") } as Pick<Receiver, "answer">;
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port,
    onListen: () => {},
    onError: () => new Response(null, { status: 500 }),
  }, async (request) => {
    const headers = Object.fromEntries(request.headers);
    const body = await request.text();
    const one = { id: headers["webhook-id"]!, headers, body, event: JSON.parse(body) };
    received.push(one);
    return await receiver.answer(one, request);
  });
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${server.addr.port}/hook`,
    received,
    [Symbol.asyncDispose]: async () => {
      await server.shutdown();
    },
  });
}

/** A receiver below HTTP: it writes these bytes and then closes, or keeps silent. */
export function startRawReceiver(
  talk: (conn: Deno.Conn, count: number) => Promise<void>,
  { tls }: { tls?: Deno.TlsCertifiedKeyPem } = {},
): { url: string; count(): number } & AsyncDisposable {
  const at = { hostname: "127.0.0.1", port: 0 };
  const listener: Deno.Listener = tls ? Deno.listenTls({ ...at, ...tls }) : Deno.listen(at);
  const open = new Set<Deno.Conn>();
  let count = 0;
  const done = (async () => {
    for await (const conn of listener) {
      open.add(conn);
      talk(conn, ++count).catch(() => {}).finally(() => close(conn));
    }
  })();
  function close(conn: Deno.Conn): void {
    if (open.delete(conn)) conn.close();
  }
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${(listener.addr as Deno.NetAddr).port}/hook`,
    count: () => count,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      for (const conn of open) close(conn);
      await done;
    },
  };
}

/** Throws unless the public library accepts it. */
export function verify(secret: string, { body, headers }: Received): void {
  new Webhook(secret).verify(body, headers);
}
