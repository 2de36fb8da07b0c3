import type { CliHost } from "../cli/host.ts";
import { NO_SCREEN, type Screen } from "../cli/screen/screen.ts";
import type { Env } from "./config/variables.ts";
import { ENV_NAMES, readConfig } from "./config/config.ts";
import { unknownNames } from "./config/names.ts";
import { diagnose } from "./diagnose/diagnose.ts";
import { openGateway } from "./gateway.ts";
import { assertKeyFileIsOwn, replaceMasterKeyFile } from "./config/master_key.ts";
import type { Serving } from "./serve.ts";
import { openInput, readHidden } from "./standard_input.ts";

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
    open: (overrides, { mayCreate = false, isCopy = false } = {}) =>
      openGateway(configOf(overrides), {
        mustExist: !mayCreate,
        isExclusive: isCopy,
        copyOf: isCopy ? configOf().databaseUrl : undefined,
      }),
    serve: async (overrides) => {
      const config = configOf(overrides);
      // Most commands don't serve, and would load all pages for nothing.
      const { serve } = await import("./serve.ts");
      return serving = await serve(config);
    },
    untilStopped,
    checkKeyFile: () => assertKeyFileIsOwn(configOf()),
    keepMasterKey: (masterKey) => replaceMasterKeyFile(configOf(), masterKey),
    diagnose: () => diagnose(env),
    writeOut: (text) => writeAll(Deno.stdout, text),
    writeError: (text) => writeAll(Deno.stderr, text),
    isTerminal: Deno.stderr.isTerminal(),
    isOutTerminal: Deno.stdout.isTerminal(),
    screen: screenNow(),
    readLine: input.readLine,
    readRest: input.readRest,
    readSecret: (prompt) => Deno.stdin.isTerminal() ? askHidden(prompt) : input.readLine(),
  };
}

function screenNow(): Screen {
  if (!Deno.stdout.isTerminal()) return NO_SCREEN;
  // Some terminals don't know their size.
  return { columns: Deno.consoleSize().columns || undefined, hasColours: !Deno.noColor };
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
