import assert from "node:assert/strict";
import { connect } from "node:http2";
import { present } from "../../../src/base/assert.ts";
import { utf8 } from "../../../src/base/bytes.ts";
import {
  acceptConnections,
  type AcceptOptions,
  type TcpListener,
} from "../../../src/base/net/accept_connections.ts";
import { serveConnection } from "../../../src/base/net/serve_connection.ts";
import { streamed } from "../../../src/base/net/streamed.ts";
import { resetAtOnce } from "../../support/programs/reset_at_once.ts";

const serve = present(serveConnection, "this Deno serves one connection at a time");
const LIMITS = { max: 100, perSourceMax: 100, headersMs: 60_000, idleMs: 60_000 };

function accept(
  listener: TcpListener,
  options: Partial<AcceptOptions> & { serve?: typeof serve } = {},
) {
  return acceptConnections(listener, {
    serve,
    limits: LIMITS,
    sourceOf: (ip) => ip,
    handle: (_, ip) => new Response(`hello ${ip}`),
    onTrouble: () => {},
    onFault: () => {},
    pauseMs: 1,
    lookEveryMs: 10,
    ...options,
  });
}

const listen = () => Deno.listen({ hostname: "127.0.0.1", port: 0 });

/** Fails so often before it works. */
function failing(error: Error, times: number) {
  const listener = listen();
  let left = times;
  const accept = () => left-- > 0 ? Promise.reject(error) : listener.accept();
  return { listener: { accept, close: () => listener.close() }, addr: listener.addr };
}

const ask = async ({ port }: Deno.NetAddr, init?: RequestInit) =>
  await (await fetch(`http://127.0.0.1:${port}`, init)).text();

/** A connection that has been answered once and could ask more. */
async function hello({ hostname, port }: Deno.NetAddr): Promise<Deno.Conn> {
  const connection = await Deno.connect({ hostname, port });
  await connection.write(utf8("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"));
  await connection.read(new Uint8Array(1_000));
  return connection;
}

Deno.test("a lack of file descriptors is waited out and reported once", async () => {
  const error = Object.assign(new Error("Too many open files (os error 24)"), { code: "EMFILE" });
  const { listener, addr } = failing(error, 3);
  const troubles: unknown[] = [];
  const accepting = accept(listener, {
    onTrouble: (trouble, facts) => void troubles.push([trouble, facts]),
  });
  assert.equal(await ask(addr), "hello 127.0.0.1");
  assert.deepEqual(troubles, [["shortage", { open: 0, times: 1 }]]);
  await accepting.shutdown();
});

Deno.test("a listener that fails a hundred times in a row is lost, and says why", async () => {
  const error = new Error("Invalid argument (os error 22)");
  const { listener } = failing(error, Infinity);
  const accepting = accept(listener);
  assert.equal(await accepting.lost, error);
  await accepting.shutdown();
});

Deno.test("connections reset before they are accepted never end the program", async () => {
  const listener = listen();
  await Promise.all(Array.from({ length: 300 }, () => resetAtOnce(listener.addr)));
  const accepting = accept(listener);
  const isLost = accepting.lost.then(() => "lost");
  assert.equal(await Promise.race([ask(listener.addr), isLost]), "hello 127.0.0.1");
  await accepting.shutdown();
});

Deno.test("a handler that throws is a 500 and reported, and the next request is answered", async () => {
  const faults: unknown[] = [];
  const listener = listen();
  const fault = new Error("a fault of ours");
  const accepting = accept(listener, {
    handle: (request) => request.method === "GET" ? new Response("fine") : Promise.reject(fault),
    onFault: (error) => void faults.push(error),
  });
  assert.equal(await ask(listener.addr, { method: "POST" }), "");
  assert.deepEqual(faults, [fault]);
  assert.equal(await ask(listener.addr), "fine");
  await accepting.shutdown();
});

Deno.test("a connection that the runtime refuses to serve is closed, and the next one is served", async () => {
  const faults: unknown[] = [];
  const fault = new Error("a fault of the runtime");
  const failOnce: typeof serve = (...of) => {
    if (faults.length > 0) return serve(...of);
    throw fault;
  };
  const listener = listen();
  const accepting = accept(listener, {
    serve: failOnce,
    onFault: (error) => void faults.push(error),
  });
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  assert.equal(await connection.read(new Uint8Array(1)), null, "closed");
  assert.deepEqual(faults, [fault]);
  assert.equal(await ask(listener.addr), "hello 127.0.0.1");
  await accepting.shutdown();
});

Deno.test("if all are busy, another connection is refused at once", async () => {
  const listener = listen();
  const answer = Promise.withResolvers<Response>();
  const busy = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let asked = 0;
  const troubles: string[] = [];
  const accepting = accept(listener, {
    limits: { ...LIMITS, perSourceMax: 2 },
    handle: async () => {
      busy[asked++]!.resolve();
      return (await answer.promise).clone();
    },
    onTrouble: (trouble) => void troubles.push(trouble),
  });
  const served = [ask(listener.addr), ask(listener.addr)];
  await Promise.all(busy.map(({ promise }) => promise));
  const refused = await fetch(`http://127.0.0.1:${listener.addr.port}`);
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
  assert.equal(await refused.text(), "Too many connections\n");
  assert.deepEqual(troubles, ["refused"]);
  answer.resolve(new Response("at last"));
  assert.deepEqual(await Promise.all(served), ["at last", "at last"]);
  await accepting.shutdown();
});

Deno.test("a stop waits for requests in progress and for nothing else", async () => {
  const listener = listen();
  const started = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  const accepting = accept(listener, {
    handle: () => {
      started.resolve();
      return answer.promise;
    },
  });
  using silent = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  const asked = ask(listener.addr);
  await started.promise;
  const stopped = accepting.shutdown();
  assert.equal(await silent.read(new Uint8Array(1)), null);
  answer.resolve(new Response("done"));
  assert.equal(await asked, "done");
  await stopped;
});

Deno.test("a stream that nobody reads ends with its connection and isn't produced meanwhile", async () => {
  const listener = listen();
  const ended = Promise.withResolvers<void>();
  let made = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      made += 64 * 1024;
      controller.enqueue(new Uint8Array(64 * 1024));
    },
    cancel: () => ended.resolve(),
  }, { highWaterMark: 0 });
  const accepting = accept(listener, {
    limits: { ...LIMITS, idleMs: 100 },
    handle: () => streamed(body, {}),
  });
  using client = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  await client.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  await ended.promise;
  assert.ok(made < 32 * 1024 * 1024, `${made} bytes`);
  await accepting.shutdown();
});

Deno.test("an answer that nobody reads is dropped with its connection", async () => {
  const listener = listen();
  const dropped = Promise.withResolvers<void>();
  const accepting = accept(listener, {
    limits: { ...LIMITS, idleMs: 100 },
    handle: () => new Response(new Uint8Array(64 * 1024 * 1024)),
    serve: (...connection) => {
      const served = serve(...connection);
      served.finished.then(dropped.resolve, dropped.resolve);
      return served;
    },
  });
  using client = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  await client.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  await dropped.promise;
  let read = 0;
  const bytes = new Uint8Array(1024 * 1024);
  for (;;) {
    const part = await client.read(bytes).catch(() => null);
    if (part === null) break;
    read += part;
  }
  assert.ok(read < 32 * 1024 * 1024, `${read} bytes`);
  await accepting.shutdown();
});

Deno.test("a connection that ended and has to go before that is noticed ends nothing else", async () => {
  const listener = listen();
  const ended = Promise.withResolvers<void>();
  const accepting = accept(listener, {
    limits: { ...LIMITS, max: 1 },
    serve: (...args) => {
      const one = serve(...args);
      one.finished.then(ended.resolve);
      return { shutdown: () => one.shutdown(), finished: new Promise(() => {}) };
    },
  });
  (await hello(listener.addr)).close();
  await ended.promise;
  assert.equal(await ask(listener.addr), "hello 127.0.0.1");
  await accepting.shutdown();
});

Deno.test("who connects while the program stops is let go", async () => {
  const listener = listen();
  const late = Promise.withResolvers<Deno.TcpConn>();
  const accepts = [() => listener.accept(), () => late.promise];
  const accepting = accept({ accept: () => accepts.shift()!(), close: () => {} });
  const first = await hello(listener.addr);
  const stopped = accepting.shutdown();
  const second = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  late.resolve(await listener.accept());
  assert.equal(await second.read(new Uint8Array(1)), null);
  await stopped;
  for (const one of [first, second, listener]) one.close();
});

Deno.test("over HTTP/2 a source has no more requests in progress than over HTTP/1", async () => {
  const listener = listen();
  const release = Promise.withResolvers<void>();
  let begun = 0;
  const accepting = accept(listener, {
    limits: { ...LIMITS, perSourceMax: 4 },
    handle: async () => {
      begun++;
      await release.promise;
      return new Response();
    },
  });
  const session = connect(`http://127.0.0.1:${listener.addr.port}`);
  session.on("error", () => {});
  const asked = Array.from(
    { length: 50 },
    () =>
      new Promise<number | undefined>((resolve, reject) =>
        session.request({ ":path": "/" }).on("error", reject)
          .on("response", ({ ":status": status }) => resolve(status))
      ),
  );
  const refused = asked.slice(4);
  assert.deepEqual(new Set(await Promise.all(refused)), new Set([503]));
  assert.equal(begun, 4);
  release.resolve();
  assert.deepEqual(new Set(await Promise.all(asked.slice(0, 4))), new Set([200]));
  session.close();
  assert.equal(await ask(listener.addr), "");
  await accepting.shutdown();
});
