import assert from "node:assert/strict";

/** The rooms of src/README.md: a file imports from lower ranks or its own room. */
const RANKS: Readonly<Record<string, number>> = {
  base: 0,
  domain: 1,
  store: 2,
  chains: 2,
  keys: 2,
  webhooks: 2,
  actions: 3,
  http: 4,
  dashboard: 4,
  workers: 4,
  cli: 4,
  wiring: 5,
};
const FILE_LINES_MAX = 300;
const FUNCTION_LINES_MAX = 60;

interface SourceFile {
  /** From the project's folder: "src/store/db.ts". */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  readonly strings: readonly string[];
  /** Every name and every a.b of the code, without its comments and texts. */
  readonly names: ReadonlySet<string>;
  readonly functions: readonly { readonly line: number; readonly lines: number }[];
}

interface Import {
  readonly from: string;
  readonly specifier: string;
  /** The imported file's path, for what is of this project. */
  readonly to: string | undefined;
  /** Exported again at once. */
  readonly isPassedOn: boolean;
}

const root = new URL("../", import.meta.url);
const files = await readFiles("src/");
files.push(await readSource("main.ts"));
const imports = files.flatMap((file) => file.imports);

Deno.test("every file stands in a room that has a rank", () => {
  const homeless = files.filter(({ path }) => RANKS[roomOf(path)] === undefined);
  assert.deepEqual(homeless.map(({ path }) => path), []);
  assert.ok(files.length > 100);
});

Deno.test("a file imports from lower ranks or its own room only, types included", () => {
  const wrong = imports.filter(({ from, to }) => {
    if (to === undefined) return false;
    const [own, other] = [roomOf(from), roomOf(to)];
    return own !== other && !(RANKS[other]! < RANKS[own]!);
  });
  assert.deepEqual(wrong.map(told), []);
});

Deno.test("every imported file is there, and files never import each other in a circle", () => {
  const known = new Set(files.map(({ path }) => path));
  assert.deepEqual(imports.filter(({ to }) => to !== undefined && !known.has(to)).map(told), []);
  const targets = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]) => {
    assert.ok(!trail.includes(path), `A circle: ${[...trail, path].join(" → ")}`);
    if (done.has(path)) return;
    for (const { to } of targets.get(path) ?? []) if (to) walk(to, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) walk(path, []);
});

Deno.test("viem is imported by the EVM family only, and no family by another", () => {
  const wrong = imports.filter(({ from, specifier, to }) =>
    /^(npm:\/?)?viem\b/.test(specifier) && !from.startsWith("src/chains/evm/") ||
    familyOf(to ?? "") && familyOf(from) && familyOf(to ?? "") !== familyOf(from)
  );
  assert.deepEqual(wrong.map(told), []);
});

Deno.test("a file that is private to its folder is imported there only", () => {
  const wrong = imports.filter(({ from, to }) =>
    to !== undefined && /\/_\w+\.tsx?$/.test(to) && folderOf(to) !== folderOf(from)
  );
  assert.deepEqual(wrong.map(told), []);
});

Deno.test("no file is called index, and names are words joined by underscores", () => {
  const wrong = files.filter(({ path }) => !/\/_?[a-z0-9]+(_[a-z0-9]+)*\.tsx?$/.test(`/${path}`));
  assert.deepEqual(wrong.map(({ path }) => path), []);
  assert.deepEqual(files.filter(({ path }) => /\/index\.tsx?$/.test(path)), []);
});

Deno.test("SQL is written in the store only", () => {
  const statement =
    /\bSELECT\b[\s\S]+\bFROM\b|\bINSERT (OR \w+ )?INTO\b|\bUPDATE\s+\w+\s+SET\b|\bDELETE FROM\b|\b(CREATE|ALTER|DROP) (TABLE|INDEX|TRIGGER)\b|^\s*PRAGMA\b/;
  const tail = /^\s*(WHERE|ORDER BY|GROUP BY|LIMIT|AND|OR)\s+[a-z?\d(]/;
  const wrong = files.filter(({ path, strings }) =>
    roomOf(path) !== "store" && strings.some((text) => statement.test(text) || tail.test(text))
  );
  assert.deepEqual(wrong.map(({ path }) => path), []);
});

const OUTSIDE_WORLD: readonly (readonly [what: string, names: string[], allowed: string[]])[] = [
  ["the environment", ["Deno.env", "process.env"], ["src/config.ts", "main.ts"]],
  ["the system's clock", ["Date.now", "new Date()"], [
    "src/base/clock.ts",
    "src/config.ts",
    "main.ts",
  ]],
];

for (const [what, names, allowed] of OUTSIDE_WORLD) {
  Deno.test(`${what} is read in ${allowed.join(", ")} only`, () => {
    const wrong = files.filter((file) =>
      names.some((name) => file.names.has(name)) && !allowed.includes(file.path)
    );
    assert.deepEqual(wrong.map(({ path }) => path), []);
  });
}

Deno.test("the domain knows no waiting, no clock, no chance and no outside world", () => {
  const impure = [
    "await",
    "async",
    "Math.random",
    "fetch",
    "Deno",
    "crypto",
    "setTimeout",
    "performance",
  ];
  const wrong = files.filter((file) =>
    roomOf(file.path) === "domain" && impure.some((name) => file.names.has(name))
  );
  assert.deepEqual(wrong.map(({ path }) => path), []);
});

Deno.test("nothing is left to do later, and nothing is switched off", () => {
  // Put together, so that who looks for them finds none here.
  const words = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"].join("|");
  const marks = new RegExp(`\\b(${words})\\b|@ts-(ignore|nocheck|expect-error)`);
  const wrong = files.filter(({ text }) => marks.test(text));
  assert.deepEqual(wrong.map(({ path }) => path), []);
});

Deno.test(`no file is longer than ${FILE_LINES_MAX} lines`, () => {
  const long = files.map(({ path, text }) => [path, text.trimEnd().split("\n").length] as const)
    .filter(([, lines]) => lines > FILE_LINES_MAX);
  assert.deepEqual(long, []);
});

Deno.test(`no function is longer than ${FUNCTION_LINES_MAX} lines`, () => {
  const long = files.flatMap(({ path, functions }) =>
    functions.filter(({ lines }) => lines > FUNCTION_LINES_MAX)
      .map(({ line, lines }) => `${path}:${line} has ${lines} lines`)
  );
  assert.deepEqual(long, []);
});

Deno.test("only a chain family's mod.ts passes on what it did not make itself: there are no barrels", () => {
  const wrong = imports.filter(({ from, isPassedOn }) =>
    isPassedOn && !/^src\/chains\/\w+\/mod\.ts$/.test(from)
  );
  assert.deepEqual(wrong.map(told), []);
});

Deno.test("the reader of sources sees imports, texts, names and functions, and nothing of comments", () => {
  const text = `import type { A } from "./a.ts";
// import "./commented.ts"; Date.now();
export const b = await import("./b.ts");
const s = 'SELECT' + \`x \${Deno.env.get("E")} y\`;
function f() {
  return () => new Date();
}
`;
  const { imports, strings, names, functions } = parse("src/store/x.ts", text);
  assert.deepEqual(imports.map(({ to }) => to), ["src/store/a.ts", "src/store/b.ts"]);
  assert.deepEqual(strings.toSorted(), ["./a.ts", "./b.ts", "E", "SELECT", "x  y"]);
  assert.deepEqual(["Deno.env", "new Date()", "await"].map((name) => names.has(name)), [
    true,
    true,
    true,
  ]);
  assert.equal(names.has("Date.now"), false);
  assert.deepEqual(functions.map(({ lines }) => lines).toSorted(), [1, 3]);
});

async function readFiles(folder: string): Promise<SourceFile[]> {
  const found: SourceFile[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (isDirectory) found.push(...await readFiles(`${folder}${name}/`));
    else if (/\.tsx?$/.test(name)) found.push(await readSource(folder + name));
  }
  return found;
}

async function readSource(path: string): Promise<SourceFile> {
  return parse(path, await Deno.readTextFile(new URL(path, root)));
}

/** Deno's own linter reads the source; this only notes what it finds. */
function parse(path: string, text: string): SourceFile {
  const file = {
    path,
    text,
    imports: [] as Import[],
    strings: [] as string[],
    names: new Set<string>(),
    functions: [] as { line: number; lines: number }[],
  };
  const linesTo = (end: number) => text.slice(0, end).split("\n").length;
  const addImport = (specifier: unknown, isPassedOn = false) => {
    if (typeof specifier !== "string") return;
    file.imports.push({ ...makeImport(path, specifier), isPassedOn });
  };
  const addFunction = (node: { range: [number, number]; async: boolean }) => {
    const line = linesTo(node.range[0]);
    file.functions.push({ line, lines: linesTo(node.range[1]) - line + 1 });
    if (node.async) file.names.add("async");
  };
  const create = ({ sourceCode }: Deno.lint.RuleContext): Deno.lint.LintVisitor => ({
    ImportDeclaration: (node) => addImport(node.source.value),
    ExportAllDeclaration: (node) => addImport(node.source.value, true),
    ExportNamedDeclaration: (node) => addImport(node.source?.value, true),
    ImportExpression: (node) => addImport((node.source as { value?: unknown }).value),
    Literal: (node) => {
      if (typeof node.value === "string") file.strings.push(node.value);
    },
    TemplateLiteral: (node) =>
      void file.strings.push(node.quasis.map((part) => part.cooked).join("")),
    Identifier: (node) => void file.names.add(node.name),
    MemberExpression: (node) => void file.names.add(sourceCode.getText(node)),
    NewExpression: (node) => void file.names.add(sourceCode.getText(node)),
    AwaitExpression: () => void file.names.add("await"),
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
  });
  Deno.lint.runPlugin({ name: "tidy", rules: { notes: { create } } }, path, text);
  return file;
}

function makeImport(from: string, specifier: string): Omit<Import, "isPassedOn"> {
  const to = specifier.startsWith(".")
    ? new URL(specifier, new URL(from, root)).pathname.slice(root.pathname.length)
    : undefined;
  return { from, specifier, to };
}

function roomOf(path: string): string {
  return /^src\/(\w+)\//.exec(path)?.[1] ?? "wiring";
}

function familyOf(path: string): string | undefined {
  const folder = /^src\/chains\/(\w+)\//.exec(path)?.[1];
  return folder === "pool" ? undefined : folder;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function told({ from, specifier }: Import): string {
  return `${from} imports ${specifier}`;
}
