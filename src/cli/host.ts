import type { Deps } from "../actions/deps.ts";
import type { MigrationReport } from "../store/upkeep/migrate.ts";

export type Env = Readonly<Record<string, string | undefined>>;

interface OpenOptions {
  readonly mayCreate?: boolean;
  /** Nobody serves it, whatever the database that it was copied from tells. */
  readonly isCopy?: boolean;
}

/** Everything the command line needs from outside. `main.ts` fills it in, tests bring their own. */
export interface CliHost {
  /** The environment as the operator set it. */
  readonly env: Env;
  /** What stands in it as if it were the program's, a line each: a server logs it by itself. */
  readonly unknownNames: readonly string[];
  /** The database that the environment names. */
  databaseUrl(): string;
  /**
   * The gateway, migrated. `overrides` stand above the environment. A database that is not there is
   * refused, unless the command may create it.
   */
  open(overrides?: Env, options?: OpenOptions): Promise<OpenGateway>;
  /** Resolves when requests are answered. */
  serve(overrides?: Env): Promise<Listening>;
  /** Resolves when the operator asks to stop: Ctrl-C or SIGTERM. */
  untilStopped(): Promise<void>;
  /** Refuses where a master key in a file is not this database's alone. */
  checkKeyFile(): void;
  /** Where the master key is kept in a file: that one now. Undefined: it comes from the environment. */
  keepMasterKey(
    masterKey: string,
  ): Promise<{ file: string; oldFile: string | undefined } | undefined>;
  writeOut(text: string): void;
  writeError(text: string): void;
  /** A person watches standard error. */
  readonly isTerminal: boolean;
  /** The next line of standard input; undefined at its end. */
  readLine(): Promise<string | undefined>;
}

export interface OpenGateway {
  readonly deps: Deps;
  readonly migrated: MigrationReport;
  /** What was made just now, a line for the operator. */
  readonly created?: string | undefined;
  close(): Promise<void>;
}

export interface Listening {
  readonly url: string;
  /** What was made just now, a line for the operator. */
  readonly created?: string | undefined;
  /** Null: switched off. */
  readonly dashboardUrl: string | null;
  /** A one-time link that makes the first operator; null once somebody can sign in. */
  setUpUrl(): Promise<string | null>;
  /** Why nothing can connect any more; never while it can. */
  readonly lost: Promise<unknown>;
  stop(): Promise<void>;
}
