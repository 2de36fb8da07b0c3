import type { Deps } from "../actions/deps.ts";
import type { Kind } from "../domain/kinds.ts";
import type { CliHost, OpenGateway } from "./host.ts";

/** The actor in the audit log. */
export const ACTOR = "cli";

/** One command, including everything that help shows about it. */
export interface Command {
  readonly words: readonly string[];
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly flags: Flags;
  readonly examples: readonly string[];
  /** The columns of a list, for people. */
  readonly columns?: readonly string[];
  /** In a checkout this is a task of its own, because it needs more permissions. */
  readonly isTask?: boolean;
  /** Returns the answer; undefined if it was already given. */
  run(context: Context, input: Input<Flags>): Promise<unknown>;
}

interface Positional {
  readonly name: string;
  readonly help: string;
  /** Takes any number of values, including none. */
  readonly isRest?: boolean;
}

type Need = "required" | "optional" | "fallback" | "repeated";

export interface Flag<T, N extends Need = Need> {
  readonly kind: Kind<T>;
  readonly need: N;
  readonly help: string;
  readonly example: string;
  readonly fallback?: T;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;

type ValueOf<F> = F extends Flag<infer T, infer N>
  ? N extends "required" | "fallback" ? T : N extends "repeated" ? readonly T[] : T | undefined
  : never;

type FlagValues<F extends Flags> = { readonly [Name in keyof F]: ValueOf<F[Name]> };

export interface Input<F extends Flags> {
  readonly flags: FlagValues<F>;
  readonly positionals: readonly string[];
}

export interface Context {
  readonly host: CliHost;
  readonly isJson: boolean;
  /** All there are. */
  commands(): Promise<readonly Command[]>;
  /** Opened at first use, closed after the command. */
  gateway(options?: { mayCreate?: boolean }): Promise<OpenGateway>;
  deps(): Promise<Deps>;
  /** Gives the one answer, for a command that goes on afterwards. */
  answer(value: unknown, forPeople: string): void;
  /** The answer is bad news, and the exit code should say so. */
  exitWith(code: number): void;
  /** A line beside the answer. */
  note(line: string): void;
  warn(line: string): void;
}

/** The command line itself is wrong: exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

interface CommandOptions<F extends Flags> {
  readonly words: readonly string[];
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

interface FlagText {
  readonly help: string;
  readonly example: string;
}

export function required<T>(kind: Kind<T>, { help, example }: FlagText): Flag<T, "required"> {
  return { kind, need: "required", help, example };
}

export function optional<T>(kind: Kind<T>, { help, example }: FlagText): Flag<T, "optional"> {
  return { kind, need: "optional", help, example };
}

export function withFallback<T>(
  kind: Kind<T>,
  { fallback, ...text }: FlagText & { fallback: NoInfer<T> },
): Flag<T, "fallback"> {
  return { kind, need: "fallback", fallback, ...text };
}

/** Can be given several times; the command may require at least one. */
export function repeated<T>(kind: Kind<T>, { help, example }: FlagText): Flag<T, "repeated"> {
  return { kind, need: "repeated", help, example };
}

export function nameOf({ words }: Command): string {
  return words.join(" ");
}
