import assert from "node:assert/strict";
import type { CliHost } from "../../src/operations/host.ts";
import { runCli } from "../../src/cli/run.ts";
import { NO_SCREEN } from "../../src/operations/screen/screen.ts";
import type { Screen } from "../../src/operations/operation.ts";
import type { Env } from "../../src/app/config/variables.ts";
import { ENV_NAMES, readConfig } from "../../src/app/config/config.ts";
import { unknownNames } from "../../src/app/config/names.ts";
import { checkPorts } from "../../src/app/host.ts";
import { diagnose } from "../../src/app/diagnose/diagnose.ts";
import { openGateway } from "../../src/app/gateway.ts";
import { assertKeyFileIsOwn, replaceMasterKeyFile } from "../../src/app/config/master_key.ts";
import { proveKey } from "../../src/app/config/prove_key.ts";
import { serve } from "../../src/app/serve.ts";
import { utf8 } from "../../src/base/bytes.ts";
import { testConfig } from "../support/gateway.ts";
import { makePlace, type Place } from "../support/database/database.ts";

interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

// deno-lint-ignore no-explicit-any -- a test knows what it asked for
export type Answer = any;

/** The command line on a database of its own, in this process. */
export interface TestCli extends AsyncDisposable {
  readonly env: Env;
  run(args: readonly string[], options?: RunOptions): Promise<CliResult>;
  /** Runs it with --json, which must succeed, and parses its only document. */
  json(...args: string[]): Promise<Answer>;
  /** Runs it with --json, which must fail with that code, and returns the message. */
  fails(code: number, ...args: string[]): Promise<string>;
}

interface RunOptions {
  readonly input?: readonly string[];
  readonly isTerminal?: boolean;
  readonly screen?: Screen;
  /** For commands that run until they are stopped. */
  readonly stopped?: Promise<void>;
  /** The reason why nobody can connect to the server any more. */
  readonly lost?: Promise<unknown>;
  onOut?(text: string): void;
}

export async function makeCli(env: Env = {}): Promise<TestCli> {
  const place = await makePlace({ isMigrated: true });
  const cli = cliOn(place, env);
  await create(cli.env);
  return cli;
}

async function create({ CPG_DATABASE_URL, CPG_DATABASE_TOKEN, CPG_MASTER_KEY }: Env) {
  const env = { CPG_DATABASE_URL, CPG_DATABASE_TOKEN, CPG_MASTER_KEY, CPG_LOG_LEVEL: "silent" };
  await (await openGateway(testConfig(env))).close();
}

/** A place without a database. */
export async function makeNewCli(env: Env = {}): Promise<TestCli> {
  return cliOn(await makePlace(), env);
}

export function cliOn(place: Pick<Place, "env" | "remove">, env: Env = {}): TestCli {
  const full = {
    ...place.env,
    CPG_PORT: "0",
    CPG_LOG_LEVEL: "silent",
    ...env,
  };
  const run = async (args: readonly string[], options: RunOptions = {}) => {
    const written = { out: "", err: "" };
    const code = await runCli(args, testHost(full, { written, options }));
    return { code, ...written };
  };
  return {
    env: full,
    run,
    json: async (...args) => {
      const { code, out, err } = await run([...args, "--json"]);
      assert.equal(code, 0, `${args.join(" ")}: ${out}${err}`);
      return oneDocument(out);
    },
    fails: async (expected, ...args) => {
      const { code, out } = await run([...args, "--json"]);
      assert.equal(code, expected, `${args.join(" ")}: ${out}`);
      const document = oneDocument(out);
      assert.deepEqual(Object.keys(document), ["error"]);
      assert.deepEqual(Object.keys(document.error), ["message"]);
      return document.error.message;
    },
    [Symbol.asyncDispose]: place.remove,
  };
}

function testHost(
  env: Env,
  { written, options }: { written: { out: string; err: string }; options: RunOptions },
): CliHost {
  const input = [...options.input ?? []];
  return {
    env,
    unknownNames: unknownNames(Object.keys(env), ENV_NAMES),
    databaseUrl: () => readConfig(env).databaseUrl,
    publicUrl: () => readConfig(env).publicUrl,
    open: (overrides, { mayCreate = false, isCopy = false, log } = {}) =>
      openGateway(testConfig({ ...env, ...overrides }), {
        log,
        mustExist: !mayCreate,
        isExclusive: isCopy,
      }),
    serve: async (overrides, parts) => {
      const server = await serve({ ...testConfig({ ...env, ...overrides }), ...parts });
      return { ...server, lost: options.lost ?? server.lost };
    },
    checkPorts: () => checkPorts(testConfig(env)),
    untilStopped: () => options.stopped ?? new Promise(() => {}),
    checkKeyFile: () => assertKeyFileIsOwn(readConfig(env)),
    keepMasterKey: (masterKey) => replaceMasterKeyFile(readConfig(env), masterKey),
    proveKey: () => proveKey(readConfig(env)),
    diagnose: () => diagnose(env),
    writeOut: (text) => {
      written.out += text;
      options.onOut?.(text);
    },
    writeError: (text) => void (written.err += text),
    isTerminal: options.isTerminal ?? false,
    isOutTerminal: options.isTerminal ?? false,
    isInTerminal: options.isTerminal ?? false,
    screen: options.screen ?? NO_SCREEN,
    readLine: () => Promise.resolve(input.shift()),
    readFile: async (path) => await Deno.readFile(path),
    readRest: () => Promise.resolve(utf8(input.splice(0).join("\n"))),
    readSecret: () => Promise.resolve(input.shift()),
  };
}

function oneDocument(out: string): Answer {
  assert.match(out, /^[^\n]+\n$/, "exactly one line on standard output");
  return JSON.parse(out);
}
