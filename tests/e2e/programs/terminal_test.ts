import assert from "node:assert/strict";
import { makeCheckout } from "../../support/programs/checkout.ts";

const COLUMNS = 80;
const CTRL_C = "\x03";
const WITHIN_MS = 300_000;
const QUESTION = /Deno requests|Allow\?/;

interface Shown {
  readonly text: string;
  readonly code: number;
}

/**
 * A task's command, in place of the shell and of `deno task`: both hear Ctrl-C as well, and may
 * answer 130 although the program itself ended well.
 */
async function commandOf(task: string): Promise<string> {
  const { tasks } = JSON.parse(await readRoot("deno.json"));
  const [name, ...args] = task.split(" ");
  const command: string = tasks[name!].command.split(" && ").at(-1);
  assert.match(command, /^deno run /);
  const program = [command.replace(/^deno/, `exec '${Deno.execPath()}'`), ...args].join(" ");
  return `stty cols ${COLUMNS}; ${program}`;
}

const readRoot = (path: string) => Deno.readTextFile(new URL(`../../../${path}`, import.meta.url));

/** On a real pseudo-terminal; at a question, or where it would go on, somebody presses Ctrl-C. */
async function onTerminal(
  task: string,
  { folder, stopAt, env }: { folder: string; stopAt: RegExp; env: Record<string, string> },
): Promise<Shown> {
  const child = new Deno.Command("script", {
    args: ["-qec", await commandOf(task), "/dev/null"],
    cwd: folder,
    env: { CPG_PORT: "0", CPG_DATABASE_URL: "", NO_COLOR: "1", ...env },
    stdin: "piped",
    stdout: "piped",
    signal: AbortSignal.timeout(WITHIN_MS),
  }).spawn();
  const keys = child.stdin.getWriter();
  let text = "";
  let isStopped = false;
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (isStopped || !(stopAt.test(text) || QUESTION.test(text))) continue;
    isStopped = true;
    await keys.write(new TextEncoder().encode(CTRL_C));
  }
  const { code } = await child.status;
  await keys.close().catch(() => {});
  return { text, code };
}

Deno.test("on a terminal no task stops at a prompt of Deno, and a misspelt variable is still reported", async () => {
  await using checkout = await makeCheckout();
  const { folder } = checkout;
  const env = { CPG_WORKERS: "1" };
  const tasks = [
    ["demo", /deno task cpg account list/, true],
    [
      "start",
      /Created the database at file:\S+cpg\.db, and the master key at\s[^]*Create the first operator here, once: \S+/,
      true,
    ],
    ["cpg help", /With --json, every command/, false],
    ["cpg", /With --json, every command/, false],
    ["cpg account create --name Acme", /Acme/, false],
  ] as const;
  for (const [task, says, goesOn] of tasks) {
    const stopAt = goesOn ? says : QUESTION;
    const { text, code } = await onTerminal(task, { folder, stopAt, env });
    assert.doesNotMatch(text, QUESTION, task);
    assert.match(text, says, task);
    assert.match(text, /CPG_WORKERS is not a CPG setting[^]*did\s+you\s+mean\s+CPG_WORKER\?/, task);
    assert.equal(code, 0, `${task}: ${text}`);
  }
});

Deno.test("on a terminal tables fit its width and have colours, unless NO_COLOR is set", async () => {
  await using checkout = await makeCheckout();
  const { folder } = checkout;
  const run = async (task: string, noColor: string) => {
    const env = { NO_COLOR: noColor };
    const { text, code } = await onTerminal(task, { folder, stopAt: QUESTION, env });
    assert.equal(code, 0, text);
    return text.replaceAll("\r", "");
  };
  const name = Array(20).fill("word").join(" ");
  await run("cpg migrate", "1");
  await run(`cpg account create --name '${name}'`, "1");
  const plain = await run("cpg account list", "1");
  const [head, row] = plain.split("\n");
  assert.match(head!, /^ACCOUNT ID {2}NAME {2,}MAY BUMP/);
  assert.match(row!, /^1 {11}word word.*… {2}no/);
  for (const line of plain.split("\n")) assert.ok(line.length <= COLUMNS, line);
  const coloured = await run("cpg account list", "");
  assert.ok(coloured.includes("\u001b[1mACCOUNT ID") && !plain.includes("\u001b"));
  const help = await run("cpg help network add", "1");
  for (const line of help.split("\n").filter((it) => it.startsWith("   "))) {
    assert.ok(line.length <= COLUMNS || !line.trim().includes(" "), line);
  }
});

Deno.test("every task, the container and the binary never prompt", async () => {
  const { tasks } = JSON.parse(await readRoot("deno.json"));
  const image = await readRoot("docs/deploy/Dockerfile");
  const lines: string[] = [
    ...Object.values<{ command: string }>(tasks).flatMap(({ command }) => command.split(" && ")),
    ...image.split("\n").filter((line) => /^CMD\b.*main\.ts/.test(line)),
  ].filter((line) => /[" ]-P\b/.test(line));
  assert.equal(lines.filter((line) => line.includes("main.ts")).length >= 5, true);
  for (const line of lines) assert.match(line, /--no-prompt/, line);
  assert.match(await readRoot(".ci/compile.ts"), /"-P",\s*"--no-prompt"/);
});
