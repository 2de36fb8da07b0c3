import { type Command } from "../../operations/command.ts";
import { nameOf } from "../../operations/operation.ts";
import { isSwitch } from "../parse.ts";

/** What can follow what was typed, which each shell's script looks up. */
export interface Choices {
  /** The next words of a command, by the words before them. */
  readonly words: ReadonlyMap<string, readonly string[]>;
  /** By command. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** By "command --flag", for flags that take a value; empty if it can be anything. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

const GLOBAL_FLAGS = ["--json", "--help"];
const HELP = "help";

export function choicesOf(commands: readonly Command[]): Choices {
  const words = new Map<string, string[]>();
  const add = (before: readonly string[], next: string) => {
    const key = before.join(" ");
    words.set(key, [...new Set([...words.get(key) ?? [], next])]);
  };
  for (const { words: own } of commands) {
    for (const [i, word] of own.entries()) {
      add(own.slice(0, i), word);
      add([HELP, ...own.slice(0, i)], word);
    }
  }
  return {
    words,
    flags: new Map(commands.map(flagsOf)),
    values: new Map(commands.flatMap(valuesOf)),
  };
}

function flagsOf(command: Command): [string, readonly string[]] {
  const own = Object.keys(command.flags).map((name) => `--${name}`);
  return [nameOf(command), [...own, ...GLOBAL_FLAGS]];
}

function valuesOf(command: Command): [string, readonly string[]][] {
  return Object.entries(command.flags)
    .filter(([, flag]) => !isSwitch(flag))
    .map(([name, { kind }]) => [`${nameOf(command)} --${name}`, kind.values ?? []]);
}
