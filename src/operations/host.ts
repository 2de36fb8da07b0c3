import type { Deps } from "../deps/deps.ts";
import type { Bytes } from "../base/bytes.ts";
import type { Log } from "../base/log.ts";
import type { DemoWallet } from "../invoices/rules/demo_wallet.ts";
import type { MigrationReport } from "../store/upkeep/migrate.ts";

import type { Screen } from "./operation.ts";

export type Env = Readonly<Record<string, string | undefined>>;

interface OpenOptions {
  readonly mayCreate?: boolean;
  /** A copy that nobody serves, even if the original's rows say so. */
  readonly isCopy?: boolean;
  /** Instead of lines of JSON on standard error. */
  readonly log?: Log | undefined;
}

/** Everything the command line needs from outside. `main.ts` provides it, tests provide their own. */
export interface CliHost {
  /** The environment as the operator set it. */
  readonly env: Env;
  /** One line for each unknown variable; a server logs these itself. */
  readonly unknownNames: readonly string[];
  /** The database that the environment names. */
  databaseUrl(): string;
  /** Where the environment says that callers reach the gateway. */
  publicUrl(): string;
  /**
   * Opens the migrated gateway. `overrides` take precedence over the environment. Refuses a missing
   * database unless the command may create it.
   */
  open(overrides?: Env, options?: OpenOptions): Promise<OpenGateway>;
  /** Throws if `serve` could not listen. */
  checkPorts(): Promise<void>;
  /** Resolves when requests are answered. */
  serve(overrides?: Env, parts?: { readonly demoWallet: DemoWallet }): Promise<Listening>;
  /** Resolves when the operator asks to stop: Ctrl-C or SIGTERM. */
  untilStopped(): Promise<void>;
  /** Throws if the master key file may serve other databases too. */
  checkKeyFile(): void;
  /** Writes the new master key to its file. Undefined: the key comes from the environment. */
  keepMasterKey(
    masterKey: string,
  ): Promise<{ file: string; oldFile: string | undefined } | undefined>;
  /** Throws if the master key doesn't open the database. Changes nothing. */
  proveKey(): Promise<void>;
  /** Checks everything outside the books. Changes nothing. */
  diagnose(): Promise<readonly Finding[]>;
  writeOut(text: string): void;
  writeError(text: string): void;
  /** A person watches standard error. */
  readonly isTerminal: boolean;
  /** A person watches standard output. */
  readonly isOutTerminal: boolean;
  /** A person types what standard input gives. */
  readonly isInTerminal: boolean;
  readonly screen: Screen;
  /** The next line of standard input; undefined at its end. */
  readLine(): Promise<string | undefined>;
  /** What follows the lines that were read; undefined if that is too much. */
  readRest(bytesMax: number): Promise<Bytes | undefined>;
  /** Undefined if it is larger. The program may read its data folder only. */
  readFile(path: string, bytesMax: number): Promise<Bytes | undefined>;
  /** One line; a terminal shows the prompt and not what is typed. */
  readSecret(prompt: string): Promise<string | undefined>;
}

export interface Finding {
  readonly check: string;
  readonly state: "ok" | "warning" | "failed";
  /** Without secrets. */
  readonly message: string;
  /** What to do about it. */
  readonly advice: string | null;
}

export interface OpenGateway {
  readonly deps: Deps;
  readonly migrated: MigrationReport;
  /** A line for the operator if something was just created. */
  readonly created?: string | undefined;
  /** Where the master key is; undefined if the environment holds it. */
  readonly keyFile?: string | undefined;
  close(): Promise<void>;
}

export interface Listening {
  readonly url: string;
  /** A line for the operator if something was just created. */
  readonly created?: string | undefined;
  /** Null: switched off. */
  readonly dashboardUrl: string | null;
  /** A one-time link that creates the first operator; null once there is one. */
  setUpUrl(): Promise<string | null>;
  /** Settles with the reason once nothing can connect any more. */
  readonly lost: Promise<unknown>;
  stop(): Promise<void>;
}
