import type { CliHost } from "../host.ts";
import type { Tally } from "../operation.ts";
import { createTally } from "./progress.ts";

const SILENT_MS = 2_000;
const LOOK_EVERY_MS = 500;

/** On a terminal, no command seems to have stopped: while it is silent, a line says that it runs. */
export class WaitingLine {
  /** Through which the command must write and read. */
  readonly host: CliHost;
  readonly #tally: Tally;
  readonly #nowMs: () => number;
  readonly #startedAtMs: number;
  #spokeAtMs: number;
  /** No prompt and no progress bar stands on the line. */
  #isFree = true;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(host: CliHost, nowMs = () => performance.now()) {
    this.#tally = createTally({ host, isQuiet: false });
    this.#nowMs = nowMs;
    this.#startedAtMs = this.#spokeAtMs = nowMs();
    this.host = {
      ...host,
      writeOut: (text) => this.#write(text, host.writeOut),
      writeError: (text) => this.#write(text, host.writeError),
      readLine: () => this.#read(() => host.readLine()),
      readSecret: (prompt) => this.#read(() => host.readSecret(prompt)),
    };
  }

  start(command: string): void {
    this.#timer = setInterval(() => this.look(command), LOOK_EVERY_MS);
  }

  look(command: string): void {
    const nowMs = this.#nowMs();
    if (!this.#isFree || nowMs - this.#spokeAtMs < SILENT_MS) return;
    this.#tally.show(`${command} ... ${Math.floor((nowMs - this.#startedAtMs) / 1000)} s`);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#tally.erase();
  }

  #write(text: string, write: (text: string) => void): void {
    this.#tally.erase();
    write(text);
    this.#spokeAtMs = this.#nowMs();
    this.#isFree = /[\r\n]$/.test(text);
  }

  async #read<T>(read: () => Promise<T>): Promise<T> {
    this.#tally.erase();
    this.#isFree = false;
    const value = await read();
    this.#spokeAtMs = this.#nowMs();
    this.#isFree = true;
    return value;
  }
}
