import assert from "node:assert/strict";
import { type HttpClient, openHttp } from "@libsql/hrana-client";
import type { Connection, Statement } from "../../../src/store/connection/connection.ts";
import { type WriteFaultKind, writeFaultOf } from "../../../src/store/connection/faults.ts";
import { KeptStreams } from "../../../src/store/connection/kept_streams.ts";
import { type Sqld, startSqld } from "../../support/database/sqld.ts";

const STREAMS_MAX = 8;
const IDLE_MAX_MS = 4_000;
const LOCAL = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
const MAKE = statement("CREATE TABLE things (id INTEGER PRIMARY KEY) STRICT");
const COUNT = statement("SELECT count(*) AS n FROM things");

function statement(sql: string): Statement {
  return { sql, args: [] };
}

const add = (id: number): Statement => ({
  sql: "INSERT INTO things VALUES (?)",
  args: [BigInt(id)],
});

interface Watched extends AsyncDisposable {
  readonly sqld: Sqld;
  readonly kept: KeptStreams;
  readonly client: HttpClient;
  /** Requests that opened a stream, continued one, or only closed one. */
  readonly seen: { opened: number; continued: number; closed: number; texts: string[] };
  readonly overflow: { batches: number };
  wait(ms: number): void;
  /** The server answers nothing until the returned function is called. */
  hold(): () => void;
  count(): Promise<unknown>;
}

/** A server behind a proxy that notes what is asked of it. */
async function watch({ waitMaxMs = 60_000 } = {}): Promise<Watched> {
  const sqld = await startSqld();
  const seen: Watched["seen"] = { opened: 0, continued: 0, closed: 0, texts: [] };
  let held = Promise.resolve();
  const proxy = Deno.serve(LOCAL, async (request) => {
    const text = await request.text();
    const { baton, requests } = JSON.parse(text);
    seen.texts.push(text);
    if (requests[0].type === "close") seen.closed++;
    else if (baton) seen.continued++;
    else seen.opened++;
    const { pathname } = new URL(request.url);
    const headers = { "content-type": "application/json" };
    await held;
    try {
      const reply = await fetch(sqld.url + pathname, { method: "POST", headers, body: text });
      return new Response(await reply.text(), { status: reply.status, headers });
    } catch {
      return new Response("the server is away", { status: 502 });
    }
  });
  const overflow = { batches: 0 };
  let nowMs = 0;
  const client = openHttp(`http://127.0.0.1:${proxy.addr.port}`, undefined);
  const kept = new KeptStreams({
    client,
    streamsMax: STREAMS_MAX,
    overflow: {
      batch: (statements) => {
        overflow.batches++;
        return Promise.resolve(statements.map(() => ({ rows: [] })));
      },
    },
    nowMs: () => nowMs,
    waitMaxMs,
  });
  await kept.batch([MAKE], "write");
  return {
    sqld,
    kept,
    client,
    seen,
    overflow,
    wait: (ms) => void (nowMs += ms),
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    count: async () => (await kept.batch([COUNT], "read"))[0]?.rows[0]?.n,
    [Symbol.asyncDispose]: async () => {
      client.close();
      await proxy.shutdown();
      await sqld[Symbol.asyncDispose]();
    },
  };
}

async function faultOf(
  connection: Connection,
  statements: readonly Statement[],
): Promise<WriteFaultKind | "none" | undefined> {
  return await connection.batch(statements, "write")
    .then(() => "none" as const, (error) => writeFaultOf(error)?.kind);
}

Deno.test("one stream serves batch after batch, and reads see what was written", async () => {
  await using watched = await watch();
  const { kept, seen } = watched;
  for (let id = 1; id <= 5; id++) {
    await kept.batch([add(id), add(-id)], "write");
    assert.equal(await watched.count(), 2 * id);
  }
  assert.deepEqual([seen.opened, seen.continued, seen.closed], [1, 10, 0]);
});

Deno.test("a batch that fails leaves nothing and no lock, and its stream is never used again", async () => {
  await using watched = await watch();
  const { sqld, kept, seen } = watched;
  assert.equal(await faultOf(kept, [add(1), add(1), add(2)]), "conflict");
  assert.equal(await faultOf(kept, [add(3), statement("SELECT * FROM nothing")]), undefined);
  const failing = "INSERT INTO things SELECT 1 UNION ALL SELECT 1";
  assert.equal(
    await faultOf(kept, [statement(failing.replace("INSERT", "INSERT OR ROLLBACK"))]),
    "conflict",
  );
  assert.equal(await watched.count(), 0);
  assert.deepEqual([seen.opened, seen.continued], [4, 1]);
  const another = { client: openHttp(sqld.url), streamsMax: STREAMS_MAX, overflow: kept };
  await new KeptStreams(another).batch([add(9)], "write");
  assert.equal(await watched.count(), 1);
});

Deno.test("batches at the same moment have a stream each, and more of them wait for one", async () => {
  await using watched = await watch();
  const { kept, seen, overflow } = watched;
  for (let round = 1; round <= 3; round++) {
    const all = await Promise.all(
      Array.from({ length: 5 * STREAMS_MAX }, () => kept.batch([COUNT], "read")),
    );
    assert.ok(all.every(([answer]) => answer?.rows[0]?.n === 0));
  }
  assert.equal(overflow.batches, 0);
  assert.equal(seen.opened, STREAMS_MAX);
  assert.equal(seen.closed, 0);
});

Deno.test("what finds every stream busy for too long goes the plain way, and streams are used again", async () => {
  await using watched = await watch({ waitMaxMs: 20 });
  const { kept, seen, overflow, hold } = watched;
  const release = hold();
  const held = Array.from({ length: STREAMS_MAX }, () => kept.batch([COUNT], "read"));
  const [late] = await kept.batch([COUNT], "read");
  assert.deepEqual([late?.rows, overflow.batches], [[], 1]);
  release();
  await Promise.all(held);
  assert.equal(await watched.count(), 0);
  assert.deepEqual([seen.opened, overflow.batches], [STREAMS_MAX, 1]);
});

Deno.test("a stream that was silent for long is closed, before its server would", async () => {
  await using watched = await watch();
  const { seen } = watched;
  watched.wait(IDLE_MAX_MS);
  assert.equal(await watched.count(), 0);
  assert.deepEqual([seen.opened, seen.continued], [1, 1]);
  watched.wait(IDLE_MAX_MS + 1);
  assert.equal(await watched.count(), 0);
  assert.deepEqual([seen.opened, seen.continued], [2, 1]);
});

Deno.test("a server that knows no stream any more gets each write once, and the failed one is in doubt", async () => {
  await using watched = await watch();
  const { sqld, kept, seen } = watched;
  await Promise.all(Array.from({ length: STREAMS_MAX }, () => kept.batch([COUNT], "read")));
  await sqld.kill();
  await sqld.restart();
  assert.equal(await faultOf(kept, [add(7)]), "lost");
  assert.equal(seen.texts.filter((text) => text.includes("INSERT INTO things")).length, 1);
  // One failure is enough to let all of them go.
  assert.equal(await watched.count(), 0);
  await kept.batch([add(7)], "write");
  assert.equal(await watched.count(), 1);
});

Deno.test("a server that is away makes a write lost, and is used again when it is back", async () => {
  await using watched = await watch();
  const { sqld, kept } = watched;
  await sqld.kill();
  assert.equal(await faultOf(kept, [add(1)]), "lost");
  assert.equal(await faultOf(kept, [add(1)]), "lost");
  await sqld.restart();
  assert.equal(await faultOf(kept, [add(1)]), "none");
  assert.equal(await watched.count(), 1);
});

Deno.test("nothing is answered after closing", async () => {
  await using watched = await watch();
  watched.client.close();
  assert.equal(await faultOf(watched.kept, [add(1)]), "lost");
});
