import assert from "node:assert/strict";
import { COMMANDS } from "../support/programs/commands.ts";
import { roomOf } from "./rules.ts";
import { readSources } from "./source.ts";

const ROOMS = ["domain", "chains", "store", "actions"];
const WORDS = COMMANDS.map(({ words }) => words.join(" ")).join("|");
/** `--flag`, "command …", or a command's two words in brackets. */
const COMMAND = new RegExp(`(^|[\\s"'(])--[a-z]+(-[a-z]+)*\\b|"(?:help )?(?:${WORDS})(?:[ "]|$)`);

function isOfPages(path: string): boolean {
  return roomOf(path) === "dashboard" && /\/words(\/|\.ts$)/.test(path);
}

/** Of any command, and of the program itself. */
const FLAGS = new Set([...COMMANDS.flatMap(({ flags }) => Object.keys(flags)), "allow-read"]);

function namesCommand(text: string): boolean {
  return COMMAND.test(text);
}

Deno.test("texts for all readers or of pages name no command and no flag", async () => {
  const files = await readSources(new URL("../../", import.meta.url), ["src/"]);
  const found = files.filter(({ path }) => ROOMS.includes(roomOf(path)) || isOfPages(path))
    .flatMap(({ path, strings }) => strings.filter(namesCommand).map((text) => `${path}: ${text}`));
  assert.deepEqual(found, []);
});

Deno.test("a text names a command where it has a flag, or quotes the command's words", () => {
  for (const text of ["give --chain-id", '"key list"', '; "wallet adopt ', '"help resume"']) {
    assert.ok(namesCommand(text), text);
  }
  for (const text of ["a key list", "two-sided -- or not", "The wallet adopted it", '"resumed"']) {
    assert.ok(!namesCommand(text), text);
  }
});

Deno.test("what the command line advises exists: its commands and their flags", async () => {
  const files = await readSources(new URL("../../", import.meta.url), ["src/operations/words/"]);
  const texts = files.flatMap(({ strings }) => strings);
  const quoted = texts.flatMap((text) => [...text.matchAll(/"(?:help )?([a-z][^"]*)"/g)])
    .map(([, line]) => line!);
  assert.ok(quoted.length > 30);
  assert.deepEqual(quoted.filter((line) => !isCommandLine(line)), []);
  const alone = texts.flatMap((text) => flagsIn(text.replace(/"[^"]*"/g, "")));
  assert.ok(alone.length > 5);
  assert.deepEqual(alone.filter((flag) => !FLAGS.has(flag)), []);
});

/** Also the start of one, whose rest is put in. */
function isCommandLine(line: string): boolean {
  return COMMANDS.some(({ words, flags }) =>
    `${line} `.startsWith(`${words.join(" ")} `) && flagsIn(line).every((flag) => flag in flags)
  );
}

function flagsIn(text: string): string[] {
  return [...text.matchAll(/--([a-z]+(?:-[a-z]+)*)/g)].map(([, flag]) => flag!);
}
