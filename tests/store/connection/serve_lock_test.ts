import assert from "node:assert/strict";
import { OperatorError } from "../../../src/domain/refusal.ts";
import { takeServeLock } from "../../../src/store/connection/serve_lock.ts";
import { type ChildProgram, startChild } from "../child_program.ts";

interface Place extends AsyncDisposable {
  readonly folder: string;
  readonly url: string;
}

async function makePlace(): Promise<Place> {
  const folder = await Deno.makeTempDir({ prefix: "cpg-lock-" });
  return {
    folder,
    url: `file:${folder}/cpg.db`,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** A process of its own that serves this database. */
async function startServing(url: string, commands: readonly string[] = []): Promise<ChildProgram> {
  const child = startChild(new URL("lock_taker.ts", import.meta.url), {
    args: [url],
    denoArgs: ["--v8-flags=--expose-gc"],
  });
  assert.equal(await child.line(), "taken");
  for (const command of commands) {
    await child.say(command);
    assert.equal(await child.line(), `${command} done`);
  }
  return child;
}

const REFUSAL = (url: string) => ({
  name: "OperatorError",
  message:
    `Another gateway is already serving ${url}: stop it first, or use another CPG_DATABASE_URL`,
});

Deno.test("a second server on the same database is refused in one clear line", async () => {
  await using place = await makePlace();
  const lock = await takeServeLock(place.url);
  await assert.rejects(takeServeLock(place.url), REFUSAL(place.url));
  lock.release();
});

Deno.test("a server in another process is refused as long as the first one runs", async () => {
  await using place = await makePlace();
  await using first = await startServing(place.url);
  await assert.rejects(takeServeLock(place.url), REFUSAL(place.url));
  await first.kill();
  (await takeServeLock(place.url)).release();
});

Deno.test("a released lock can be taken again, and again", async () => {
  await using place = await makePlace();
  for (let time = 0; time < 5; time++) {
    const lock = await takeServeLock(place.url);
    await assert.rejects(takeServeLock(place.url), OperatorError);
    lock.release();
  }
});

Deno.test("a server that releases its lock and lives on leaves it to another process", async () => {
  await using place = await makePlace();
  await using first = await startServing(place.url, ["release"]);
  (await takeServeLock(place.url)).release();
  await first.say("take");
  assert.equal(await first.line(), "take done");
  await assert.rejects(takeServeLock(place.url), OperatorError);
});

Deno.test("the lock is gone with a killed process, at whatever moment it is killed", async () => {
  await using place = await makePlace();
  for (let time = 0; time < 3; time++) {
    await using server = await startServing(place.url);
    await server.kill();
    (await takeServeLock(place.url)).release();
  }
});

Deno.test("collecting garbage doesn't lose the lock", async () => {
  await using place = await makePlace();
  await using _server = await startServing(place.url, ["collect"]);
  await assert.rejects(takeServeLock(place.url), OperatorError);
});

Deno.test("servers of different databases don't disturb each other", async () => {
  await using place = await makePlace();
  const locks = [await takeServeLock(place.url), await takeServeLock(`${place.url}.other`)];
  for (const lock of locks) lock.release();
});

Deno.test("a missing folder is created, and if it can't be, the error says so", async () => {
  await using place = await makePlace();
  (await takeServeLock(`file:${place.folder}/new/deep/cpg.db`)).release();
  await Deno.writeTextFile(`${place.folder}/file`, "");
  await assert.rejects(
    takeServeLock(`file:${place.folder}/file/cpg.db`),
    (error) =>
      error instanceof OperatorError && /^Cannot open the database file:/.test(error.message) &&
      !error.message.includes("already serving"),
  );
});
