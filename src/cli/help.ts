import { type Command } from "../operations/command.ts";
import { type Flag, nameOf } from "../operations/operation.ts";
import { isSwitch, unknownCommand } from "./parse.ts";
import { paint, wrapped } from "../operations/screen/screen.ts";
import type { Screen } from "../operations/operation.ts";

/** What people do, and what commands for it begin with. */
const HEADINGS: readonly (readonly [title: string, nouns: readonly string[]])[] = [
  ["Run it", ["serve", "demo", "migrate", "install-service", "status", "doctor"]],
  ["Networks and prices", ["network", "currency", "rate"]],
  ["Merchants and their programs", ["account", "key", "sign", "webhook", "checkout"]],
  ["Get paid", ["invoice", "payment-link", "deposit", "balance", "transaction"]],
  ["Pay", ["withdrawal", "approval", "policy", "payee", "recipient", "proposal"]],
  ["Wallets and sweeps", ["wallet", "sweep", "seed"]],
  ["People", ["user", "role", "setting"]],
  ["Watch and stop", ["stop", "resume", "alert", "notify", "audit"]],
  ["Check the books", ["reconcile", "integrity", "rescan"]],
  ["Backups and the key", ["backup", "drill", "restore", "move", "rotate-master-key"]],
  ["This program", ["help", "completions", "version"]],
];

const RIGHT_MIN = 30;
/** More choices than that would leave no room beside them. */
const WORD_MAX = 32;
const PROGRAM = Deno.build.standalone ? "./cpg" : "deno task cpg";

export function renderOverview(commands: readonly Command[], screen: Screen): string {
  const rows = commands.map((command) => [nameOf(command), command.summary] as const);
  const width = widthOfLeft(rows);
  const parts = HEADINGS.map(([title, nouns]) => {
    const named = nouns.flatMap((noun) =>
      rows.filter(([name]) => name === noun || name.startsWith(`${noun} `))
    );
    return `${paint(title, "bold", screen)}\n${rowsOf(named, screen, width)}\n`;
  });
  return `Usage: ${PROGRAM} <command> [flags]\n\n${parts.join("")}\
"help <command>" explains a command. Without one, a terminal shows this; anything else runs serve.
With --json, every command prints one JSON document on standard output and nothing else.
`;
}

export function renderCommand(command: Command, screen: Screen): string {
  const flags = Object.entries(command.flags);
  const rows = [
    ...command.positionals.map(({ name, help }) => [name, help] as const),
    ...flags.map(([name, flag]) => [flagUsage(name, flag), flagHelp(flag)] as const),
    ["--json", "print one JSON document"] as const,
  ];
  const table = rowsOf(rows, screen);
  const program = programOf(command);
  const examples = command.examples.map((example) => `  ${program} ${example}\n`).join("");
  return `${command.summary}\n\nUsage: ${usageOf(command)}\n\n${table}\nFor example:\n${examples}`;
}

function rowsOf(
  rows: readonly (readonly [left: string, right: string])[],
  { columns = Infinity }: Screen,
  width = widthOfLeft(rows),
): string {
  return rows.map(([left, right]) => {
    const lines = wrapped(right, Math.max(RIGHT_MIN, columns - width));
    return `  ${left.padEnd(width - 2)}${lines.join(`\n${" ".repeat(width)}`)}\n`;
  }).join("");
}

function widthOfLeft(rows: readonly (readonly [left: string, right: string])[]): number {
  return Math.max(...rows.map(([left]) => left.length)) + 4;
}

/** The commands with these words; a group's first word alone finds all of its commands. */
export function findExplained(
  commands: readonly Command[],
  words: readonly string[],
): readonly Command[] {
  if (words.length === 0) return commands;
  const found = commands.filter((command) => words.every((word, i) => command.words[i] === word));
  const exact = found.filter((command) => command.words.length === words.length);
  if (exact.length > 0) return exact;
  if (found.length > 0) return found;
  throw unknownCommand(words.join(" "), commands);
}

/** The same for programs. */
export function helpShape(command: Command) {
  return {
    command: nameOf(command),
    summary: command.summary,
    usage: usageOf(command),
    flags: Object.entries(command.flags).map(([name, flag]) => ({
      flag: `--${name}`,
      value: flag.kind.word || null,
      required: flag.need === "required",
      help: flag.help,
      default: defaultOf(flag),
    })),
  };
}

function programOf({ isTask }: Command): string {
  return isTask && !Deno.build.standalone ? "deno task" : PROGRAM;
}

function usageOf(command: Command): string {
  const positionals = command.positionals.map(({ name, isRest }) => isRest ? `[${name}…]` : name);
  const flags = Object.entries(command.flags);
  const needed = flags.filter(([, flag]) => flag.need === "required");
  const rest = flags.length > needed.length ? ["[flags]"] : [];
  const usages = needed.map(([name, flag]) => flagUsage(name, flag));
  return [programOf(command), nameOf(command), ...positionals, ...usages, ...rest].join(" ");
}

function flagUsage(name: string, flag: Flag<unknown>): string {
  if (isSwitch(flag)) return `--${name}`;
  return `--${name} ${hasManyChoices(flag) ? name.toUpperCase() : flag.kind.word}`;
}

function hasManyChoices({ kind }: Flag<unknown>): boolean {
  return kind.values !== undefined && kind.word.length > WORD_MAX;
}

function flagHelp(flag: Flag<unknown>): string {
  const extras = [
    hasManyChoices(flag) ? `one of ${flag.kind.values!.join(", ")}` : "",
    flag.need === "required" ? "required" : "",
    flag.need === "repeated" ? "may be repeated" : "",
    defaultOf(flag) === null ? "" : `default ${defaultOf(flag)}`,
  ].filter(Boolean);
  return extras.length === 0 ? flag.help : `${flag.help} (${extras.join("; ")})`;
}

function defaultOf({ kind, fallback }: Flag<unknown>): string | null {
  if (
    fallback === undefined || fallback === null ||
    (Array.isArray(fallback) && fallback.length === 0)
  ) return null;
  if (typeof fallback === "boolean") return fallback ? "on" : "off";
  return kind.show?.(fallback) ?? String(fallback);
}
