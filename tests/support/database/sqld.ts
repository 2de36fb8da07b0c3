import { present } from "../../../src/base/assert.ts";
import { lastingPort } from "../programs/ports.ts";
import { toolPath } from "../programs/tools.ts";
import { makeDatabaseFolder } from "./folder.ts";
import { createTokenIssuer } from "./sqld_token.ts";
import { endChild } from "../../../src/base/end_child.ts";

/** A real libSQL server on loopback. */
export interface Sqld extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The folder with its data. */
  readonly folder: string;
  /** Empty if it wants none. */
  readonly token: string;
  /** Ends it with SIGKILL. The data stay. */
  kill(): Promise<void>;
  /** The same data on the same port again. */
  restart(): Promise<void>;
  /** It stands still with everything it has: connections are accepted, and nothing is answered. */
  freeze(): void;
  thaw(): void;
}

interface SqldOptions {
  readonly args?: readonly string[];
  /** Requires a token. */
  readonly isGuarded?: boolean;
  /** Fills its folder before it starts. */
  readonly fill?: ((folder: string) => Promise<void>) | undefined;
}

const STARTS_MAX = 5;
/** It takes a tenth of a second; each question takes time from it. */
const ASK_PAUSE_MS = 15;
const ASKS_MAX = 2000;

export async function startSqld(
  { args: more = [], isGuarded = false, fill }: SqldOptions = {},
): Promise<Sqld> {
  const folder = await makeDatabaseFolder("cpg-sqld-");
  const data = `${folder}/data`;
  await fill?.(data);
  const guard = isGuarded ? await guardIn(folder) : { args: [], token: "" };
  const args = [...guard.args, ...more];
  let server = await startSomewhere(data, args);
  const { port } = server;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    folder: data,
    token: guard.token,
    kill: () => endChild(server.child, "SIGKILL"),
    restart: async () => {
      server = present(await startOn(port, data, args), "sqld starts again");
    },
    freeze: () => server.child.kill("SIGSTOP"),
    thaw: () => server.child.kill("SIGCONT"),
    [Symbol.asyncDispose]: async () => {
      await endChild(server.child, "SIGKILL");
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function guardIn(folder: string): Promise<{ args: string[]; token: string }> {
  const issuer = await createTokenIssuer();
  const keyFile = `${folder}/token.pem`;
  await Deno.writeTextFile(keyFile, issuer.publicKeyPem);
  return { args: ["--auth-jwt-key-file", keyFile], token: await issuer.issue({ a: "rw" }) };
}

interface Server {
  readonly child: Deno.ChildProcess;
  readonly port: number;
}

/** sqld doesn't report the port that it got for 0, and a free port may be taken by the time it starts. */
async function startSomewhere(path: string, args: readonly string[]): Promise<Server> {
  for (let attempt = 1; attempt <= STARTS_MAX; attempt++) {
    const server = await startOn(lastingPort(), path, args);
    if (server) return server;
  }
  throw new Error("sqld did not start");
}

async function startOn(
  port: number,
  path: string,
  args: readonly string[],
): Promise<Server | undefined> {
  const child = new Deno.Command(await toolPath("sqld"), {
    args: ["--no-welcome", "--db-path", path, "--http-listen-addr", `127.0.0.1:${port}`, ...args],
    stdout: "null",
    stderr: "null",
  }).spawn();
  let isRunning = true;
  child.status.finally(() => isRunning = false);
  for (let ask = 1; isRunning && ask <= ASKS_MAX; ask++) {
    if (await isAnswering(port)) return { child, port };
  }
  await endChild(child, "SIGKILL");
  return undefined;
}

async function isAnswering(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`);
    await response.body?.cancel();
    return response.ok;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, ASK_PAUSE_MS));
    return false;
  }
}
