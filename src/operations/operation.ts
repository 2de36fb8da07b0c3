import type { Actor, Deps } from "../deps/deps.ts";
import type { Bytes } from "../base/bytes.ts";
import type { Ability, Role } from "../access/rules/roles.ts";
import type { Kind } from "../domain/kinds.ts";

/**
 * Something that a person or a program can ask the gateway for: a command, an endpoint of the
 * management API with the same words, and often a form of the dashboard. It is declared once, with
 * everything that they show about it.
 */
export interface Operation<F extends Flags = Flags, A = unknown> {
  /** `payee add` is `POST /admin/v1/payee/add`. */
  readonly words: readonly string[];
  readonly summary: string;
  /** It only reads; whoever has this ability may ask for it. */
  readonly reads?: Ability;
  /** It changes or sends something, or looks at more than one answer should wait for. */
  readonly changes?: Ability;
  /** Whose it is; undefined: no such record. Without it, it concerns the account that it names. */
  readonly of?: OwnerOf;
  readonly positionals: readonly Positional[];
  readonly flags: F;
  readonly examples: readonly string[];
  /** The columns of a list, for people. */
  readonly columns?: readonly string[];
  /** A long list, which can be asked for page by page. */
  readonly isPaged?: true;
  /** It ends or completes something, which goes on when an account has stored its share of the day. */
  readonly isUrgent?: true;
  /** Returns the answer; undefined if it was already given. */
  run(asking: Asking, input: Input<F>): Promise<A>;
}

/** The account that what is named belongs to; null: to the whole installation. */
export type OwnerOf = (
  deps: Deps,
  positionals: readonly string[],
) => Promise<number | null | undefined>;

export interface Positional {
  readonly name: string;
  readonly help: string;
  /** Takes any number of values, including none. */
  readonly isRest?: boolean;
}

type Need = "required" | "optional" | "fallback" | "repeated";

export interface Flag<T, N extends Need = Need> extends FlagText {
  readonly kind: Kind<T>;
  readonly need: N;
  readonly fallback?: T;
}

interface FlagText {
  readonly help: string;
  readonly example: string;
  /** What a form calls it; if not given, by its name. */
  readonly label?: string;
  /** What a form says below it. */
  readonly hint?: string;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;

type ValueOf<F> = F extends Flag<infer T, infer N>
  ? N extends "required" | "fallback" ? T : N extends "repeated" ? readonly T[] : T | undefined
  : never;

export type FlagValues<F extends Flags> = { readonly [Name in keyof F]: ValueOf<F[Name]> };

export interface Input<F extends Flags> {
  readonly flags: FlagValues<F>;
  readonly positionals: readonly string[];
}

/** A program with a key, or somebody at the dashboard. */
interface Caller {
  readonly role: Role;
  /** The only account that exists for it; null: every account does. */
  readonly accountId: number | null;
}

/** Who asks, and what is said to them beside the answer. */
export interface Asking {
  readonly actor: Actor;
  /** Null: the command line, which may do everything. */
  readonly caller: Caller | null;
  deps(): Promise<Deps>;
  /** A program reads the answer. */
  readonly isJson: boolean;
  /** The answer is bad news, and the exit code should say so. */
  exitWith(code: number): void;
  /** A line beside the answer. */
  note(line: string): void;
  warn(line: string): void;
  /** Gives the one answer, with another text for people. */
  answer(value: unknown, forPeople: (screen: Screen) => string): void;
  /** Which page of a list is wanted; undefined: the first, or all of it. */
  readonly cursor: string | undefined;
  /** Says which page follows; null: there is none. */
  page(next: string | null): void;
  /** Shown to people while they wait. */
  tally(): Tally;
  /** Somebody can answer a question. */
  readonly isAsked: boolean;
  /** Throws unless the word is typed. Who asks by a request has meant it. */
  confirm(question: { readonly word: string; readonly warning: string }): Promise<void>;
  /** What is in the file that was given; undefined if it is larger. */
  fileOf(given: string, bytesMax: number): Promise<Bytes | undefined>;
  databaseUrl(): string;
}

/** Where the answer is read. */
export interface Screen {
  /** Its width in characters; undefined for files and other programs, which get everything. */
  readonly columns: number | undefined;
  readonly hasColours: boolean;
}

/** A line that overwrites itself, for work of unknown length. */
export interface Tally {
  show(text: string): void;
  /** Keeps the last text on the screen. */
  end(): void;
  erase(): void;
}

/** How it was asked for is wrong: exit code 2, or a 422. */
export class UsageError extends Error {
  override name = "UsageError";
}

interface OperationOptions<F extends Flags, A> {
  readonly words: readonly string[];
  readonly summary: string;
  readonly of?: OwnerOf;
  readonly positionals?: readonly Positional[];
  readonly flags: F;
  readonly examples: readonly string[];
  readonly columns?: readonly string[];
  readonly isPaged?: true;
  readonly isUrgent?: true;
  run(asking: Asking, input: Input<F>): Promise<A>;
}

type Asks = { readonly reads: Ability } | { readonly changes: Ability };

export function operation<const F extends Flags, A>(
  options: OperationOptions<F, A> & Asks,
): Operation<F, A> {
  return { positionals: [], ...options };
}

/** A text that several flags share may have more. */
function textOf({ help, example, label, hint }: FlagText): FlagText {
  return {
    ...{ help, example },
    ...label === undefined ? {} : { label },
    ...hint === undefined ? {} : { hint },
  };
}

export function required<T>(kind: Kind<T>, text: FlagText): Flag<T, "required"> {
  return { kind, need: "required", ...textOf(text) };
}

export function optional<T>(kind: Kind<T>, text: FlagText): Flag<T, "optional"> {
  return { kind, need: "optional", ...textOf(text) };
}

export function withFallback<T>(
  kind: Kind<T>,
  { fallback, ...text }: FlagText & { fallback: NoInfer<T> },
): Flag<T, "fallback"> & { readonly fallback: T } {
  return { kind, need: "fallback", fallback, ...text };
}

/** Can be given several times; the operation may require at least one. */
export function repeated<T>(kind: Kind<T>, text: FlagText): Flag<T, "repeated"> {
  return { kind, need: "repeated", ...textOf(text) };
}

/** As programs and forms name it. */
export function fieldOf(flag: string): string {
  return flag.replaceAll("-", "_");
}

/** As people read it: "max-age" is "Max age". */
export function labelOf(flag: string, { label }: { readonly label?: string } = {}): string {
  const words = flag.replaceAll("-", " ");
  return label ?? words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** For who asks from elsewhere than a terminal: only the answer is read, and whoever asks means it. */
export const NO_TERMINAL = {
  isJson: true,
  isAsked: false,
  confirm: () => Promise.resolve(),
  tally: () => ({ show: () => {}, end: () => {}, erase: () => {} }),
  exitWith: () => {},
  note: () => {},
  warn: () => {},
} as const satisfies Partial<Asking>;

export function nameOf({ words }: Pick<Operation, "words">): string {
  return words.join(" ");
}

/** The account that asks for itself, which has limits that the operator hasn't. */
export function ownAccount({ caller }: Asking): number | undefined {
  return caller?.accountId ?? undefined;
}

export function isOwn(asking: Asking): boolean {
  return ownAccount(asking) !== undefined;
}

/** The rows after this id are wanted; null: from the beginning. */
export function pageWanted({ cursor }: Asking): number | null {
  if (cursor === undefined) return null;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new UsageError(`--cursor "${cursor}" is not the next_cursor of a page`);
}

export function pageFollows(asking: Asking, next: number | null): void {
  asking.page(next === null ? null : String(next));
}
