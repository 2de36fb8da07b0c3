import { first } from "../../base/lists.ts";
import { command, UsageError } from "../command.ts";
import { bashScript } from "./bash.ts";
import { choicesOf } from "./choices.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

const SCRIPTS = new Map([["bash", bashScript], ["zsh", zshScript], ["fish", fishScript]]);

export const COMPLETIONS_COMMAND = command({
  words: ["completions"],
  summary: "Prints a script that completes commands, flags and values in your shell",
  positionals: [{ name: "SHELL", help: "bash, zsh or fish" }],
  flags: {},
  examples: ["completions bash", "completions fish > ~/.config/fish/completions/cpg.fish"],
  run: (context, { positionals }) => {
    const shell = first(positionals);
    const script = SCRIPTS.get(shell)?.(choicesOf(context.commands));
    if (script === undefined) throw new UsageError(`"${shell}" is not one of bash, zsh, fish`);
    context.answer({ shell, script }, script);
    return Promise.resolve();
  },
});
