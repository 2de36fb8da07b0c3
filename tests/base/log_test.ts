import assert from "node:assert/strict";
import { createLog, LOG_LEVELS, type LogLevel, writeToStderr } from "../../src/base/log.ts";

const AT_MS = Date.UTC(2026, 0, 31, 12);

function capture(level: LogLevel = "debug") {
  const lines: string[] = [];
  const log = createLog({
    level,
    clock: { nowMs: () => AT_MS },
    write: (line) => lines.push(line()),
  });
  return { log, lines, last: () => JSON.parse(lines.at(-1)!) };
}

Deno.test("a line is one JSON object with time, level, message and the given fields", () => {
  const { log, lines } = capture();
  log.warn("node is slow", { network: "ETH", ms: 1200 });
  assert.equal(lines.length, 1);
  assert.ok(lines[0]!.endsWith("}\n") && lines[0]!.indexOf("\n") === lines[0]!.length - 1);
  assert.deepEqual(JSON.parse(lines[0]!), {
    time: "2026-01-31T12:00:00.000Z",
    level: "warn",
    message: "node is slow",
    network: "ETH",
    ms: 1200,
  });
});

Deno.test("text with line breaks stays on one line and is unchanged when parsed", () => {
  const { log, lines, last } = capture();
  log.error("first\nsecond", { text: 'a "b"\r\n\u2028c' });
  assert.equal(lines[0]!.trimEnd().split("\n").length, 1);
  assert.equal(last().message, "first\nsecond");
  assert.equal(last().text, 'a "b"\r\n\u2028c');
});

for (const level of LOG_LEVELS) {
  Deno.test(`at level ${level} only its own and higher levels are written`, () => {
    const { log, lines } = capture(level);
    for (const each of ["debug", "info", "warn", "error"] as const) log[each](each);
    const expected = ["debug", "info", "warn", "error"].slice(LOG_LEVELS.indexOf(level));
    assert.deepEqual(lines.map((line) => JSON.parse(line).level), expected);
  });
}

Deno.test("integers too large for floats are written digit by digit, at any depth", () => {
  const { log, last } = capture();
  log.info("raw", { amount: 2n ** 256n - 1n, list: [{ deep: -1n }] });
  assert.equal(last().amount, (2n ** 256n - 1n).toString());
  assert.deepEqual(last().list, [{ deep: "-1" }]);
});

Deno.test("an error is written with its name, message and stack", () => {
  class NodeDown extends Error {
    override name = "NodeDown";
  }
  const { log, last } = capture();
  log.error("failed", { error: new NodeDown("no answer") });
  const { name, message, stack } = last().error;
  assert.deepEqual([name, message], ["NodeDown", "no answer"]);
  assert.match(stack, /log_test\.ts/);
});

Deno.test("an error's cause is written with it", () => {
  const { log, last } = capture();
  const cause = new Error("connection refused", { cause: new Error("ECONNREFUSED") });
  log.error("failed", { error: new Error("Cannot read block 5", { cause }) });
  assert.equal(last().error.cause?.message, "connection refused");
  assert.equal(last().error.cause?.cause?.message, "ECONNREFUSED");
});

Deno.test("only the given values are written: a key object shows nothing of its key", async () => {
  const { log, lines } = capture();
  const secret = new Uint8Array(32).fill(0xab);
  const key = await crypto.subtle.importKey("raw", secret, "AES-GCM", false, ["encrypt"]);
  log.info("started", { key, read: () => secret });
  assert.equal(/171|ab/i.test(lines[0]!.slice(lines[0]!.indexOf('"key"'))), false, lines[0]!);
});

Deno.test("a field that can't be written never stops the caller", () => {
  const { log, lines } = capture();
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const thrower = {
    toJSON: () => {
      throw new Error("no");
    },
  };
  assert.doesNotThrow(() => log.error("circle", { circle }));
  assert.doesNotThrow(() => log.error("thrower", { thrower }));
  assert.deepEqual(lines.map((line) => JSON.parse(line).message), ["circle", "thrower"]);
});

Deno.test("a field can't pose as the line's own time, level or message", () => {
  const { log, last } = capture();
  log.error("told by the gateway", { message: "told by a node", level: "debug", time: "never" });
  assert.equal(last().message, "told by the gateway");
  assert.equal(last().level, "error");
  assert.equal(last().time, "2026-01-31T12:00:00.000Z");
});

Deno.test("a line that can't be built isn't retried and doesn't block later ones", () => {
  const fails = () => {
    throw new Error("no line");
  };
  assert.throws(() => writeToStderr(fails, true), /no line/);
  assert.doesNotThrow(() => writeToStderr(() => "", true));
});

const WRITER = new URL("log_writer.ts", import.meta.url).pathname;

Deno.test("a program continues when nobody reads its log any more", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-A", "--no-lock", WRITER],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await child.stderr.cancel();
  const input = child.stdin.getWriter();
  const reported = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  for (let round = 0; round < 2; round++) {
    await input.write(new Uint8Array([10]));
    assert.equal((await reported.read()).value, "logged\n");
  }
  await input.close();
  await reported.cancel();
  assert.equal((await child.status).code, 0);
});
