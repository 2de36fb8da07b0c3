import { first } from "../base/lists.ts";
import { parseArgs } from "node:util";
import { askFor, meant, nearestOf } from "../base/misspelt.ts";
import { type Command } from "../operations/command.ts";
import { type Flag, type Flags, type Input, nameOf, UsageError } from "../operations/operation.ts";

interface ParsedCommand {
  readonly command: Command;
  readonly input: Input<Flags>;
  /** None was named. */
  readonly isDefault?: boolean;
}

const HELP_FLAGS = ["--help", "-h"];
const VERSION_FLAGS = ["--version", "-V"];
/** What people type who know the pages, and the command that it is. */
const KNOWN_AS: ReadonlyMap<string, string> = new Map([
  ["payout", "withdrawal"],
  ["costs", "network costs"],
  ["sweep costs", "network costs"],
]);
const GLOBAL_FLAGS = ["--json", ...HELP_FLAGS];

/** Works even if the rest can't be parsed, because the error must then be JSON. */
export function isJsonWanted(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).includes("--json");
}

/** Finds the command by its first words and reads the rest by its flags. */
export function parseCommand(
  args: readonly string[],
  { commands, isTerminal }: { commands: readonly Command[]; isTerminal: boolean },
): ParsedCommand {
  const { leading, words, isDefault } = wordsOf(args, isTerminal);
  const isHelp = words.length === 2 && HELP_FLAGS.includes(words[1]!);
  const command = findCommand(isHelp ? ["help", first(words)] : words, commands);
  const tail = isHelp ? words : [...leading, ...words.slice(command.words.length)];
  const { given, positionals } = readTokens(command, tail);
  if (given.has("help")) return explain(command, { positionals, commands });
  checkPositionals(command, positionals);
  const flags = Object.fromEntries(
    Object.entries(command.flags).map(([name, flag]) => [
      name,
      valueOf(command, { name, flag, texts: given.get(name) ?? [] }),
    ]),
  );
  return { command, input: { flags, positionals }, isDefault };
}

/** What the command that is meant begins with, whether or not there is one. */
export function firstWord(args: readonly string[], isTerminal: boolean): string {
  return first(wordsOf(args, isTerminal).words);
}

function wordsOf(args: readonly string[], isTerminal: boolean) {
  const start = args.findIndex((arg) => !GLOBAL_FLAGS.includes(arg));
  if (start < 0) {
    return { leading: args, words: [defaultCommand(args, isTerminal)], isDefault: true };
  }
  const typed = args.slice(start);
  const words = VERSION_FLAGS.includes(first(typed)) ? ["version", ...typed.slice(1)] : typed;
  return { leading: args.slice(0, start), words, isDefault: false };
}

/** A service has no terminal. On a terminal, the bare name shows the help. */
function defaultCommand(leading: readonly string[], isTerminal: boolean): string {
  return isTerminal || leading.some((arg) => HELP_FLAGS.includes(arg)) ? "help" : "serve";
}

function findCommand(words: readonly string[], commands: readonly Command[]): Command {
  const found = commands
    .filter((command) => command.words.every((word, i) => word === words[i]))
    .toSorted((a, b) => b.words.length - a.words.length)[0];
  if (found) return found;
  const group = commands.filter((command) => command.words[0] === words[0]);
  if (group.length === 0) throw unknownCommand(first(words), commands);
  const names = group.map((command) => command.words.slice(1).join(" "));
  const near = words[1] === undefined
    ? ""
    : knownAs(`${words[0]} ${words[1]}`) ?? meant(words[1], names);
  throw new UsageError(`"${words[0]}" needs one of: ${names.join(", ")}${near}`);
}

export function unknownCommand(text: string, commands: readonly Command[]): UsageError {
  const names = commands.flatMap((command) => [first(command.words), nameOf(command)]);
  const near = knownAs(text) ?? knownAs(first(text.split(" "))) ?? meant(text, names);
  return new UsageError(`There is no command "${text}"; "help" lists them${near}`);
}

function knownAs(text: string): string | undefined {
  const command = KNOWN_AS.get(text);
  return command === undefined ? undefined : askFor([command]);
}

/** "network add --help" is "help network add". */
function explain(
  command: Command,
  { positionals, commands }: { positionals: readonly string[]; commands: readonly Command[] },
): ParsedCommand {
  const help = findCommand(["help"], commands);
  const words = command === help ? positionals : command.words;
  return { command: help, input: { flags: {}, positionals: words } };
}

function readTokens(command: Command, args: readonly string[]) {
  const { tokens } = parseArgs({
    args: [...args],
    options: optionsOf(command),
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    else if (token.kind === "option") takeOption(command, given, token);
  }
  return { given, positionals };
}

function optionsOf({ flags }: Command) {
  const own = Object.entries(flags).map(([name, flag]) =>
    [name, { type: isSwitch(flag) ? "boolean" as const : "string" as const }] as const
  );
  return {
    ...Object.fromEntries(own),
    json: { type: "boolean" as const },
    help: { type: "boolean" as const, short: "h" },
  };
}

export function isSwitch(flag: Flag<unknown>): boolean {
  return flag.kind.word === "";
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function takeOption(command: Command, given: Map<string, string[]>, token: OptionToken): void {
  const { name, rawName, value } = token;
  const flag = command.flags[name];
  const isGlobal = name === "json" || name === "help";
  if (!flag && !isGlobal) {
    const near = nearestOf(name, Object.keys(optionsOf(command)));
    throw new UsageError(
      `${nameOf(command)} has no flag ${rawName}; see "help ${nameOf(command)}"` +
        askFor(near.map((one) => `--${one}`)),
    );
  }
  if (!flag || isSwitch(flag)) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    given.set(name, [""]);
    return;
  }
  // A number may begin with a dash; two dashes begin the next flag.
  if (value === undefined || (!token.inlineValue && value.startsWith("--"))) {
    throw new UsageError(`${rawName} needs a value; for example: ${exampleOf(name, flag)}`);
  }
  const texts = given.get(name) ?? [];
  if (texts.length > 0 && flag.need !== "repeated") {
    throw new UsageError(`${rawName} is given more than once`);
  }
  given.set(name, [...texts, value]);
}

function checkPositionals(command: Command, given: readonly string[]): void {
  const { positionals } = command;
  const missing = positionals[given.length];
  if (missing && !missing.isRest) {
    throw new UsageError(`${nameOf(command)} needs ${missing.name}: ${missing.help}`);
  }
  if (given.length > positionals.length && !positionals.at(-1)?.isRest) {
    throw new UsageError(`${nameOf(command)} takes no "${given[positionals.length]}"`);
  }
}

function valueOf(
  command: Command,
  { name, flag, texts }: { name: string; flag: Flag<unknown>; texts: readonly string[] },
): unknown {
  const values = texts.map((text) => {
    const value = flag.kind.read(text);
    if (value !== undefined) return value;
    const subject = flag.kind.isSecret ? `--${name} takes only` : `--${name} "${text}" is not`;
    const near = askFor(nearValues(text, flag.kind.values));
    const help = near === "" ? `; for example: ${exampleOf(name, flag)}` : near;
    throw new UsageError(`${subject} ${flag.kind.is}${help}`);
  });
  if (flag.need === "repeated") return values;
  if (values.length > 0) return values[0];
  if (flag.need === "required") {
    throw new UsageError(
      `${nameOf(command)} needs --${name}; for example: ${exampleOf(name, flag)}`,
    );
  }
  return flag.fallback;
}

/** To be pasted. */
function exampleOf(name: string, { example }: Flag<unknown>): string {
  const needsQuotes = example.includes(" ") && !example.startsWith('"');
  return `--${name} ${needsQuotes ? `"${example}"` : example}`;
}

/** Of a list, for the first name in it that is unknown. */
function nearValues(text: string, values: readonly string[] = []): string[] {
  const wrong = text.split(",").find((name) => !values.includes(name));
  return wrong === undefined ? [] : nearestOf(wrong, values);
}
