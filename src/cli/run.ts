import type { Bytes } from "../base/bytes.ts";
import { first } from "../base/lists.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { servedAt } from "../upkeep/membership.ts";
import { systemClock } from "../base/clock.ts";
import { createLog, type Line, type Log } from "../base/log.ts";
import { OperatorError, Refused } from "../domain/refusal.ts";
import { ActionRefused } from "../domain/refusals/refuse.ts";
import { NodeError } from "../chains/faults.ts";
import { isDemoDatabase } from "../store/connection/database_folder.ts";
import { Unavailable } from "../store/connection/faults.ts";
import { allCommands, commandsOf } from "./command_table.ts";
import { type Context } from "../operations/command.ts";
import { nameOf, type Screen, type Tally, UsageError } from "../operations/operation.ts";
import { allowPrivateWebhooks } from "../sandbox/demo/database.ts";
import type { CliHost, OpenGateway } from "../operations/host.ts";
import { firstWord, isJsonWanted, parseCommand } from "./parse.ts";
import { createTally } from "../operations/screen/progress.ts";
import { oneLine, renderAnswer } from "../operations/screen/render.ts";
import { NO_SCREEN, paragraph } from "../operations/screen/screen.ts";
import { WaitingLine } from "../operations/screen/waiting_line.ts";
import { stepsFor } from "../operations/words/advice.ts";
import { withNodeFaults } from "../operations/words/node_faults.ts";
import { apiRefusalText, isUsage, refusalText } from "../operations/words/refusals.ts";

const OK = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

/** Commands that log unknown variables themselves. */
const LOGGED_BY: ReadonlySet<string> = new Set(["serve", "demo", "doctor"]);

const UNTIL_STOPPED: ReadonlySet<string> = new Set(["serve", "demo"]);

/** Runs one command line and returns the exit code. Never throws. */
export async function runCli(args: readonly string[], host: CliHost): Promise<number> {
  const waiting = new WaitingLine(host);
  const session = new Session(waiting.host, isJsonWanted(args));
  try {
    const isTerminal = host.isOutTerminal;
    const commands = await commandsOf(firstWord(args, isTerminal));
    const { command, input, isDefault } = parseCommand(args, { commands, isTerminal });
    if (!LOGGED_BY.has(first(command.words))) {
      host.unknownNames.forEach((line) => session.warn(line));
    }
    if (isDefault && first(command.words) === "serve" && !host.env.DENO_DEPLOY) {
      session.preface = 'No command was given, so this serves; "help" lists the commands.';
    }
    if (!session.isJson && !UNTIL_STOPPED.has(first(command.words))) waiting.start(nameOf(command));
    const answer = await command.run(session, input);
    await session.close();
    if (answer !== undefined) {
      const { columns } = command;
      session.answer(answer, (screen) => renderAnswer(answer, { columns, screen }));
    }
    return session.exitCode;
  } catch (error) {
    await session.close().catch(() => {});
    return session.fail(error);
  } finally {
    waiting.end();
  }
}

/** What one run has opened, and whether it has answered. */
class Session implements Context {
  readonly actor = "cli";
  readonly caller = null;
  readonly cursor = undefined;
  readonly commands = allCommands;
  #gateway: Promise<OpenGateway> | undefined;
  #publicUrl: Promise<string> | undefined;
  #isAnswered = false;
  exitCode = OK;
  /** Said with the answer: a start that fails has one line. */
  preface: string | undefined;

  constructor(readonly host: CliHost, readonly isJson: boolean) {}

  gateway(options: { mayCreate?: boolean } = {}): Promise<OpenGateway> {
    const { host } = this;
    // As the demo's server does.
    const demo = isDemoDatabase(host.databaseUrl()) ? allowPrivateWebhooks(host.env) : {};
    // A command prints its answer; what it logs on the way only on request.
    const log = host.env.CPG_LOG_LEVEL ? undefined : this.#logForPeople();
    return this.#gateway ??= host.open(demo, { ...options, log });
  }

  /** Links in answers, and in events of what is done here, lead to the server that runs. */
  async deps() {
    const { deps } = await this.gateway();
    return { ...deps, publicUrl: await (this.#publicUrl ??= servedAt(deps)) };
  }

  answer(value: unknown, forPeople: (screen: Screen) => string): void {
    this.#isAnswered = true;
    if (this.preface !== undefined) this.note(this.preface);
    const { host } = this;
    host.writeOut(this.isJson ? `${JSON.stringify(value)}\n` : forPeople(host.screen));
  }

  page(): void {}

  tally(): Tally {
    return createTally({ host: this.host, isQuiet: this.isJson });
  }

  get isAsked(): boolean {
    return this.host.isTerminal && this.host.isInTerminal && !this.isJson;
  }

  async confirm({ word, warning }: { word: string; warning: string }): Promise<void> {
    const { host } = this;
    if (!this.isJson || host.isTerminal) {
      this.note(warning);
      host.writeError(`Type ${word} to continue: `);
    }
    const answer = await host.readLine();
    if (answer?.trim() !== word) throw new OperatorError(`Not confirmed with "${word}"`);
  }

  /** Standard input, or a file. */
  fileOf(given: string, bytesMax: number): Promise<Bytes | undefined> {
    return given === "-" ? this.host.readRest(bytesMax) : this.host.readFile(given, bytesMax);
  }

  databaseUrl(): string {
    return this.host.databaseUrl();
  }

  exitWith(code: number): void {
    this.exitCode = code;
  }

  /** Not cut by the end of the terminal's line. Whatever else reads it gets one line. */
  note(line: string): void {
    const { host } = this;
    host.writeError(
      paragraph(withNodeFaults(oneLine(line)), host.isTerminal ? host.screen : NO_SCREEN),
    );
  }

  warn(line: string): void {
    this.note(`warning: ${line}`);
  }

  /** What an operator has to know, as a line like the command's own. */
  #logForPeople(): Log {
    const write = (line: Line) => this.warn(logText(JSON.parse(line())));
    return createLog({ level: "warn", clock: systemClock, write });
  }

  async close(): Promise<void> {
    const gateway = this.#gateway;
    this.#gateway = undefined;
    await (await gateway)?.close();
  }

  fail(error: unknown): number {
    const message = messageOf(error);
    if (this.isJson && !this.#isAnswered) {
      this.host.writeOut(`${JSON.stringify({ error: { message } })}\n`);
    } else {
      this.host.writeError(`error: ${message}\n`);
    }
    if (this.host.env.CPG_LOG_LEVEL === "debug" && error instanceof Error) {
      this.host.writeError(`${error.stack}\n`);
    }
    const isWrongUsage = error instanceof UsageError ||
      error instanceof ActionRefused && isUsage(error);
    return isWrongUsage ? WRONG_USAGE : FAILED;
  }
}

/** An alert's message with what to do about it; otherwise with what else the line has. */
function logText({ time: _, level: __, message, alert, subject, ...rest }: LogLine): string {
  if (alert !== undefined) {
    const steps = stepsFor({ kind: alert, subject: subject ?? "", advice: null });
    return steps === null ? message : `${message}; ${steps}`;
  }
  const facts = Object.entries(rest).map(([name, value]) => {
    const text = typeof value === "object" ? value?.message ?? JSON.stringify(value) : value;
    return name === "error" ? String(text) : `${name.replaceAll("_", " ")} ${text}`;
  });
  return facts.length === 0 ? message : `${message}: ${facts.join(", ")}`;
}

interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly alert?: string;
  readonly subject?: string;
  readonly [name: string]: string | { readonly message?: string } | undefined;
}

const EXPECTED = [UsageError, OperatorError, NodeError, Unavailable, TamperedRow];

function messageOf(error: unknown): string {
  if (error instanceof ActionRefused) return withNodeFaults(oneLine(refusalText(error)));
  if (error instanceof Refused) return oneLine(apiRefusalText(error));
  const text = oneLine(error instanceof Error ? error.message : String(error));
  if (EXPECTED.some((kind) => error instanceof kind)) return withNodeFaults(text);
  return `Unexpected error: ${text} (CPG_LOG_LEVEL=debug shows where)`;
}
