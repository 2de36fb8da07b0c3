import assert from "node:assert/strict";
import type { Statement } from "../../../src/store/connection/connection.ts";
import { writeFaultOf } from "../../../src/store/connection/faults.ts";
import { openServer } from "../../../src/store/connection/server_connection.ts";
import { nextTurn } from "../../../src/base/waiting/next_turn.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { startSqld } from "../../support/database/sqld.ts";

const MAKE = statement("CREATE TABLE things (id INTEGER PRIMARY KEY) STRICT");
const SLOW = statement("SELECT 'slow' AS what");

function statement(sql: string): Statement {
  return { sql, args: [] };
}

Deno.test("however many reads are slow, the writer's read and write are not behind them", async () => {
  await using sqld = await startSqld();
  const release = Promise.withResolvers<void>();
  const held = async (request: Request) => {
    if ((await request.clone().text()).includes("slow")) await release.promise;
    return await fetch(request);
  };
  const connection = await openServer({ url: sqld.url }, { fetch: held });
  await connection.batch([MAKE], "write");
  const reading = Array.from({ length: 100 }, () => connection.reads.batch([SLOW], "read"));
  const { writer } = connection;
  for (let id = 1; id <= 3; id++) {
    await writer.batch([statement(`INSERT INTO things VALUES (${id})`)], "write");
    const [answer] = await writer.batch([statement("SELECT count(*) AS n FROM things")], "read");
    assert.equal(answer?.rows[0]?.n, id);
  }
  release.resolve();
  for (const [answer] of await Promise.all(reading)) assert.equal(answer?.rows[0]?.what, "slow");
  connection.close();
});

Deno.test("a server that stands still is asked fifteen reads at most, and all are answered later", async () => {
  await using sqld = await startSqld();
  const release = Promise.withResolvers<void>();
  let held = 0;
  const holding = async (request: Request) => {
    if ((await request.clone().text()).includes("slow")) {
      held++;
      await release.promise;
    }
    return await fetch(request);
  };
  const connection = await openServer({ url: sqld.url }, { fetch: holding });
  const reading = [];
  for (let i = 0; i < 40; i++) {
    reading.push(connection.reads.batch([SLOW], "read"));
    await nextTurn();
  }
  await eventually(() => Promise.resolve(held), { until: (count) => count >= 15 });
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(held, 15);
  release.resolve();
  for (const [answer] of await Promise.all(reading)) assert.equal(answer?.rows[0]?.what, "slow");
  connection.close();
});

Deno.test("a server that vanished leaves a write in doubt, and nobody waits for ever", async () => {
  await using sqld = await startSqld();
  const vanished = new AbortController();
  let isThere = true;
  const asking = (request: Request) => {
    if (isThere) return fetch(request);
    const { promise, reject } = Promise.withResolvers<Response>();
    const giveUp = () => reject(vanished.signal.reason);
    if (vanished.signal.aborted) giveUp();
    vanished.signal.addEventListener("abort", giveUp);
    return promise;
  };
  const connection = await openServer({ url: sqld.url }, { fetch: asking });
  const { writer, reads } = connection;
  await connection.batch([MAKE], "write");
  isThere = false;
  const asked = [
    ...Array.from({ length: 20 }, () => reads.batch([SLOW], "read")),
    writer.batch([SLOW], "write"),
  ];
  setTimeout(() => vanished.abort(new DOMException("Signal timed out.", "TimeoutError")));
  for (const end of await Promise.allSettled(asked)) {
    assert.equal(end.status === "rejected" && writeFaultOf(end.reason)?.kind, "lost");
  }
  isThere = true;
  assert.equal((await reads.batch([SLOW], "read"))[0]?.rows[0]?.what, "slow");
  await writer.batch([statement("INSERT INTO things VALUES (1)")], "write");
  connection.close();
});
