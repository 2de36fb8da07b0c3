import { startSqld } from "./sqld.ts";

/** A database server that reports how many rows its statements have read. */
interface CountingSqld extends AsyncDisposable {
  readonly url: string;
  rowsRead(): number;
}

export async function startCountingSqld(): Promise<CountingSqld> {
  const sqld = await startSqld();
  let rowsRead = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      // Without it the client speaks JSON, in which the counts can be read.
      if (pathname.startsWith("/v3")) return new Response(null, { status: 404 });
      const answer = await fetch(`${sqld.url}${pathname}`, {
        method: request.method,
        headers: request.headers,
        body: request.body && await request.arrayBuffer(),
      });
      const text = await answer.text();
      for (const [, count] of text.matchAll(/"rows_read":(\d+)/g)) rowsRead += Number(count);
      const headers = { "content-type": "application/json" };
      return new Response(text, { status: answer.status, headers });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    rowsRead: () => rowsRead,
    [Symbol.asyncDispose]: async () => {
      await server.shutdown();
      await sqld[Symbol.asyncDispose]();
    },
  };
}
