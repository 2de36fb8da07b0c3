import assert from "node:assert/strict";

/** Four times the text may take four times as long; sixteen times is too much. */
const GROWTH_MAX = 8;
const LENGTH = 4_000;
/** Below this, growth can't be distinguished from noise. */
const SLOW_MS = 2;
const TRIES = 4;
const COMMON = ["a", "0", " ", "/", ":", "-", ".", "@", "A", "%", "\n", "=", "[", "é", "\u2028"];
const PREFIXES = ["", "0x", "//", "a@", "https://", "\r\n", "a", "0", ":", "/"];

interface Pattern {
  readonly where: string;
  readonly pattern: RegExp;
}

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* sources(path);
    else if (/\.tsx?$/.test(name)) yield path;
  }
}

/** Every text where a regular expression may be, if it is one. */
function patternsOf(text: string, path: string): Pattern[] {
  const found: Pattern[] = [];
  const literal =
    /(?<=[(,=:[!&|?{};\n]\s*|return\s|=>\s)\/(?![/*])((?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g;
  for (const { 1: body, 2: flags, index } of text.matchAll(literal)) {
    const line = text.slice(0, index).split("\n").length;
    try {
      found.push({ where: `${path}:${line}`, pattern: new RegExp(body!, flags) });
    } catch (error) {
      assert.ok(error instanceof SyntaxError, `${path}:${line} is no pattern`);
    }
  }
  return found;
}

function piecesOf({ source }: RegExp): string[] {
  const plain = source.replace(/\\([/.?*+^$()[\]{}|-])/g, "$1").replace(/\\r/g, "\r").replace(
    /\\n/g,
    "\n",
  );
  const words = plain.match(/[\w:/@.=<>-]{2,}/g) ?? [];
  const letters = plain.match(/[^\\()[\]{}?*+|^$]/g) ?? [];
  return [...new Set([...COMMON, ...letters, ...words])];
}

/** The fastest of a few, since others use this machine too. */
function msOf(pattern: RegExp, text: string, triesMax: number): number {
  let ms = Infinity;
  for (let tries = 0; tries < triesMax && ms > SLOW_MS; tries++) {
    pattern.lastIndex = 0;
    const startedAt = performance.now();
    if (pattern.global) text.replace(pattern, "");
    else pattern.test(text);
    ms = Math.min(ms, performance.now() - startedAt);
  }
  return ms;
}

function slowestOf(pattern: RegExp, tries = TRIES): string | undefined {
  for (const prefix of PREFIXES) {
    for (const piece of piecesOf(pattern)) {
      const text = (length: number) => `${prefix}${piece.repeat(length / piece.length)}\u0001!`;
      const ms = msOf(pattern, text(LENGTH), tries);
      if (ms <= SLOW_MS) continue;
      if (msOf(pattern, text(4 * LENGTH), tries) / ms > GROWTH_MAX) return prefix + piece.repeat(3);
    }
  }
  return undefined;
}

const root = new URL("../", import.meta.url).pathname;
const patterns: Pattern[] = [];
for await (const path of sources(`${root}src`)) {
  patterns.push(...patternsOf(await Deno.readTextFile(path), path.slice(root.length)));
}

Deno.test("patterns whose time grows with the square of the text are found", () => {
  for (const slow of [/\.?0+$/, /\s+$/, /\/\/.*@/s, /\/\/\S*@/g, /\d+\s*$/, /a.*b.*c/]) {
    assert.ok(slowestOf(slow, 1), String(slow));
  }
  assert.equal(slowestOf(/^\d+(\.\d+)?$/), undefined);
});

Deno.test("no pattern of the program takes time that grows with the square of the text", () => {
  assert.ok(patterns.length > 100, `${patterns.length} patterns`);
  const slow = patterns.map(({ where, pattern }) => ({ where, pattern, text: slowestOf(pattern) }))
    .filter(({ text }) => text !== undefined)
    .map(({ where, pattern, text }) => `${where} ${pattern}: ${JSON.stringify(text)}…`);
  assert.deepEqual(slow, []);
});
