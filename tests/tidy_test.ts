import assert from "node:assert/strict";
import {
  badNames,
  badTitles,
  barrels,
  circles,
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
} from "./tidy/rules.ts";
import { readSource, readSources } from "./tidy/source.ts";

const TITLE_CHARS_MAX = 100;
/** The compiler imports it for every page. */
const JSX_RUNTIME = "src/base/html.ts";
/** Merchants' programs import it. */
const SDK = "src/sdk/mod.ts";
const CONFIG = "src/app/config/config.ts";
const OUTSIDE_WORLD: readonly (readonly [what: string, names: string[], allowed: string[]])[] = [
  ["the environment", ["Deno.env", "process.env"], [CONFIG, "main.ts"]],
  ["the system's clock", ["Date.now", "new Date()"], ["src/base/clock.ts", CONFIG, "main.ts"]],
];
const IMPURE = [
  "await",
  "async",
  "Math.random",
  "fetch",
  "Deno",
  "crypto",
  "setTimeout",
  "performance",
];

/** Classes whose objects never change; buffers of bytes are empty, or filled anew for each use. */
const CONSTANTS = [
  "Exact",
  "Markup",
  "Promise",
  "RegExp",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "URLSearchParams",
  "Uint8Array",
];
/** Their state, and why it isn't in `deps.memory`, is in docs/decisions.md ("State has a name"). */
const STATEFUL = [
  "src/books/records.ts",
  "src/base/log.ts",
  "src/base/net/streamed.ts",
  "src/chains/evm/address.ts",
  "src/chains/tron/address.ts",
  "src/domain/money/amount.ts",
  "src/domain/money/written.ts",
  "src/store/engine/statements.ts",
  "src/store/tables/table.ts",
];
/** Nothing is promised of it, so each version of Deno has to show that its tests still pass. */
const INTERNALS = {
  path: "src/base/net/serve_connection.ts",
  tests: "tests/base/net/accept_connections_test.ts and tests/http/requests/connections_test.ts",
  provedWith: "2.9.6",
};

const root = new URL("../", import.meta.url);
const { ranks, nouns } = tourOf(await Deno.readTextFile(new URL("src/README.md", root)));
/** What nouns do has the rank of what it gets; `main.ts` imports everything. */
const RANKS: Readonly<Record<string, number>> = { ...ranks, actions: ranks.deps!, wiring: 7 };
const files = [...await readSources(root, ["src/"]), await readSource(root, "main.ts")];
const all = [...files, ...await readSources(root, ["tests/", ".ci/"])];

Deno.test("a file imports from lower ranks or its own room only, types included", () => {
  assert.ok(files.length > 100);
  assert.deepEqual(outOfRank(files, RANKS), []);
});

Deno.test("src/README.md gives each part of a noun the rank of the room it counts to", () => {
  const parts = Object.keys(ranks).map((name) => ({ name, room: roomOf(`src/x/${name}/y.ts`) }))
    .filter(({ room }) => room !== "actions");
  assert.ok(parts.length > 10);
  assert.deepEqual(parts.filter(({ name, room }) => RANKS[name] !== RANKS[room]), []);
});

Deno.test("what a noun does knows only the nouns before it in src/README.md", () => {
  assert.deepEqual(outOfOrder(files, nouns), []);
});

Deno.test("every imported file exists, and no files import each other in a circle", () => {
  assert.deepEqual(missing(all), []);
  assert.deepEqual(circles(all), []);
});

Deno.test("viem is imported by the EVM family only, and no family by another", () => {
  assert.deepEqual(mixedFamilies(files), []);
});

Deno.test("a private file is imported by its own folder and the tests of that folder only", () => {
  assert.deepEqual(notPrivate(all), []);
});

Deno.test("only demo --tron loads the simulated TRON node, and nothing else imports it", () => {
  const node = "src/sandbox/tron_node/";
  const outside = files.filter(({ path }) => !path.startsWith(node));
  const importing = outside.filter(({ imports }) => imports.some(({ to }) => to?.startsWith(node)));
  assert.deepEqual(importing.map(({ path }) => path), ["src/sandbox/demo/tron.ts"]);
  const loading = files.filter(({ text }) => /\b(from|import\() ?"\.[^"]*\/tron\.ts"/.test(text));
  assert.deepEqual(loading.map(({ path }) => path), ["src/sandbox/demo/demo.ts"]);
  assert.match(loading[0]!.text, /await import\("\.\/tron\.ts"\)/);
});

Deno.test("file names are words joined by underscores, and no file is called index", () => {
  assert.deepEqual(badNames(all), []);
});

Deno.test("every export is imported by another file", () => {
  assert.deepEqual(unusedExports(all, [JSX_RUNTIME, SDK]), []);
});

Deno.test("SQL is written in the store only", () => {
  assert.deepEqual(sqlElsewhere(files), []);
});

for (const [what, names, allowed] of OUTSIDE_WORLD) {
  Deno.test(`${what} is read in ${allowed.join(", ")} only`, () => {
    // The SDK runs in other people's programs.
    const ours = files.filter(({ path }) => roomOf(path) !== "sdk");
    assert.deepEqual(usesOf(ours, { names, allowed }), []);
  });
}

Deno.test("Deno's internals are used by one file, proved with this version of Deno", () => {
  const { path, tests, provedWith } = INTERNALS;
  const users = files.filter(({ text }) => /\bDeno\.internal\b|\binternal: symbol\b/.test(text));
  assert.deepEqual(users.map((file) => file.path), [path]);
  const { deno } = Deno.version;
  assert.equal(
    deno,
    provedWith,
    `${path} uses Deno's internals, proved with Deno ${provedWith} and not with ${deno}: if ${tests} pass, name ${deno} in this test`,
  );
});

Deno.test("the domain doesn't wait, has no clock, no randomness and no outside world", () => {
  const domain = files.filter(({ path }) => roomOf(path) === "domain");
  assert.deepEqual(usesOf(domain, { names: IMPURE, allowed: [] }), []);
});

Deno.test("no module keeps state, except those that docs/decisions.md gives a reason for", () => {
  const rule = { constants: CONSTANTS, allowed: STATEFUL };
  assert.deepEqual(statefulModules(files, rule), []);
});

Deno.test("nothing is postponed, and no check is switched off", () => {
  assert.deepEqual(leftOver(files), []);
});

Deno.test("only the mod.ts of a chain family and of the SDK re-exports", () => {
  assert.deepEqual(barrels(files, /^src\/(chains\/\w+|sdk)\/mod\.ts$/), []);
});

Deno.test(`test titles have at most ${TITLE_CHARS_MAX} characters, their section first`, () => {
  assert.deepEqual(badTitles(all, TITLE_CHARS_MAX), []);
});
