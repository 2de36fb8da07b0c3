/** Runs all tests, or with CPG_TEST_DATABASE=sqld those that depend on the kind of database. */
const ROOT = new URL("../", import.meta.url);
const isOnServer = Deno.env.get("CPG_TEST_DATABASE") === "sqld";
const LANES = `data/lanes/${isOnServer ? "server" : "file"}/`;
const DATABASE = "tests/support/database/database.ts";
/** Cheap next to a worker that has to load everything first, so several share one. */
const SMALL = /^tests\/(app|base|chains|cli\/commands|domain|http|keys|webhooks)\//;
const LANES_COUNT = 8;
/** They start a server of their own, whatever is chosen. */
const ON_SERVER_ALWAYS = [
  "tests/dashboard/page_reads_test.ts",
  "tests/e2e/programs/database_loss_test.ts",
  "tests/e2e/programs/deploy_test.ts",
  "tests/e2e/programs/instances_test.ts",
  "tests/e2e/programs/stop_instances_test.ts",
];
/** They count what nodes are asked, which is the same with any database. */
const ON_FILE_ONLY = ["tests/e2e/tron/calls_test.ts"];
/** These take longest, so they come first. */
const LONG = /^tests\/(e2e\/programs|dashboard|e2e\/(costs|following|tron)|soak|docs_test)/;

async function* testFiles(folder = "tests/"): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) yield* testFiles(`${folder}${name}/`);
    else if (/_test\.tsx?$/.test(name)) yield `${folder}${name}`;
  }
}

/** Whether it or anything that it imports may ask for a database of the chosen kind. */
async function choosesDatabase(path: string, seen = new Set<string>()): Promise<boolean> {
  if (path === DATABASE) return true;
  if (!path.startsWith("tests/") || seen.has(path)) return false;
  seen.add(path);
  // Rules are tested on imports of files that are not there.
  const text = await Deno.readTextFile(new URL(path, ROOT)).catch(() => "");
  for (const [, specifier] of text.matchAll(/\b(?:from|import)\s*\(?"(\.[^"]+\.tsx?)"/g)) {
    const base = new URL(path, "file:///");
    if (await choosesDatabase(new URL(specifier!, base).pathname.slice(1), seen)) return true;
  }
  return false;
}

/** Modules that import several test files each. */
async function writeLanes(paths: readonly string[]): Promise<string[]> {
  await Deno.mkdir(new URL(LANES, ROOT), { recursive: true });
  const lanes = Array.from({ length: LANES_COUNT }, (_, lane) => ({
    path: `${LANES}${lane + 1}_test.ts`,
    imports: paths.filter((_, at) => at % LANES_COUNT === lane)
      .map((path) => `import "../../../${path}";\n`),
  }));
  const used = lanes.filter(({ imports }) => imports.length > 0);
  for (const { path, imports } of used) {
    await Deno.writeTextFile(new URL(path, ROOT), imports.join(""));
  }
  return used.map(({ path }) => path);
}

const all: string[] = [];
for await (const path of testFiles()) {
  const isSame = [...ON_SERVER_ALWAYS, ...ON_FILE_ONLY].includes(path);
  if (isOnServer && (isSame || !await choosesDatabase(path))) continue;
  all.push(path);
}
all.sort();
const large = all.filter((path) => !SMALL.test(path));
const paths = [
  ...large.filter((path) => LONG.test(path)),
  ...await writeLanes(all.filter((path) => SMALL.test(path))),
  ...large.filter((path) => !LONG.test(path)),
];
const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["test", "-q", "-P=test", "--no-prompt", "--parallel", ...Deno.args, ...paths],
  cwd: ROOT,
  env: { DENO_JOBS: Deno.env.get("DENO_JOBS") ?? "3" },
}).spawn().status;
Deno.exit(code);
