/**
 * Runs all tests but the long ones, or with CPG_TEST_DATABASE=sqld those of them that depend on the
 * kind of database. With "quick": those of them that start no chain's node and no browser. With
 * "long": the long ones, on both kinds. With files and folders: only these.
 */
// deno-lint-ignore-file no-console -- it says what is left out
import { statfs } from "node:fs/promises";
import { countLeftOut, findProgram, packagesOf } from "./support/programs/needed.ts";

const ROOT = new URL("../", import.meta.url);
const KIND = "CPG_TEST_DATABASE";
const LANES = { file: "data/lanes/file/", sqld: "data/lanes/server/" };
const DATABASE = "tests/support/database/database.ts";
const LEAVE_OUT = "tests/support/programs/leave_out_rest.ts";
const LIMIT = "tests/support/programs/limit_tests.ts";
const BROWSER = "tests/support/dashboard/browser.ts";
const LITECOIND = "tests/support/nodes/litecoind.ts";
/** What tests wait for most. */
const SLOW = [BROWSER, LITECOIND, "tests/support/nodes/anvil.ts"];
const STORIES = "tests/support/grounds/scenario.ts";
const STORIES_OF_ONE = "tests/e2e/bitcoin/";
/** Tests that use one of these files need this program; without it they are left out. */
const NEEDED_BY = {
  Chromium: [BROWSER],
  litecoind: [LITECOIND],
  openssl: ["tests/webhooks/post/tls_test.ts"],
  script: ["tests/e2e/programs/terminal_test.ts"],
  npm: ["tests/sdk/package_test.ts"],
  node: ["tests/sdk/package_test.ts"],
};
/** They choose the kind of their databases themselves. */
const ON_THEIR_OWN = [
  "tests/dashboard/access/session_share_test.ts",
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
/**
 * The database makes no difference to the gateway from outside, to pages, clicks and fees: whatever
 * they ask it is asked on a server too, by the test of all statements. A name that ends with / is a
 * folder.
 */
const ON_FILE_ONLY = [
  "tests/dashboard/",
  "tests/pay/",
  "tests/docs/home_test.ts",
  "tests/docs/looks_test.ts",
  "tests/docs/pages_test.ts",
  "tests/docs/sign_page_test.ts",
  "tests/e2e/costs/cost_sequences_test.ts",
  "tests/e2e/examples/languages_test.ts",
  "tests/e2e/examples/snippets_test.ts",
  "tests/e2e/tron/calls_test.ts",
  "tests/http/openapi_readers_test.ts",
  "tests/sdk/package_test.ts",
];
/** Of those folders: what happens at the same time, what is lost, and one walk through everything. */
const ON_SERVER_TOO = [
  "tests/dashboard/access/foreign_test.ts",
  "tests/dashboard/access/sessions_test.ts",
  "tests/dashboard/audit_walk_test.ts",
  "tests/dashboard/database_away_test.ts",
  "tests/dashboard/doubles_test.ts",
  "tests/dashboard/listening_test.ts",
  "tests/dashboard/money/batch_test.ts",
  "tests/dashboard/money/decide_test.ts",
  "tests/dashboard/pages/first_hour_test.ts",
  "tests/dashboard/set_up_test.ts",
  "tests/pay/buy_test.ts",
  "tests/pay/database_away_test.ts",
];
/**
 * What takes minutes: programs that are killed, paused and cut off, days of blocks, every page at
 * every width, its reads as tables grow, a crowd at everything that is large, and documents, examples, demo and binary as they are used.
 * Each row in one worker, one row after the other, so that what mostly waits runs beside what
 * computes.
 */
const LONG = [
  /^tests\/docs_test/,
  /^tests\/(cli\/demo|dashboard\/page_reads)_test/,
  /^tests\/dashboard\/pages_test/,
  /^tests\/dashboard\/(looks\/(glued|viewport)|access\/scripts)_test/,
  /^tests\/(dashboard\/looks|docs\/looks|pay\/states)_test/,
  /^tests\/e2e\/programs\/(instances|operations|stop_instances)_test/,
  /^tests\/(soak\/|e2e\/(following\/catch_up|programs\/bad_line)_test|http\/openapi_readers)/,
  /^tests\/e2e\/programs\/(database_loss|families_kill)_test/,
  /^tests\/(store\/engine\/kill|e2e\/webhooks\/webhooks_isolation)_test/,
  /^tests\/e2e\/(sweeps\/sweep_kill|invoices\/refund_kill|policies\/approval_kill|restore\/backup)_test/,
  /^tests\/e2e\/programs\//,
  /^tests\/(e2e\/examples\/|sdk\/package_test)/,
  /^tests\/(chains\/(pool\/gateway|evm\/collector\/random_batches)|e2e\/tron\/calls)_test/,
  /^tests\/e2e\/bitcoin\/long_payout_model_test/,
];
/** Each row in one worker too. */
const APART = [
  // They read all of the source, once for all.
  /^tests\/(tidy\/\w+|tidy|patterns|docs_tables)_test/,
  // It records what the whole process asks its databases, from the first migration on.
  /^tests\/store\/reads\/plans_test/,
];
/**
 * All others share workers too, because to load the program into a new one and to warm it up there
 * takes longer than most tests. How many of each round's files each lane gets: the last lanes are
 * short, so that all end at about the same time.
 */
const SHARES = { browser: [1, 1, 1, 1], other: [3, 3, 3, 2, 2, 2, 1, 1, 1] };
/** Databases wait for the disk at every commit, which is most of the time that tests take on one. */
const MEMORY = { folder: "/dev/shm", bytesMin: 2 ** 31 };

async function* testFiles(folder = "tests/"): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) yield* testFiles(`${folder}${name}/`);
    else if (/_test\.tsx?$/.test(name)) yield `${folder}${name}`;
  }
}

const read = new Map<string, readonly string[]>();

/** What it imports of the tests when it runs. */
async function importsOf(path: string): Promise<readonly string[]> {
  const known = read.get(path);
  if (known) return known;
  // Rules are tested on imports of files that are not there.
  const text = await Deno.readTextFile(new URL(path, ROOT)).catch(() => "");
  const loaded = text.replaceAll(/^import type [^;]*;$/gm, "");
  const base = new URL(path, "file:///");
  const found = [...loaded.matchAll(/\b(?:from|import)\s*\(?"(\.[^"]+\.tsx?)"/g)]
    .map(([, specifier]) => new URL(specifier!, base).pathname.slice(1))
    .filter((path) => path.startsWith("tests/"));
  read.set(path, found);
  return found;
}

/** Whether it is this module or anything that it imports is. */
async function reaches(target: string, path: string, seen = new Set<string>()): Promise<boolean> {
  if (path === target) return true;
  if (seen.has(path)) return false;
  seen.add(path);
  for (const imported of await importsOf(path)) {
    if (await reaches(target, imported, seen)) return true;
  }
  return false;
}

async function reachesAny(targets: readonly string[], path: string): Promise<boolean> {
  for (const target of targets) if (await reaches(target, path)) return true;
  return false;
}

interface Lane {
  readonly name: string;
  readonly paths: readonly string[];
}

function lanesOf(
  name: string,
  paths: readonly string[],
  laneOf: (path: string, at: number) => number,
): Lane[] {
  return [...Map.groupBy(paths.toSorted(), laneOf)]
    .toSorted(([a], [b]) => a - b)
    .map(([lane, paths]) => ({ name: `${name}_${lane + 1}`, paths }));
}

function rowsOf(name: string, rows: readonly RegExp[], paths: readonly string[]): Lane[] {
  const rowOf = (path: string) => rows.findIndex((row) => row.test(path));
  return lanesOf(name, paths.filter((path) => rowOf(path) >= 0), rowOf);
}

function inTurn(name: keyof typeof SHARES, paths: readonly string[]): Lane[] {
  const round = SHARES[name].flatMap((share, lane) => Array<number>(share).fill(lane));
  return lanesOf(name, paths, (_path, at) => round[at % round.length]!);
}

function isIn(place: string, path: string): boolean {
  return place.endsWith("/") ? path.startsWith(place) : path === place;
}

/** Otherwise a file that got another name would run elsewhere, and nobody would notice. */
function mustBeThere(all: readonly string[]): void {
  const paths = [...ON_THEIR_OWN, ...ON_FILE_ONLY, ...ON_SERVER_TOO]
    .filter((path) => !all.some((one) => isIn(path, one)));
  const rows = [...LONG, ...APART].filter((row) => !all.some((path) => row.test(path)));
  const gone = [...paths, ...rows];
  if (gone.length > 0) throw new Error(`No test file is called ${gone.join(" or ")}`);
}

async function planLanes(kind: keyof typeof LANES): Promise<Lane[]> {
  const all = await Array.fromAsync(testFiles());
  mustBeThere(all);
  const paths = [];
  for (const path of all) {
    if (leftOut.get(path) !== undefined || !await isOf(kind, path)) continue;
    if (!isQuick || !await reachesAny(SLOW, path)) paths.push(path);
  }
  if (isLong) return rowsOf("long", LONG, paths);
  const shared = paths.filter((path) => ![...LONG, ...APART].some((row) => row.test(path)));
  const onBrowser = new Set<string>();
  for (const path of shared) if (await reaches(BROWSER, path)) onBrowser.add(path);
  return [
    ...rowsOf("apart", APART, paths),
    ...inTurn("browser", shared.filter((path) => onBrowser.has(path))),
    ...inTurn("other", shared.filter((path) => !onBrowser.has(path))),
  ];
}

async function isOf(kind: keyof typeof LANES, path: string): Promise<boolean> {
  if (kind === "file") return true;
  const isElsewhere = ON_THEIR_OWN.includes(path) ||
    (ON_FILE_ONLY.some((one) => isIn(one, path)) && !ON_SERVER_TOO.includes(path));
  return !isElsewhere && await reaches(DATABASE, path);
}

/** What each test file lacks here. */
async function findLeftOut(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [needed, modules] of Object.entries(NEEDED_BY)) {
    if (await findProgram(needed) !== undefined) continue;
    for await (const path of testFiles()) {
      // Stories for every family know by themselves what is there.
      const seen = path.startsWith(STORIES_OF_ONE) ? [] : [STORIES];
      for (const module of modules) {
        if (await reaches(module, path, new Set(seen))) found.set(path, needed);
      }
    }
  }
  return found;
}

/** Of those that would run otherwise. */
async function leftOutOf(kind: keyof typeof LANES): Promise<string[]> {
  const paths = [];
  if (isQuick) return [];
  for (const path of leftOut.keys()) {
    if (LONG.some((row) => row.test(path)) === isLong && await isOf(kind, path)) paths.push(path);
  }
  return paths;
}

/** They are loaded all the same, to be listed as ignored and counted. */
async function leaveOut(folder: string, paths: readonly string[]): Promise<string[]> {
  await Deno.mkdir(new URL(folder, ROOT), { recursive: true });
  const lanes = Map.groupBy(paths, (path) => leftOut.get(path)!);
  return await Promise.all([...lanes].map(async ([needed, paths]) => {
    const lane = `${folder}left_out_${needed}_test.ts`;
    const imports = [`${LEAVE_OUT}?${needed}`, ...paths]
      .map((path) => `import "../../../${path}";\n`);
    await Deno.writeTextFile(new URL(lane, ROOT), imports.join(""));
    return lane;
  }));
}

/** Of what was asked for: the rest as it is, and what is left out. */
async function split(asked: readonly string[]): Promise<{ rest: string[]; out: string[] }> {
  const rest: string[] = [];
  const out: string[] = [];
  for (const arg of asked) {
    const path = arg.replace(/^\.\//, "");
    if (!/^tests(\/|$)/.test(path)) rest.push(arg);
    else if (path.endsWith(".ts") || path.endsWith(".tsx")) {
      (leftOut.has(path) ? out : rest).push(path);
    } else {
      const folder = path.endsWith("/") ? path : `${path}/`;
      for await (const file of testFiles(folder)) (leftOut.has(file) ? out : rest).push(file);
    }
  }
  return { rest, out };
}

/** The last lines. */
async function reportLeftOut(folder: string): Promise<void> {
  const counts = [...await countLeftOut(folder)];
  if (counts.length === 0) return;
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  console.log(`${total} ${total === 1 ? "test was" : "tests were"} left out, for want of:`);
  for (const [needed, count] of counts) {
    const install = `apt-get install -y --no-install-recommends ${packagesOf(needed)}`;
    console.log(`  ${needed} (${count}): ${install}`);
  }
}

/** All in one folder: Deno first starts the files with the longest folder names. */
async function writeLanes(folder: string, lanes: readonly Lane[]): Promise<string[]> {
  await Deno.mkdir(new URL(folder, ROOT), { recursive: true });
  return await Promise.all(lanes.map(async ({ name, paths }) => {
    const path = `${folder}${name}_test.ts`;
    const imports = [LIMIT, ...paths].map((path) => `import "../../../${path}";\n`);
    await Deno.writeTextFile(new URL(path, ROOT), imports.join(""));
    return path;
  }));
}

/** Undefined: there is none, or it is small. */
async function makeFolderInMemory(): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(MEMORY.folder).catch(() => ({ bavail: 0, bsize: 0 }));
  if (bavail * bsize < MEMORY.bytesMin) return undefined;
  return await Deno.makeTempDir({ dir: MEMORY.folder, prefix: "cpg-tests-" });
}

async function run(kind: keyof typeof LANES, args: readonly string[]): Promise<number> {
  const folder = await makeFolderInMemory();
  const ports = await Deno.makeTempDir({ prefix: "cpg-ports-" });
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-q", "-P=test", "--no-prompt", "--parallel", "--no-check", ...args],
    cwd: ROOT,
    env: {
      [KIND]: kind,
      DENO_JOBS: Deno.env.get("DENO_JOBS") ?? (kind === "sqld" ? "5" : "4"),
      TESTS_PORTS: ports,
      TESTS_LEFT_OUT: counted,
      ...folder ? { TESTS_IN_MEMORY: folder } : {},
    },
  }).spawn().status;
  for (const made of [folder ?? [], ports].flat()) await Deno.remove(made, { recursive: true });
  return code;
}

const isLong = Deno.args[0] === "long";
const isQuick = Deno.args[0] === "quick";
const args = isLong || isQuick ? Deno.args.slice(1) : Deno.args;
const isAsked = args.some((arg) => /^(\.\/)?tests(\/|$)/.test(arg));
const wanted = Deno.env.get(KIND) ?? "file";
const kinds = (["file", "sqld"] as const).filter((kind) => isLong || kind === wanted);
if (kinds.length === 0) throw new Error(`${KIND} is file or sqld, not ${wanted}`);
// The tests hear it too; what they leave behind is removed when they have ended.
let isStopped = false;
Deno.addSignalListener("SIGINT", () => isStopped = true);
// Or the tests' programs would download the same packages at once.
await new Deno.Command(Deno.execPath(), { args: ["install", "-q"], cwd: ROOT }).output();
const leftOut = await findLeftOut();
const lacking = [...new Set(leftOut.values())];
if (lacking.length > 0) {
  console.log(`Not here: ${lacking.join(", ")}. Tests that need it are left out.`);
}
const counted = await Deno.makeTempDir({ prefix: "cpg-left-out-" });
let code = 0;
for (const kind of kinds) {
  if (isStopped) break;
  const asked = isAsked && leftOut.size > 0 ? await split(args) : { rest: args, out: [] };
  const out = isAsked ? asked.out : await leftOutOf(kind);
  const lanes = isAsked ? [] : await writeLanes(LANES[kind], await planLanes(kind));
  code = await run(kind, [...asked.rest, ...lanes, ...await leaveOut(LANES[kind], out)]) || code;
}
await reportLeftOut(counted);
await Deno.remove(counted, { recursive: true });
Deno.exit(code);
