/** Runs all tests, or with CPG_TEST_DATABASE=sqld those that depend on the kind of database. */
import { statfs } from "node:fs/promises";

const ROOT = new URL("../", import.meta.url);
const isOnServer = Deno.env.get("CPG_TEST_DATABASE") === "sqld";
const LANES = `data/lanes/${isOnServer ? "server" : "file"}/`;
const DATABASE = "tests/support/database/database.ts";
const LIMIT = "tests/support/programs/limit_tests.ts";
const BROWSER = "tests/support/dashboard/browser.ts";
/** They choose the kind of their databases themselves. */
const ON_THEIR_OWN = [
  "tests/dashboard/access/sign_in_flood_test.ts",
  "tests/dashboard/access/sign_in_test.ts",
  "tests/dashboard/page_reads_test.ts",
  "tests/e2e/programs/database_loss_test.ts",
  "tests/e2e/programs/deploy_test.ts",
  "tests/e2e/programs/instances_test.ts",
  "tests/e2e/programs/start_test.ts",
  "tests/e2e/programs/stop_instances_test.ts",
  "tests/e2e/restore/backup_test.ts",
  "tests/store/engine/audited_db_test.ts",
  "tests/store/upkeep/halt_codes_test.ts",
  "tests/store/upkeep/operators_switches_test.ts",
  "tests/store/upkeep/reason_codes_test.ts",
  "tests/store/upkeep/upgrade_test.ts",
];
/** They look at the gateway from outside, where the database makes no difference. */
const ON_FILE_ONLY = [
  "tests/docs/home_test.ts",
  "tests/docs/looks_test.ts",
  "tests/docs/pages_test.ts",
  "tests/docs/sign_page_test.ts",
  "tests/e2e/examples/languages_test.ts",
  "tests/e2e/examples/snippets_test.ts",
  "tests/e2e/tron/calls_test.ts",
  "tests/http/openapi_readers_test.ts",
  "tests/sdk/package_test.ts",
];
/** They start first and alone, in this order: they take longest, much of it waiting. */
const LONG = [
  /^tests\/(docs|dashboard\/page_reads|cli\/demo|http\/openapi_readers|sdk\/package)_test/,
  /^tests\/(e2e\/(following\/catch_up|tron\/calls)|soak\/soak)_test/,
  /^tests\/(e2e\/(examples|programs)|soak)\//,
  /^tests\/(chains\/pool\/(gateway|silence)|e2e\/sweeps\/sweep_kill)_test/,
  // It records what the whole process asks its databases, from the first migration on.
  /^tests\/store\/reads\/plans_test/,
];
/**
 * All others share workers, because to load the program into a new one and to warm it up there
 * takes longer than most tests. Several lanes, so that the last ones end at about the same time.
 */
const LANES_MAX = { browser: 4, other: 12 };
/** Databases wait for the disk at every commit, which is most of the time that tests take on one. */
const MEMORY = { folder: "/dev/shm", bytesMin: 2 ** 31 };

async function* testFiles(folder = "tests/"): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) yield* testFiles(`${folder}${name}/`);
    else if (/_test\.tsx?$/.test(name)) yield `${folder}${name}`;
  }
}

/** Whether it is this module or anything that it imports is. */
async function reaches(target: string, path: string, seen = new Set<string>()): Promise<boolean> {
  if (path === target) return true;
  if (!path.startsWith("tests/") || seen.has(path)) return false;
  seen.add(path);
  // Rules are tested on imports of files that are not there.
  const text = await Deno.readTextFile(new URL(path, ROOT)).catch(() => "");
  const loaded = text.replaceAll(/^import type [^;]*;$/gm, "");
  for (const [, specifier] of loaded.matchAll(/\b(?:from|import)\s*\(?"(\.[^"]+\.tsx?)"/g)) {
    const base = new URL(path, "file:///");
    if (await reaches(target, new URL(specifier!, base).pathname.slice(1), seen)) return true;
  }
  return false;
}

interface Lane {
  readonly name: string;
  readonly paths: readonly string[];
}

function lanesOf(kind: keyof typeof LANES_MAX, paths: readonly string[]): Lane[] {
  const lanes = Map.groupBy(paths, (path) => paths.indexOf(path) % LANES_MAX[kind]);
  return [...lanes].map(([lane, paths]) => ({ name: `${kind}_${lane + 1}`, paths }));
}

function laneOf(path: string): Lane {
  const name = path.replace(/^tests\/|_test\.tsx?$/g, "").replaceAll("/", "_");
  return { name, paths: [path] };
}

/** All in one folder: Deno first starts the files with the longest folder names. */
async function writeLanes(lanes: readonly Lane[]): Promise<string[]> {
  await Deno.mkdir(new URL(LANES, ROOT), { recursive: true });
  return await Promise.all(lanes.map(async ({ name, paths }) => {
    const path = `${LANES}${name}_test.ts`;
    const imports = [LIMIT, ...paths].map((path) => `import "../../../${path}";\n`);
    await Deno.writeTextFile(new URL(path, ROOT), imports.join(""));
    return path;
  }));
}

const paths = { alone: [] as string[], browser: [] as string[], other: [] as string[] };
for await (const path of testFiles()) {
  const isSame = [...ON_THEIR_OWN, ...ON_FILE_ONLY].includes(path);
  if (isOnServer && (isSame || !await reaches(DATABASE, path))) continue;
  if (LONG.some((pattern) => pattern.test(path))) paths.alone.push(path);
  else if (await reaches(BROWSER, path)) paths.browser.push(path);
  else paths.other.push(path);
}
const turnOf = (path: string) => LONG.findIndex((pattern) => pattern.test(path));
const files = await writeLanes([
  ...paths.alone.toSorted().toSorted((a, b) => turnOf(a) - turnOf(b)).map(laneOf),
  ...lanesOf("browser", paths.browser.toSorted()),
  ...lanesOf("other", paths.other.toSorted()),
]);
/** Undefined: there is none, or it is small. */
async function makeFolderInMemory(): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(MEMORY.folder).catch(() => ({ bavail: 0, bsize: 0 }));
  if (bavail * bsize < MEMORY.bytesMin) return undefined;
  return await Deno.makeTempDir({ dir: MEMORY.folder, prefix: "cpg-tests-" });
}

/** Beside the tests, because it keeps only one processor busy. */
function checkTypes(): Promise<Deno.CommandOutput> {
  const args = ["check", "-q", "main.ts", "src", "tests"];
  return new Deno.Command(Deno.execPath(), { args, cwd: ROOT, stdin: "null" }).output();
}

const folder = await makeFolderInMemory();
const ports = await Deno.makeTempDir({ prefix: "cpg-ports-" });
// The tests hear it too; what they leave behind is removed when they have ended.
Deno.addSignalListener("SIGINT", () => {});
// Or two programs would download the same packages at once.
await new Deno.Command(Deno.execPath(), { args: ["install", "-q"], cwd: ROOT }).output();
const checking = Deno.args.includes("--no-check") ? undefined : checkTypes();
const { code } = await new Deno.Command(Deno.execPath(), {
  args: [
    "test",
    "-q",
    "-P=test",
    "--no-prompt",
    "--parallel",
    "--no-check",
    ...Deno.args,
    ...files,
  ],
  cwd: ROOT,
  env: {
    DENO_JOBS: Deno.env.get("DENO_JOBS") ?? (isOnServer ? "5" : "4"),
    TESTS_PORTS: ports,
    ...folder ? { TESTS_IN_MEMORY: folder } : {},
  },
}).spawn().status;
for (const made of [folder ?? [], ports].flat()) await Deno.remove(made, { recursive: true });
const checked = await checking;
if (checked?.code) await Deno.stderr.write(checked.stderr);
Deno.exit(code || checked?.code);
