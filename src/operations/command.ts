import type { Asking, Flags, Input, Operation, Positional } from "./operation.ts";
import type { CliHost, OpenGateway } from "./host.ts";

/** An operation, or what only a command does: it needs this machine or a person. */
export interface Command extends Omit<Operation, "run"> {
  /** Why no program can ask for it over the network. */
  readonly here?: string;
  /** In a checkout this is a task of its own, because it needs more permissions. */
  readonly isTask?: boolean;
  /** Returns the answer; undefined if it was already given. */
  run(context: Context, input: Input<Flags>): Promise<unknown>;
}

export interface Context extends Asking {
  readonly host: CliHost;
  /** All there are. */
  commands(): Promise<readonly Command[]>;
  /** Opened at first use, closed after the command. */
  gateway(options?: { mayCreate?: boolean }): Promise<OpenGateway>;
}

interface CommandOptions<F extends Flags> {
  readonly words: readonly string[];
  readonly here: string;
  readonly summary: string;
  readonly positionals?: readonly Positional[];
  readonly flags: F;
  readonly examples: readonly string[];
  readonly columns?: readonly string[];
  readonly isTask?: boolean;
  run(context: Context, input: Input<F>): Promise<unknown>;
}

export function command<const F extends Flags>(options: CommandOptions<F>): Command {
  return { positionals: [], ...options };
}
