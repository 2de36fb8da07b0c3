import { type Config, ENV_NAMES, readConfig } from "./config/config.ts";
import { assertKeyFileIsOwn, replaceMasterKeyFile } from "./config/master_key.ts";
import { unknownNames } from "./config/names.ts";
import { proveKey } from "./config/prove_key.ts";
import type { Env } from "./config/variables.ts";
import { diagnose } from "./diagnose/diagnose.ts";
import { openGateway } from "./gateway.ts";
import { outliveFaults } from "./outlive_faults.ts";
import type { Serving } from "./serve.ts";
import { type Bytes, joined, readAtMost } from "../base/bytes.ts";
import { OperatorError } from "../domain/refusal.ts";
import type { CliHost } from "../operations/host.ts";
import type { Screen } from "../operations/operation.ts";
import { NO_SCREEN } from "../operations/screen/screen.ts";

const LINE_BREAK = 10;
const CTRL_C = "\x03";
const CTRL_D = "\x04";
const CTRL_U = "\x15";
const IS_ERASE = /[\b\x7f]/;

interface ProgramHost extends CliHost {
  /** The running server; the crons keep its jobs going. */
  serving(): Serving | undefined;
}

const encoder = new TextEncoder();

/** The real environment, terminal and signals. */
export function programHost(env: Env): ProgramHost {
  let serving: Serving | undefined;
  const configOf = (overrides: Env = {}) => readConfig({ ...env, ...overrides });
  const input = openInput(() => Deno.stdin.readable);
  return {
    env,
    unknownNames: unknownNames(Object.keys(env), ENV_NAMES),
    serving: () => serving,
    databaseUrl: () => configOf().databaseUrl,
    publicUrl: () => configOf().publicUrl,
    open: (overrides, { mayCreate = false, isCopy = false, log } = {}) =>
      openGateway(configOf(overrides), {
        log,
        mustExist: !mayCreate,
        isExclusive: isCopy,
        copyOf: isCopy ? configOf().databaseUrl : undefined,
      }),
    checkPorts: () => checkPorts(configOf()),
    serve: async (overrides, parts) => {
      const config = configOf(overrides);
      // Most commands don't serve, and would load all pages for nothing.
      const { serve } = await import("./serve.ts");
      serving = await serve({ ...config, ...parts });
      outliveFaults(serving.gateway.deps.log);
      return serving;
    },
    untilStopped,
    checkKeyFile: () => assertKeyFileIsOwn(configOf()),
    keepMasterKey: (masterKey) => replaceMasterKeyFile(configOf(), masterKey),
    proveKey: () => proveKey(configOf()),
    diagnose: () => diagnose(env),
    writeOut: (text) => writeAll(Deno.stdout, text),
    writeError: (text) => writeAll(Deno.stderr, text),
    isTerminal: Deno.stderr.isTerminal(),
    isOutTerminal: Deno.stdout.isTerminal(),
    isInTerminal: Deno.stdin.isTerminal(),
    screen: screenNow(),
    readLine: input.readLine,
    readRest: input.readRest,
    readFile,
    readSecret: (prompt) => Deno.stdin.isTerminal() ? askHidden(prompt) : input.readLine(),
  };
}

/** Throws if something else listens there. */
export async function checkPorts(config: Config): Promise<void> {
  const { mustBeFree } = await import("./listen.ts");
  mustBeFree(config);
}

function screenNow(): Screen {
  if (!Deno.stdout.isTerminal()) return NO_SCREEN;
  // Some terminals don't know their size.
  return { columns: Deno.consoleSize().columns || undefined, hasColours: !Deno.noColor };
}

async function readFile(path: string, bytesMax: number): Promise<Bytes | undefined> {
  try {
    using file = await Deno.open(path);
    return await readAtMost(file.readable, bytesMax);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new OperatorError(`There is no file ${path}`);
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new OperatorError(
      `${path} can't be read: put it into the data folder, or give it on standard input with -`,
    );
  }
}

function untilStopped(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
  for (const signal of signals) Deno.addSignalListener(signal, resolve);
  return promise;
}

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
}

async function askHidden(prompt: string): Promise<string | undefined> {
  writeAll(Deno.stderr, prompt);
  try {
    return await readHidden(Deno.stdin);
  } finally {
    writeAll(Deno.stderr, "\n");
  }
}

interface StandardInput {
  readLine(): Promise<string | undefined>;
  readRest(bytesMax: number): Promise<Bytes | undefined>;
}

/** Lines, and then what follows them byte for byte. */
export function openInput(stream: () => ReadableStream<Uint8Array>): StandardInput {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let rest: Bytes = new Uint8Array();

  async function more(): Promise<boolean> {
    reader ??= stream().getReader();
    const { value, done } = await reader.read();
    if (value) rest = joined([rest, value]);
    return !done;
  }

  async function readLine(): Promise<string | undefined> {
    while (!rest.includes(LINE_BREAK) && await more());
    if (rest.length === 0) return undefined;
    const end = rest.indexOf(LINE_BREAK);
    const line = end < 0 ? rest : rest.slice(0, end);
    rest = end < 0 ? new Uint8Array() : rest.slice(end + 1);
    return new TextDecoder().decode(line).replace(/\r$/, "");
  }

  async function readRest(bytesMax: number): Promise<Bytes | undefined> {
    while (rest.length <= bytesMax && await more());
    return rest.length <= bytesMax ? rest : undefined;
  }

  return { readLine, readRest };
}

/** What is typed is not shown. */
export async function readHidden(
  terminal: Pick<typeof Deno.stdin, "setRaw" | "read">,
): Promise<string | undefined> {
  const keys = new Uint8Array(1024);
  const decoder = new TextDecoder();
  let typed: string[] = [];
  terminal.setRaw(true);
  try {
    while (true) {
      const count = await terminal.read(keys);
      if (count === null) return undefined;
      for (const key of decoder.decode(keys.subarray(0, count), { stream: true })) {
        if (key === CTRL_C) throw new OperatorError("Cancelled");
        if (key === "\r" || key === "\n") return typed.join("");
        if (key === CTRL_D && typed.length === 0) return undefined;
        if (key === CTRL_U) typed = [];
        else if (IS_ERASE.test(key)) typed.pop();
        else if (key >= " ") typed.push(key);
      }
    }
  } finally {
    terminal.setRaw(false);
  }
}
