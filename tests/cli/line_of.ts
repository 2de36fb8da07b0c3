import type { Command } from "../../src/operations/command.ts";
import { isSwitch } from "../../src/cli/parse.ts";

/** With an argument for whatever it requires. */
export function lineOf(command: Command): string[] {
  const flags = Object.entries(command.flags).filter(([name, flag]) =>
    flag.need === "required" || name === "yes"
  );
  return [
    ...command.words,
    ...command.positionals.filter(({ isRest }) => !isRest).map(({ name }) => {
      return name.includes("ID") ? "1" : "X";
    }),
    ...flags.flatMap(([name, flag]) => [
      `--${name}`,
      ...isSwitch(flag) ? [] : [flag.example.replaceAll('"', "")],
    ]),
  ];
}

/** The first of its examples, with the coin that the tests' gateways have. */
export function exampleOf({ examples: [example = ""] }: Command): string[] {
  return lineWords(example);
}

export function lineWords(line: string): string[] {
  return [...line.replaceAll("USDT", "ETH").matchAll(/"([^"]*)"|(\S+)/g)]
    .map(([, quoted, bare]) => quoted ?? bare!);
}
