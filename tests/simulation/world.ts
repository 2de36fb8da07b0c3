import { allCommands } from "../../src/cli/command_table.ts";
import { loadChains } from "../../src/chains/registry.ts";
import { FileConnection } from "../../src/store/connection/file_connection.ts";
import "../../src/store/connection/serve_lock.ts";
import "../../src/store/connection/server_connection.ts";
import "@libsql/client/sqlite3";
import "@libsql/client/web";
import "nodemailer";
import { LibsqlError } from "@libsql/core/api";
import Database from "libsql";
import { makeDatabaseFolder } from "../support/database/folder.ts";
import { MIGRATED } from "../support/database/template.ts";
import { cliOn } from "../cli/cli_host.ts";
import { BitcoinNetwork } from "./bitcoin_network.ts";
import { EvmNetwork } from "./evm_network.ts";
import { DatabaseServer } from "./database_server.ts";
import { type ChainCounts, type Ground, newChainCounts } from "./ground.ts";
import { removeFiles } from "./operator.ts";
import { type Outside, replaceMachine } from "./outside.ts";
import { Program } from "./program.ts";
import { Random } from "./random.ts";
import { currentLife, Life, SimulatedTime } from "./time.ts";
import { type Mood, withMood } from "./moods.ts";
import type { Counts, GatewayEnv, SeedOptions, World } from "./seed.ts";
import { Shop } from "./shop.ts";
import { TronNetwork } from "./tron_network.ts";
import { Story } from "./story.ts";

const START_MS = Date.UTC(2027, 0, 15, 8);
const HOUR_MS = 3_600_000;
const SETTLED_WITHIN_MS = 6 * HOUR_MS;

const TROUBLE = {
  light: {
    crashEveryMs: 40 * 60_000,
    lineEveryMs: 60 * 60_000,
    statement: 0.0002,
    serverMood: 0.02,
  },
  heavy: { crashEveryMs: 8 * 60_000, lineEveryMs: 6 * 60_000, statement: 0.002, serverMood: 0.1 },
};
/**
 * Whoever looks for work every 50 ms is most of what a seed costs, and finds something seldom. So
 * timers end at their own time now and then only.
 */
const TIMERS_EVERY_MS = [1, 250, ...Array.from({ length: 14 }, () => 1_000)];
const TIMERS_AT_PEACE_MS = 5_000;
const SERVER_MOODS: readonly Mood[] = ["late", "cut", "cut", "cut", "down", "refusing", "silent"];

let outside: Outside;
let database: { fault: (() => Error | undefined) | undefined } = { fault: undefined };

/** Once for the process. */
export async function prepareProcess(): Promise<void> {
  await loadChains();
  await allCommands();
  await MIGRATED.copyToFile(await makeDatabaseFolder("cpg-simulated-"));
  outside = newOutside(0);
  replaceMachine(() => outside);
  patchFile();
}

function newOutside(seed: number): Outside {
  const random = new Random(seed);
  return {
    time: new SimulatedTime(START_MS),
    random,
    hosts: new Map(),
    listeners: new Map(),
    timersEveryMs: TIMERS_AT_PEACE_MS,
    timers: new Map(),
    cutLines: new Map(),
  };
}

/**
 * Between any two statements the program may die, and each may fail. What a dead program held open
 * is closed, as the system does it.
 */
function patchFile(): void {
  const { batch } = FileConnection.prototype;
  FileConnection.prototype.batch = async function (statements, mode) {
    await outside.time.turn();
    const fault = database.fault?.();
    if (fault) throw fault;
    const answers = await batch.call(this, statements, mode);
    if (mode === "write") await outside.time.turn();
    return answers;
  };
  const { exec } = Database.prototype;
  const known = new WeakSet<object>();
  for (const name of ["exec", "prepare"] as const) {
    const call = Database.prototype[name] as (...args: unknown[]) => unknown;
    Object.assign(Database.prototype, {
      [name](this: InstanceType<typeof Database>, ...args: unknown[]) {
        if (!known.has(this)) {
          known.add(this);
          currentLife()?.atEnd(() => {
            if (!this.open) return;
            // A statement that isn't collected yet would keep its locks beyond the end.
            if (this.inTransaction) exec.call(this, "ROLLBACK");
            this.close();
          });
        }
        return call.apply(this, args);
      },
    });
  }
}

export interface Verdict {
  readonly options: SeedOptions;
  readonly broken: readonly string[];
  readonly story: Story;
  readonly counts: Counts & ChainCounts & { hours: number; turns: number };
}

export async function runSeed(options: SeedOptions): Promise<Verdict> {
  outside = newOutside(options.seed);
  const { time } = outside;
  const story = new Story(time);
  const broken: string[] = [];
  const people = new Life("people");
  let folder: string | undefined;
  let isDone = false;
  let world: World | undefined;
  people.run(async () => {
    folder = await makeDatabaseFolder("cpg-simulated-");
    await MIGRATED.copyToFile(folder);
    world = makeWorld(options, { folder, story });
    await live(world, broken);
  }).catch((error) => {
    broken.push(`the simulation itself failed: ${error?.stack ?? error}`);
  }).finally(() => isDone = true);
  await time.run({
    untilMs: START_MS + options.hours * HOUR_MS + 2 * SETTLED_WITHIN_MS,
    isDone: () => isDone,
  });
  if (!isDone) broken.push("the seed did not come to its end");
  for (const program of world?.programs ?? []) program.kill();
  people.end();
  database = { fault: undefined };
  if (folder) Deno.removeSync(folder, { recursive: true });
  return {
    options,
    broken,
    story,
    counts: {
      ...world?.counts ?? NOTHING,
      ...together(world?.grounds.map(({ counts }) => counts) ?? []),
      hours: time.elapsedMs / HOUR_MS,
      turns: time.turns,
    },
  };
}

function together(chains: readonly ChainCounts[]): ChainCounts {
  const all = newChainCounts();
  for (const chain of chains) {
    for (const name of Object.keys(all) as (keyof ChainCounts)[]) {
      all[name] = name === "deepest" ? Math.max(all[name], chain[name]) : all[name] + chain[name];
    }
  }
  return all;
}

const NOTHING: Counts = {
  crashes: 0,
  sleeps: 0,
  databaseFaults: 0,
  requests: 0,
  lostAnswers: 0,
  payouts: 0,
  payments: 0,
  refunds: 0,
  restores: 0,
};

function makeWorld(
  options: SeedOptions,
  { folder, story }: { folder: string; story: Story },
): World {
  const { random, time } = outside;
  const trouble = TROUBLE[options.weather];
  const tell = (what: string) => story.tell(what);
  const { family, weather } = options;
  const isIn = (one: "evm" | "tron" | "bitcoin") =>
    family === one || family === "all" || (family === "both" && one !== "bitcoin");
  const grounds: Ground[] = [
    ...isIn("evm") ? [new EvmNetwork(outside, { weather, tell })] : [],
    ...isIn("tron") ? [new TronNetwork(outside, { weather, tell })] : [],
    ...isIn("bitcoin") ? [new BitcoinNetwork(outside, { weather, tell })] : [],
  ];
  // One gateway has its file for itself; several share a server.
  const instances = random.pick([1, 1, 1, 2, 3]);
  const isFile = instances === 1 && random.chance(0.8);
  const env: GatewayEnv = {
    CPG_DATABASE_URL: isFile ? `file:${folder}/cpg.db` : "http://database.test:80",
    CPG_DATABASE_TOKEN: "",
    CPG_MASTER_KEY: "11".repeat(32),
    CPG_WEBHOOK_ALLOW_PRIVATE: "true",
  };
  const programs = Array.from({ length: instances }, (_, i) => {
    const name = `gateway-${i + 1}`;
    const log = (line: string) => story.log(name, line);
    return new Program(outside, { name, port: 8_080 + i, env: () => env, log });
  });
  const operator = cliOn({ env: { ...env }, remove: () => Promise.resolve() });
  const world: World = {
    options,
    outside,
    time,
    random,
    grounds,
    programs,
    folder,
    env,
    operator,
    loseDatabase: () => {
      server?.close();
      removeFiles(folder, "cpg.db");
      if (!isFile) server = serveDatabase(world, `${folder}/cpg.db`);
    },
    story,
    areFaultsOn: false,
    areProgramsHeld: false,
    lastPaidAtMs: 0,
    counts: { ...NOTHING },
  };
  const dice = random.fork();
  database = {
    fault: () => {
      if (!world.areFaultsOn || !dice.chance(trouble.statement)) return undefined;
      world.counts.databaseFaults++;
      story.tell("a statement fails: the disk is full");
      return new LibsqlError("database or disk is full", "SQLITE_FULL");
    },
  };
  let server = isFile ? undefined : serveDatabase(world, `${folder}/cpg.db`);
  return world;
}

/** A server between which and the programs answers get lost. */
function serveDatabase(world: World, path: string): DatabaseServer {
  const { outside: { hosts }, time, options, counts, story } = world;
  const random = world.random.fork();
  const server = new DatabaseServer(path, time);
  const { serverMood } = TROUBLE[options.weather];
  const mood = (): Mood => {
    if (!world.areFaultsOn || !random.chance(serverMood / 10)) return "well";
    const mood = random.pick(SERVER_MOODS);
    counts.databaseFaults++;
    story.tell(`an answer of the database server is ${mood}`);
    return mood;
  };
  hosts.set("database.test", withMood(server.answer, { mood, time, random: random.fork() }));
  return server;
}

/** A day in the life: set up, open, trouble, peace, and the reckoning. */
async function live(world: World, broken: string[]): Promise<void> {
  const { time, options, grounds, programs, story } = world;
  for (const ground of grounds) ground.start();
  await time.sleep(60_000);
  const shop = await Shop.open(world, (promise) => {
    story.tell(`BROKEN: ${promise}`);
    broken.push(promise);
  });
  for (const program of programs) await program.start();
  shop.begin();
  world.areFaultsOn = true;
  const chaos = Promise.all([crashes(world), lines(world), timers(world)]);
  for (const endMs = time.nowMs + options.hours * HOUR_MS; time.nowMs < endMs;) {
    broken.push(...grounds.flatMap(({ wrongs }) => wrongs));
    if (broken.length > 0) return;
    await time.sleep(Math.min(60_000, endMs - time.nowMs));
  }
  world.areFaultsOn = false;
  story.tell("the faults end");
  for (const ground of grounds) ground.endFaults();
  shop.close();
  await chaos;
  while (world.areProgramsHeld) await time.sleep(1_000);
  for (const program of programs) if (!program.isReady) await program.startAgain(world);
  const untilMs = time.nowMs + SETTLED_WITHIN_MS;
  while (broken.length === 0) {
    await time.sleep(2 * 60_000);
    const open = await shop.whatIsOpen();
    if (open.length === 0) break;
    if (time.nowMs < untilMs) continue;
    broken.push(...open.slice(0, 5).map((one) => `hours after the last fault: ${one}`));
  }
  broken.push(...grounds.flatMap(({ wrongs }) => wrongs));
  if (broken.length === 0) broken.push(...await shop.reckon());
  for (const ground of grounds) ground.stop();
}

/** How punctual they are. */
async function timers(world: World): Promise<void> {
  const { time, outside } = world;
  const random = world.random.fork();
  while (world.areFaultsOn) {
    outside.timersEveryMs = random.pick(TIMERS_EVERY_MS);
    await time.sleep(outside.timersEveryMs < 1_000 ? 15_000 : 60_000);
  }
  outside.timersEveryMs = TIMERS_AT_PEACE_MS;
}

/** No longer than until the faults end: what comes next may be hours away. */
async function sleepInTrouble(world: World, forMs: number): Promise<void> {
  const { time } = world;
  const untilMs = time.nowMs + forMs;
  while (world.areFaultsOn && time.nowMs < untilMs) {
    await time.sleep(Math.min(60_000, untilMs - time.nowMs));
  }
}

/** Kills programs between any two of their steps, and starts them again. */
async function crashes(world: World): Promise<void> {
  const { time, programs, options, counts, story } = world;
  const random = world.random.fork();
  const everyMs = TROUBLE[options.weather].crashEveryMs / programs.length;
  while (world.areFaultsOn) {
    await sleepInTrouble(world, random.wait(everyMs));
    if (!world.areFaultsOn) return;
    const program = random.pick(programs);
    const { life } = program;
    if (!life || !program.isReady || world.areProgramsHeld) continue;
    if (random.chance(0.2)) {
      const forMs = random.between(1_000, 180_000);
      story.tell(`${program.name} sleeps for ${Math.round(forMs / 1000)} s`);
      life.asleepUntilMs = time.nowMs + forMs;
      counts.sleeps++;
      await time.sleep(forMs);
      continue;
    }
    if (random.chance(0.2)) {
      story.tell(`${program.name} is stopped`);
      await program.stop();
    } else {
      // At one moment of what it does just then, which takes no time here.
      await time.afterTurns(life, random.between(1, 300));
      if (program.life !== life || !program.isReady || world.areProgramsHeld) continue;
      story.tell(`${program.name} is killed`);
      program.kill();
    }
    counts.crashes++;
    await time.sleep(random.between(10, 120_000));
    await program.startAgain(world);
  }
}

/** What sends a transaction, or asks whether a node knows it. */
const ABOUT_PAYMENTS =
  /eth_sendRawTransaction|eth_getTransactionByHash|broadcasttransaction|gettransactionbyid|sendrawtransaction|mempoolentry/i;

/** What a program asks others arrives, and no answer comes back. */
async function lines(world: World): Promise<void> {
  const { time, programs, options, story, outside: { cutLines } } = world;
  const random = world.random.fork();
  const everyMs = TROUBLE[options.weather].lineEveryMs / programs.length;
  while (world.areFaultsOn) {
    await sleepInTrouble(world, random.wait(everyMs));
    if (!world.areFaultsOn) return;
    const { name } = random.pick(programs);
    const isAll = random.chance(0.5);
    story.tell(`${name}'s line loses ${isAll ? "all answers" : "what nodes say of payments"}`);
    cutLines.set(name, (asked) => isAll || ABOUT_PAYMENTS.test(asked));
    await time.sleep(random.between(200, isAll ? 30_000 : 120_000));
    cutLines.delete(name);
    story.tell(`${name}'s line is well again`);
  }
}
