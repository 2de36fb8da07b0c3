import assert from "node:assert/strict";
import {
  badNames,
  barrels,
  circles,
  exportsForTests,
  leftOver,
  missing,
  mixedFamilies,
  notPrivate,
  outOfOrder,
  outOfRank,
  roomOf,
  sqlElsewhere,
  statefulModules,
  tourOf,
  unusedExports,
  usesOf,
} from "./rules.ts";
import { parse, type SourceFile } from "./source.ts";

const RANKS = { base: 0, store: 1, keys: 1, actions: 2, wiring: 3 };

Deno.test("a source is read without its comments", () => {
  const text = `import type { A } from "./a.ts";
// import "./commented.ts"; Date.now();
export const b = await import("./b.ts");
const s = 'SELECT' + \`x \${Deno.env.get("E")} y\`;
function f(a?: A) {
  return () => a ? new Date() : (s as string)!;
}
export { f as g };
const c = ["x"] as const;
`;
  const { imports, exports, strings, names, functions, casts, bangs } = parse(
    "src/store/x.ts",
    text,
  );
  assert.deepEqual(imports.map(({ to, names }) => [to, names]), [
    ["src/store/a.ts", ["A"]],
    ["src/store/b.ts", ["*"]],
  ]);
  assert.deepEqual(exports, ["b", "g"]);
  assert.deepEqual(strings.toSorted(), ["./a.ts", "./b.ts", "E", "SELECT", "x", "x  y"]);
  assert.deepEqual(["Deno.env", "new Date()", "await", "Date.now"].map((it) => names.has(it)), [
    true,
    true,
    true,
    false,
  ]);
  assert.deepEqual(functions, [
    { line: 6, lines: 1, isOutermost: false, complexity: 2 },
    { line: 5, lines: 3, isOutermost: true, complexity: 1 },
  ]);
  assert.deepEqual([casts, bangs], [1, 1]);
});

Deno.test("every way to continue counts towards complexity", () => {
  const text = `function f(a: number) {
  if (a && a || a) for (const b of []) while (b) do { a = b ?? 1; } while (a);
  switch (a) { case 1: case 2: default: }
  try { for (;;) {} } catch { for (const c in {}) a = c ? 1 : 2; }
}`;
  assert.deepEqual(parse("src/a.ts", text).functions.map(({ complexity }) => complexity), [14]);
});

Deno.test("a room of a higher or equal rank can't be imported, nor one without a rank", () => {
  assert.deepEqual(
    outOfRank(
      sources({
        "src/store/a.ts": 'import "../base/b.ts"; import "./c.ts"; import "../sweeps/d.ts";',
        "src/keys/e.ts": 'import type { X } from "../store/a.ts";',
        "src/sdk/f.ts": "",
        "main.ts": 'import "./src/sweeps/d.ts";',
      }),
      RANKS,
    ),
    [
      "src/sdk/f.ts is in a room without a rank",
      "src/store/a.ts imports ../sweeps/d.ts",
      "src/keys/e.ts imports ../store/a.ts",
    ],
  );
});

Deno.test("ranks and the order of nouns are read from the tour of the code", () => {
  const page = `
| Rank | Part             | Contents |
| ---- | ---------------- | -------- |
| 1    | \`rules\`          | pure     |
| 2    | \`table\`, \`reads\` | rows     |
| 3    | all others       | the rest |

Nouns know only those before them: books,
request_log, sweeps. Around them:

| 3½   | \`operations/\` | \`lists/\`, the one list |
| 3¾   | \`sandbox/\`    | the demo               |
`;
  assert.deepEqual(tourOf(page), {
    ranks: { rules: 1, table: 2, reads: 2, operations: 3.5, sandbox: 3.75 },
    nouns: ["books", "request_log", "sweeps"],
  });
});

Deno.test("what a noun does knows only the nouns before it, and each has its place", () => {
  const files = sources({
    "src/deps/deps.ts": "",
    "src/books/a.ts": 'import "../deps/deps.ts"; import "../sweeps/b.ts"; import "../base/x.ts";',
    "src/sweeps/b.ts": 'import "../books/a.ts"; import "./c.ts";',
    "src/other/d.ts": "",
  });
  assert.deepEqual(outOfOrder(files, ["books", "sweeps", "gone"]), [
    "other has no place in the order",
    "gone is not there",
    "src/books/a.ts imports ../sweeps/b.ts",
  ]);
});

Deno.test("what a file of a noun is, its name says", () => {
  const rooms = {
    "src/payees/table.ts": "store",
    "src/payees/tables/links.ts": "store",
    "src/payees/reads.ts": "store",
    "src/payees/rules/near.ts": "domain",
    "src/payees/payees.ts": "actions",
    "src/payees/operations.ts": "operations",
    "src/payees/list.ts": "operations",
    "src/payees/api/payees.ts": "http",
    "src/payees/pages/new.tsx": "dashboard",
    "src/payees/worker.ts": "workers",
    "src/base/lists.ts": "base",
    "main.ts": "wiring",
  };
  assert.deepEqual(
    Object.keys(rooms).map((path) => [path, roomOf(path)]),
    Object.entries(rooms),
  );
});

Deno.test("imported files exist", () => {
  const files = sources({
    "src/a.ts": 'import "./b.ts"; import "npm:x";',
    "src/c.ts": 'import "./a.ts";',
  });
  assert.deepEqual(missing(files), ["src/a.ts imports ./b.ts"]);
});

Deno.test("a circle is found, even through types, tests and re-exports", () => {
  assert.deepEqual(
    circles(sources({
      "src/a.ts": 'import type { B } from "./b.ts";',
      "src/b.ts": 'export { c } from "../tests/c.ts";',
      "tests/c.ts": 'const a = await import("../src/a.ts");',
    })),
    ["src/a.ts → src/b.ts → tests/c.ts → src/a.ts"],
  );
  assert.deepEqual(
    circles(sources({
      "src/a.ts": 'import "./b.ts"; import "./c.ts";',
      "src/b.ts": 'import "./c.ts";',
      "src/c.ts": "",
    })),
    [],
  );
});

Deno.test("a private file is for its folder and the tests of that folder", () => {
  assert.deepEqual(
    notPrivate(sources({
      "src/store/_a.ts": "",
      "src/store/b.ts": 'import "./_a.ts";',
      "tests/store/a_test.ts": 'import "../../src/store/_a.ts";',
      "tests/keys/a_test.ts": 'import "../../src/store/_a.ts";',
      "src/store/reads/c.ts": 'import "../_a.ts";',
    })),
    ["tests/keys/a_test.ts imports ../../src/store/_a.ts", "src/store/reads/c.ts imports ../_a.ts"],
  );
});

Deno.test("an export is imported somewhere, by its name or with all others", () => {
  const files = sources({
    "src/a.ts":
      "export const used = 1, unused = 2; export interface Alone {} export { used as again };",
    "src/b.ts": "export default 1; export function whole() {}",
    "src/jsx.ts": "export function jsx() {}",
    "src/c.ts": 'import { used as mine } from "./a.ts"; import * as b from "./b.ts";',
  });
  assert.deepEqual(unusedExports(files, ["src/jsx.ts"]), [
    "src/a.ts exports unused",
    "src/a.ts exports Alone",
    "src/a.ts exports again",
  ]);
});

Deno.test("exports that only tests import are counted separately", () => {
  const files = sources({
    "src/a.ts": "export const a = 1; export const b = 2; export const c = 3;",
    "src/b.ts": 'import { a } from "./a.ts";',
    "tests/a_test.ts": 'import { a, b } from "../src/a.ts";',
  });
  assert.deepEqual(exportsForTests(files), ["src/a.ts exports b"]);
});

Deno.test("only allowed files re-export anything", () => {
  const files = sources({
    "src/a.ts": 'export * from "./b.ts";',
    "src/b.ts": 'export { c } from "./c.ts";',
    "src/mod.ts": 'export { c } from "./c.ts";',
  });
  assert.deepEqual(barrels(files, /mod\.ts$/), [
    "src/a.ts imports ./b.ts",
    "src/b.ts imports ./c.ts",
  ]);
});

Deno.test("a chain family knows neither another one nor its library", () => {
  const files = sources({
    "src/chains/evm/a.ts": 'import "viem"; import "../pool/b.ts";',
    "src/chains/tron/blocks/a.ts": 'import "viem/chains"; import "../../evm/a.ts";',
    "src/chains/pool/b.ts": 'import "npm:viem@2";',
    "src/chains/registry.ts": 'import "./evm/a.ts"; import "./tron/blocks/a.ts";',
  });
  assert.deepEqual(mixedFamilies(files), [
    "src/chains/tron/blocks/a.ts imports viem/chains",
    "src/chains/tron/blocks/a.ts imports ../../evm/a.ts",
    "src/chains/pool/b.ts imports npm:viem@2",
  ]);
});

Deno.test("file names are words joined by underscores, and none is index", () => {
  const files = sources({
    "src/ok_2.ts": "",
    "src/_ok.tsx": "",
    "src/notOk.ts": "",
    "src/index.ts": "",
  });
  assert.deepEqual(badNames(files), ["src/notOk.ts", "src/index.ts"]);
});

Deno.test("SQL is found outside of the store, whole or in pieces", () => {
  const files = sources({
    "src/store/a.ts": 'const sql = "SELECT 1 FROM a";',
    "src/base/b.ts": "const sql = `DELETE FROM a`;",
    "src/base/c.ts": 'const sql = " WHERE id = ?";',
    "src/base/d.ts": 'const text = "Select one of these"; // SELECT 1 FROM a',
  });
  assert.deepEqual(sqlElsewhere(files), ["src/base/b.ts", "src/base/c.ts"]);
});

Deno.test("names of the outside world are found in code, not in texts", () => {
  const files = sources({
    "src/a.ts": "const at = Date.now();",
    "src/b.ts": "const at = Date.now();",
    "src/c.ts": 'const text = "Date.now"; // Date.now()',
  });
  assert.deepEqual(usesOf(files, { names: ["Date.now"], allowed: ["src/b.ts"] }), ["src/a.ts"]);
});

Deno.test("variables of a module are found, and objects of a module that can change", () => {
  const files = sources({
    "src/a.ts": "export let last = 0;\nconst known = new Map<string, number>(), free = [];",
    "src/b.ts": "const queues = { signing: new KeyedBatches(50) };\nvar old = {};",
    "src/c.ts": "class Limits { static known = new Set(); }",
    "src/ok.ts": `const PORTS: ReadonlySet<number> = new Set([1]), NONE: readonly string[] = [];
const WORD = new RegExp("a");
export class Queue { readonly #waiting = new Map(); last = []; }
function work() { let i = 0; const known = new Map(); for (let j = 0;;) {} }
const later = () => new Lru(9);`,
    "src/d.ts": "const seals = new WeakMap();",
  });
  const rule = { constants: ["RegExp"], allowed: ["src/d.ts", "src/ok.ts"] };
  assert.deepEqual(statefulModules(files, rule), [
    "src/a.ts:1 keeps let",
    "src/a.ts:2 keeps Map",
    "src/a.ts:2 keeps []",
    "src/b.ts:1 keeps KeyedBatches",
    "src/b.ts:2 keeps var",
    "src/b.ts:2 keeps {}",
    "src/c.ts:1 keeps Set",
    "src/ok.ts keeps nothing: take it off the list",
  ]);
});

Deno.test("postponed work is found in comments too", () => {
  const files = sources({
    "src/a.ts": `// ${"TO" + "DO"}: later`,
    "src/b.ts": "// TODOS is no such word",
  });
  assert.deepEqual(leftOver(files), ["src/a.ts"]);
});

function sources(texts: Readonly<Record<string, string>>): SourceFile[] {
  return Object.entries(texts).map(([path, text]) => parse(path, text));
}
