import assert from "node:assert/strict";
import type { CliHost } from "../../src/operations/host.ts";
import { runCli } from "../../src/cli/run.ts";
import { NO_SCREEN } from "../../src/operations/screen/screen.ts";
import type { BareWorld } from "../support/world.ts";

interface Written {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command line on the gateway of a world, for commands that need nothing but its books and chain. */
export async function runIn(
  { deps }: Pick<BareWorld, "deps">,
  words: readonly string[],
  { isTerminal = false }: { isTerminal?: boolean } = {},
): Promise<Written> {
  const written = { out: "", err: "" };
  const unused = () => assert.fail("No such command needs this");
  const host: CliHost = {
    env: { CPG_LOG_LEVEL: "silent" },
    unknownNames: [],
    databaseUrl: () => "http://127.0.0.1",
    publicUrl: unused,
    open: () =>
      Promise.resolve({
        deps,
        migrated: { applied: [], version: 0 },
        close: () => Promise.resolve(),
      }),
    serve: unused,
    checkPorts: unused,
    untilStopped: unused,
    checkKeyFile: () => {},
    keepMasterKey: () => Promise.resolve(undefined),
    proveKey: unused,
    diagnose: unused,
    writeOut: (text) => void (written.out += text),
    writeError: (text) => void (written.err += text),
    isTerminal,
    isOutTerminal: isTerminal,
    isInTerminal: isTerminal,
    screen: NO_SCREEN,
    readLine: () => Promise.resolve(undefined),
    readFile: unused,
    readRest: unused,
    readSecret: unused,
  };
  const code = await runCli(words, host);
  return { code, ...written };
}
