import { utf8 } from "../../base/bytes.ts";
import * as kind from "../../domain/kinds.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { command } from "../../operations/command.ts";
import { optional } from "../../operations/operation.ts";
import { isEmbedded, withoutSecrets } from "../../store/connection/connect.ts";
import { DEFAULT_DATABASE_URL, filePathOf } from "../../store/connection/database_folder.ts";
import { systemCalls } from "../../store/connection/native_calls.ts";
import { folderOf } from "../../store/connection/whose.ts";
import { installScript, removeScript, type Service, settingIn, SETTINGS } from "./script.ts";

const USER = "cpg";
/** There it would be hidden from the service, and root's is closed to its user. */
const HOMES = /^\/(home|root|tmp|run\/user)(\/|$)/;
/** Its owner and mode are changed, which must be nobody else's loss. */
const SHARED_FOLDER = /^\/[^/]*$|^\/(etc|usr)\/|^\/var\/[^/]*$/;
const PLAIN_PATH = /^\/[\w./+-]+$/;
const SHELL = "/bin/sh";
const WRAPPER = "/usr/local/bin/cpg";
/** Of the binary, which may lie anywhere. */
const BINARY_FOLDER = "/var/lib/cpg";
/** As `deno task start` and `deno task cpg` run it. */
const SERVING =
  "run -q -P --no-prompt --v8-flags=--min-semi-space-size=32,--heap-growing-percent=50 main.ts serve";
const COMMANDING = "run -q -P=cpg --no-prompt main.ts";

export const INSTALL_COMMAND = command({
  words: ["install-service"],
  here: "it changes this machine",
  isTask: true,
  summary: "Shows how this machine runs CPG as a service, with backups; --yes does it",
  flags: {
    remove: optional(kind.onOff, {
      help: "takes the service away again; settings, database and backups stay",
      example: "on",
    }),
    yes: optional(kind.present, { help: "do it without asking (for scripts)", example: "" }),
  },
  examples: ["install-service", "install-service --yes", "install-service --remove on"],
  run: async (context, { flags }) => {
    const isRemoval = flags.remove === true;
    const kept = settingIn(await Deno.readTextFile(SETTINGS).catch(() => ""), "CPG_DATABASE_URL");
    if (!isRemoval && kept === undefined) assertServed(context.databaseUrl());
    const service = serviceHere(kept ?? context.databaseUrl());
    const script = isRemoval ? removeScript(service) : installScript(service);
    if (!context.isJson) context.host.writeOut(script);
    const why = await whyNotHere();
    if (flags.yes && why !== undefined) throw new OperatorError(`Nothing was done: ${why}`);
    const isWanted = why === undefined && (flags.yes || context.isAsked);
    if (isWanted) {
      const word = isRemoval ? "remove" : "install";
      const warning = "This machine is about to run the lines above as root.";
      if (!flags.yes) await context.confirm({ word, warning });
      await runAsRoot(script);
    } else context.note(`Nothing was done: ${why ?? "--yes does it"}.`);
    return context.isJson ? { script, done: isWanted } : undefined;
  },
});

/** What isn't in the settings, the service doesn't know: it would create another database. */
function assertServed(databaseUrl: string): void {
  if (databaseUrl === DEFAULT_DATABASE_URL || fileOf(databaseUrl) !== undefined) return;
  throw new OperatorError(
    isEmbedded(databaseUrl)
      ? `The service may run in another folder, and wouldn't find ${databaseUrl}: give CPG_DATABASE_URL the file's whole path`
      : `The database is at ${withoutSecrets(databaseUrl)}, and its secrets are never shown: ` +
        `write CPG_DATABASE_URL, CPG_DATABASE_TOKEN and CPG_MASTER_KEY into ${SETTINGS}, ` +
        "NAME=value one a line, which only root may read, and say it again",
  );
}

/** How it runs from where it is. */
function serviceHere(databaseUrl: string): Service {
  const isBinary = Deno.build.standalone;
  const runtime = Deno.execPath();
  const folder = isBinary ? BINARY_FOLDER : folderOf(new URL(Deno.mainModule).pathname);
  const ownFile = databaseUrl === DEFAULT_DATABASE_URL ? undefined : fileOf(databaseUrl);
  const data = ownFile === undefined ? `${folder}/data` : folderOf(ownFile);
  const [thing, place] = isBinary ? ["binary", "/opt/cpg/cpg"] : ["checkout", "/opt/cpg"];
  assertFor(thing, isBinary ? runtime : folder, place);
  if (!isBinary) assertFor("program deno", runtime, "/usr/local/bin/deno");
  assertFor("database", data, "/var/lib/cpg");
  if (ownFile !== undefined) assertFor("database", ownFile, "/var/lib/cpg");
  if (SHARED_FOLDER.test(data)) {
    throw new OperatorError(
      `The database is in ${data}, which isn't its alone: move it, for example to /var/lib/cpg`,
    );
  }
  return {
    user: USER,
    folder,
    data,
    serve: isBinary ? `${runtime} serve` : `${runtime} ${SERVING}`,
    cpg: isBinary ? runtime : `${runtime} ${COMMANDING}`,
    prepare: isBinary ? undefined : `${runtime} install -q --entrypoint main.ts`,
    settings: ownFile === undefined ? [] : [`CPG_DATABASE_URL=${databaseUrl}`],
  };
}

/** Undefined: on a server, or relative to the folder from which it was started. */
function fileOf(databaseUrl: string): string | undefined {
  if (!isEmbedded(databaseUrl)) return undefined;
  const path = filePathOf(databaseUrl);
  return path.startsWith("/") ? path : undefined;
}

function assertFor(thing: string, path: string, place: string): void {
  const advice = `: move it, for example to ${place}`;
  if (!PLAIN_PATH.test(path)) {
    throw new OperatorError(`The ${thing} is at ${path}, which a service can't name${advice}`);
  }
  if (path === WRAPPER) {
    throw new OperatorError(`The ${thing} is at ${path}, where the command belongs${advice}`);
  }
  if (!HOMES.test(path)) return;
  throw new OperatorError(
    `The ${thing} is at ${path}, where a service's user can't see it${advice}`,
  );
}

async function whyNotHere(): Promise<string | undefined> {
  if (!await isThere("/run/systemd/system")) return "this machine runs no systemd";
  if (systemCalls()?.userId !== 0) return "only root may do it (sudo)";
  const { state } = await Deno.permissions.query({ name: "run", command: SHELL });
  return state === "granted" ? undefined : "this program may start no other: pipe it into sudo sh";
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function runAsRoot(script: string): Promise<void> {
  const shell = new Deno.Command(SHELL, { args: ["-s"], stdin: "piped", stdout: "piped" }).spawn();
  const input = shell.stdin.getWriter();
  await input.write(utf8(script));
  await input.close();
  const { success, stdout } = await shell.output();
  Deno.stderr.writeSync(stdout);
  if (!success) throw new OperatorError("It stopped at the line above; say it again once mended");
}
