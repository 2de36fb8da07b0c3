import assert from "node:assert/strict";
import {
  barOf,
  createProgress,
  createTally,
  showStages,
} from "../../src/operations/screen/progress.ts";
import type { CliHost } from "../../src/operations/host.ts";
import { WaitingLine } from "../../src/operations/screen/waiting_line.ts";

function watched(isTerminal = true) {
  const written: string[] = [];
  const writeError = (text: string) => void written.push(text);
  return { written, host: { isTerminal, writeError } as unknown as CliHost };
}

Deno.test("a bar goes from nothing to everything, and never beyond", () => {
  const barAt = (done: number, of: number) => barOf({ done, of, what: "rows" });
  assert.equal(barAt(0, 200), `[${"-".repeat(30)}] 0% of 200 rows`);
  assert.equal(barAt(100, 200), `[${"#".repeat(15)}${"-".repeat(15)}] 50% of 200 rows`);
  assert.equal(barAt(201, 200), `[${"#".repeat(30)}] 100% of 200 rows`);
  assert.equal(barAt(0, 0), `[${"#".repeat(30)}] 100% of 0 rows`);
});

Deno.test("a progress bar stays on the screen, and nothing is written without a terminal", () => {
  const { host, written } = watched();
  const progress = createProgress(createTally({ host, isQuiet: false }));
  progress.show({ blocks: 1, of: 2 });
  progress.end();
  assert.match(written.join(""), /^\r\[#{15}-{15}\] 50% of 2 blocks\n$/);
  for (const quiet of [{ ...watched(false), isQuiet: false }, { ...watched(), isQuiet: true }]) {
    createProgress(createTally(quiet)).show({ blocks: 1, of: 2 });
    assert.deepEqual(quiet.written, []);
  }
});

Deno.test("a stage that blocks is shown at once, and erased when the work ends or fails", async () => {
  for (const isFailing of [false, true]) {
    const { host, written } = watched();
    const done = showStages(createTally({ host, isQuiet: false }), ({ next, nextBlocking }) => {
      nextBlocking("Copying");
      next("Checking");
      return isFailing ? Promise.reject(new Error("no")) : Promise.resolve(7);
    });
    if (isFailing) await assert.rejects(done, /no/);
    else assert.equal(await done, 7);
    assert.deepEqual(written, ["\rCopying ...", `\r${" ".repeat(11)}\r`]);
  }
});

Deno.test("quick work shows nothing", async () => {
  const { host, written } = watched();
  await showStages(
    createTally({ host, isQuiet: false }),
    ({ next }) => Promise.resolve(next("Checking")),
  );
  assert.deepEqual(written, []);
});

Deno.test("a command that is silent for two seconds shows its name and its time, until it speaks", async () => {
  const { host, written } = watched();
  let now = 0;
  const readLine = () => Promise.resolve("yes");
  const line = new WaitingLine({ ...host, readLine }, () => now);
  const at = (ms: number) => {
    now = ms;
    line.look("integrity check");
    return written.splice(0);
  };
  assert.deepEqual(at(1_999), []);
  assert.deepEqual(at(2_000), ["\rintegrity check ... 2 s"]);
  line.host.writeError("half done\n");
  assert.deepEqual(at(3_900), [`\r${" ".repeat(23)}\r`, "half done\n"]);
  assert.deepEqual(at(4_000), ["\rintegrity check ... 4 s"]);
  line.host.writeError("Type yes: ");
  written.length = 0;
  assert.deepEqual(at(9_000), [], "a prompt stays");
  assert.equal(await line.host.readLine(), "yes");
  assert.deepEqual(at(10_999), []);
  assert.deepEqual(at(11_000), ["\rintegrity check ... 11 s"]);
  line.end();
  assert.deepEqual(written, [`\r${" ".repeat(24)}\r`]);
});
