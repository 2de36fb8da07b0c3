/**
 * Whole gateways in simulated time, with everything going wrong that a seed draws:
 * deno task simulate --help
 *
 * What a seed says is the same on every machine, because clocks, timers, dice, networks and the order
 * of what threads and disks answer are simulated. Two things are not, and may change lines of a
 * story, but no verdict:
 * - The names of temporary folders, which error messages contain, and stacks of errors.
 * - How SQLite lays out its file, and so what `status` says of its size.
 */
import { parseArgs } from "node:util";
import { availableParallelism } from "node:os";
import { chunksOf } from "../../src/base/lists.ts";
import type { SeedOptions } from "./seed.ts";
import { mutatedCopy, type Mutation, MUTATIONS } from "./mutations.ts";
import { FAILED_ONCE } from "./seeds.ts";
import { prepareProcess, runSeed, type Verdict } from "./world.ts";
import { FAMILIES, type Family } from "./ground.ts";
import { Random } from "./random.ts";

const HELP = `deno task simulate [--seeds 1000] [--seed N] [--hours 2] [--faults light|heavy]
                   [--family evm|tron|both|bitcoin|all]

  --seeds N     so many seeds, 1 to N; half of them light, half heavy, unless --faults says which
  --from N      the first of them
  --again       first those that once failed, as they were asked for then; see seeds.ts
  --seed N      only this one, with the story of what happened
  --hours H     of trouble in each, 2 if not given; peace follows until everything has settled
  --faults F    light or heavy
  --family F    the gateway's chains: evm, tron, both of them, bitcoin, or all three; drawn by each
                seed if not given
  --workers N   processes, as many as there are processors if not given
  --lines N     of a failed seed's story, 80 if not given
  --mutation M  the program with this mistake (several with commas, or all: one after the other)
                until a seed finds it, 100 at most; exit code 1 if none does. See mutations.ts
`;

interface Summary {
  readonly options: SeedOptions;
  readonly broken: readonly string[];
  readonly story: readonly string[];
  readonly counts: Verdict["counts"];
}

const TOLD_EVERY_MS = 60_000;

/** A process that simulated many keeps some memory of each, and becomes slow: half as fast after 40. */
const SEEDS_OF_PROCESS = 8;

/** Most of what a seed makes is forgotten at once. */
const V8_FLAGS = "--max-old-space-size=4000,--min-semi-space-size=32,--max-semi-space-size=64";

/** Most programs follow EVM chains. */
const FAMILIES_DRAWN: readonly Family[] = ["evm", "evm", "evm", "tron", "both"];
/** Of others, which the first draw doesn't know. */
const [WITH_OUTPUTS, WITH_ALL] = [0.25, 0.2];

const realNow = performance.now.bind(performance);
const { values } = parseArgs({
  args: Deno.args,
  options: {
    seeds: { type: "string" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    list: { type: "string" },
    again: { type: "boolean", default: false },
    hours: { type: "string", default: "2" },
    faults: { type: "string" },
    family: { type: "string" },
    workers: { type: "string" },
    lines: { type: "string", default: "80" },
    mutation: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

// deno-lint-ignore no-console -- printing is its purpose
const print = (text: string) => console.log(text);
// deno-lint-ignore no-console -- what comes of it is on the other stream
const tell = (text: string) => console.error(text);
if (values.help) {
  print(HELP);
  Deno.exit(0);
}
if (values.list !== undefined) Deno.exit(await work(values.list));
Deno.exit(await (values.mutation === undefined ? runAll() : findAll(values.mutation)));

/** What this process simulates itself, one summary a line. */
async function work(list: string): Promise<number> {
  await prepareProcess();
  const unwaited: string[] = [];
  // A server outlives them too. Those of a program that died belong to nobody.
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    unwaited.push(event.reason instanceof Error ? `${event.reason.stack}` : String(event.reason));
  });
  for (const options of JSON.parse(list) as readonly SeedOptions[]) {
    const { story, ...verdict } = await runSeed(options);
    for (const text of unwaited.splice(0)) {
      tell(`Seed ${options.seed}: a fault that nothing waited for: ${text}`);
    }
    const lines = verdict.broken.length > 0 || values.seed !== undefined;
    const told = lines ? story.last(Number(values.lines)) : [];
    print(JSON.stringify({ ...verdict, story: told } satisfies Summary));
  }
  return 0;
}

function optionsOf(seed: number): SeedOptions {
  const weather = values.faults ?? (seed % 2 === 0 ? "heavy" : "light");
  if (weather !== "light" && weather !== "heavy") throw new Error(`No such faults: ${weather}`);
  const family = values.family === undefined
    ? drawnFamily(new Random(seed))
    : FAMILIES.find((known) => known === values.family);
  if (!family) throw new Error(`No such family: ${values.family}`);
  return { seed, hours: Number(values.hours), weather, family };
}

function drawnFamily(random: Random): Family {
  const drawn = random.pick(FAMILIES_DRAWN);
  if (!random.chance(WITH_OUTPUTS)) return drawn;
  return random.chance(WITH_ALL) ? "all" : "bitcoin";
}

async function runAll(): Promise<number> {
  const startedMs = realNow();
  const summaries: Summary[] = [];
  const seeds = seedsAsked(1_000);
  let isStopped = false;
  Deno.addSignalListener("SIGINT", () => isStopped = true);
  let toldMs = startedMs;
  await eachSummary({ seeds, program: import.meta.filename! }, (summary) => {
    summaries.push(summary);
    show(summary);
    if (realNow() - toldMs >= TOLD_EVERY_MS) {
      toldMs = realNow();
      tell(`${summaries.length} of ${seeds.length} seeds`);
    }
    return !isStopped;
  });
  const failed = summaries.filter(({ broken }) => broken.length > 0);
  const missing = seeds.length - summaries.length;
  print(total(summaries, (realNow() - startedMs) / 1000));
  if (missing > 0) print(`${missing} seeds did not come to their end`);
  if (failed.length > 0) print(`Failed: ${failed.map(({ options }) => options.seed).join(", ")}`);
  return failed.length + missing > 0 ? 1 : 0;
}

function seedsAsked(usual: number): SeedOptions[] {
  if (values.seed !== undefined) return [optionsOf(Number(values.seed))];
  const first = Number(values.from);
  const seeds = Array.from({ length: Number(values.seeds ?? usual) }, (_, i) => first + i);
  return [...values.again ? FAILED_ONCE : [], ...seeds.map(optionsOf)];
}

/** As if each mutation were a mistake of ours: some seed must find it. */
async function findAll(name: string): Promise<number> {
  const wanted = MUTATIONS.filter((one) => name === "all" || name.split(",").includes(one.name));
  if (wanted.length === 0) throw new Error(`No such mutation: ${name}`);
  const missed: string[] = [];
  for (const mutation of wanted) if (!await isFound(mutation)) missed.push(mutation.name);
  if (missed.length > 0) print(`Not found: ${missed.join(", ")}`);
  return missed.length > 0 ? 1 : 0;
}

async function isFound(mutation: Mutation): Promise<boolean> {
  const startedMs = realNow();
  const folder = await mutatedCopy(mutation);
  let tried = 0;
  let finder: Summary | undefined;
  const program = `${folder}/tests/simulation/main.ts`;
  const { family } = mutation;
  const seeds = seedsAsked(100)
    .map((one) => family && values.family === undefined ? { ...one, family } : one);
  await eachSummary({ seeds, program }, (summary) => {
    tried++;
    if (summary.broken.length > 0) finder ??= summary;
    return finder === undefined;
  });
  await Deno.remove(folder, { recursive: true });
  const seconds = Math.round((realNow() - startedMs) / 1000);
  const end = finder
    ? `seed ${finder.options.seed} (${finder.options.weather}): ${finder.broken[0]}`
    : `none of ${tried} seeds found it`;
  print(`${mutation.name}, ${seconds} s: ${end}`);
  if (finder && values.seed !== undefined) show(finder);
  return finder !== undefined;
}

/** Spread over processes, until all are through or `goOn` has had enough. */
async function eachSummary(
  { seeds, program }: { seeds: readonly SeedOptions[]; program: string },
  goOn: (summary: Summary) => boolean,
): Promise<void> {
  const workers = Math.min(Number(values.workers ?? availableParallelism()), seeds.length);
  const shares = Array.from(
    { length: workers },
    (_, i) => seeds.filter((_, at) => at % workers === i),
  );
  const enough = new AbortController();
  const { signal } = enough;
  await Promise.all(shares.map(async (share) => {
    for (const some of chunksOf(share, SEEDS_OF_PROCESS)) {
      // A process that ends with a seed is followed by one for the seeds after it.
      for (let left: readonly SeedOptions[] = some; left.length > 0 && !signal.aborted;) {
        let done = 0;
        for await (const summary of summariesOf({ seeds: left, program, signal })) {
          done++;
          if (!goOn(summary)) enough.abort();
        }
        left = left.slice(done + 1);
      }
    }
  }));
}

async function* summariesOf(
  { seeds, program, signal }: {
    seeds: readonly SeedOptions[];
    program: string;
    signal: AbortSignal;
  },
): AsyncGenerator<Summary> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-q", "-P=test", "--no-prompt", `--v8-flags=${V8_FLAGS}`],
      ...[program, ...Deno.args, "--list", JSON.stringify(seeds)],
    ],
    cwd: new URL("../../", `file://${program}`).pathname,
    env: await inMemory(),
    signal,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let rest = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
  const { success } = await child.status;
  if (success || signal.aborted) return;
  tell("A process of seeds ended with an error");
}

/** A database waits for the disk at every commit, which is half of the time of a seed. */
async function inMemory(): Promise<Record<string, string>> {
  const folder = "/dev/shm";
  const isThere = await Deno.stat(folder).then(({ isDirectory }) => isDirectory, () => false);
  return isThere ? { TESTS_IN_MEMORY: folder } : {};
}

function show({ options, broken, story, counts }: Summary): void {
  const { seed, hours, weather, family } = options;
  if (broken.length > 0) {
    print(`\nSeed ${seed} (${weather}) broke a promise: ${broken[0]}`);
    print(`  again: --seed ${seed} --hours ${hours} --faults ${weather} --family ${family}`);
  }
  for (const more of broken.slice(1, 10)) print(`  and ${more}`);
  if (story.length > 0) print(`The last of what happened:\n${story.join("\n")}\n`);
  if (values.seed !== undefined) print(JSON.stringify(counts));
}

function total(summaries: readonly Summary[], seconds: number): string {
  const sum = (name: keyof Verdict["counts"]) =>
    summaries.reduce((all, { counts }) => all + counts[name], 0);
  const figure = (name: keyof Verdict["counts"], words: string) =>
    `${Math.round(sum(name)).toLocaleString("en")} ${words}`;
  return `${summaries.length} seeds in ${Math.round(seconds)} s: ` + [
    figure("hours", "hours"),
    figure("blocks", "blocks"),
    figure("reorganisations", "reorganisations"),
    figure("payments", "payments"),
    figure("payouts", "payouts"),
    figure("refunds", "refunds"),
    figure("requests", "requests"),
    figure("lostAnswers", "lost answers"),
    figure("crashes", "crashes"),
    figure("sleeps", "sleeps"),
    figure("restores", "restores"),
    figure("databaseFaults", "database faults"),
    figure("pruned", "answers refused for their age"),
    figure("wentBack", "answers from a lower block"),
    figure("lies", "lies"),
    figure("tookAndRefused", "transactions taken and refused"),
    figure("untraced", "traces refused"),
    figure("mined", "transactions mined"),
    figure("batches", "batches"),
    figure("collected", "sweeps in them"),
    figure("loans", "loans"),
  ].join(", ");
}
