import { first } from "../../base/lists.ts";
import * as kind from "../../domain/kinds.ts";
import { command } from "../../operations/command.ts";
import { UsageError } from "../../operations/operation.ts";
import { bashScript } from "./bash.ts";
import { choicesOf } from "./choices.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };
const SHELL = kind.choice(["bash", "zsh", "fish"]);

export const COMPLETIONS_COMMAND = command({
  words: ["completions"],
  here: "it is for a shell",
  summary: "Prints a script that completes commands, flags and values in your shell",
  positionals: [{ name: "SHELL", help: "bash, zsh or fish" }],
  flags: {},
  examples: ["completions bash", "completions fish > ~/.config/fish/completions/cpg.fish"],
  run: async (context, { positionals }) => {
    const text = first(positionals);
    const shell = SHELL.read(text);
    if (shell === undefined) throw new UsageError(`"${text}" is not ${SHELL.is}`);
    const script = SCRIPTS[shell](choicesOf(await context.commands()));
    context.answer({ shell, script }, () => script);
  },
});
