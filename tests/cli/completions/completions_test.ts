import assert from "node:assert/strict";
import { choicesOf } from "../../../src/cli/completions/choices.ts";
import { nameOf } from "../../../src/operations/operation.ts";
import { COMMANDS } from "../../support/programs/commands.ts";
import { hasProgram } from "../../support/programs/needed.ts";
import { makeNewCli } from "../cli_host.ts";

type Complete = (...typed: string[]) => Promise<string[]>;

async function scriptOf(shell: string): Promise<string> {
  await using cli = await makeNewCli();
  const { code, out } = await cli.run(["completions", shell]);
  assert.equal(code, 0);
  return out;
}

/** What the shell prints, sorted; the arguments reach it as its own. */
async function printed(shell: string, { program, typed }: { program: string; typed: string[] }) {
  const args = shell === "fish"
    ? ["--no-config", "-c", program, ...typed]
    : ["-c", program, "-", ...typed];
  const { code, stdout, stderr } = await new Deno.Command(shell, { args, env: { TERM: "dumb" } })
    .output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const lines = new TextDecoder().decode(stdout).split("\n");
  return lines.filter((line) => line !== "").map((line) => line.split("\t")[0]!).toSorted();
}

const SHELLS: Readonly<Record<string, (script: string) => Complete>> = {
  bash: (script) => (...typed) =>
    printed("bash", {
      typed,
      program: `${script}
COMP_WORDS=(cpg "$@"); COMP_CWORD=$#; _cpg; printf '%s\\n' "\${COMPREPLY[@]}"`,
    }),
  zsh: (script) => (...typed) =>
    printed("zsh", {
      typed,
      program: `compdef() { : }; compset() { : }; _files() { : }
compadd() { shift; local one; for one; do [[ $one == \${cur##*=}* ]] && print -r -- $one; done; true }
${script}
words=(cpg "$@"); CURRENT=$(($# + 1)); _cpg`,
    }),
  fish: (script) => (...typed) =>
    printed("fish", {
      typed: [],
      program: `${script}\ncomplete -C '${["cpg", ...typed].join(" ")}'`,
    }),
};

for (const [shell, load] of Object.entries(SHELLS)) {
  const ignore = !await hasProgram(shell);
  Deno.test({
    name: `${shell} completes commands, their flags and the values of those`,
    ignore,
    fn: async () => {
      const complete = load(await scriptOf(shell));
      assert.deepEqual(await complete("net"), ["network"]);
      assert.deepEqual(await complete("network", "a"), ["add"]);
      assert.deepEqual(await complete("help", "seed", ""), ["import", "show"]);
      assert.deepEqual(await complete("network", "add", "--fam"), ["--family"]);
      assert.deepEqual(await complete("network", "add", "--family", ""), [
        "bitcoin",
        "evm",
        "tron",
      ]);
      assert.deepEqual(await complete("account", "set", "1", "--may-push", "o"), ["off", "on"]);
      assert.deepEqual(await complete("network", "add", "--preset", "POL"), ["POLYGON"]);
      assert.deepEqual(
        await complete("network", "add", "--code", "network", "--family", "e"),
        ["evm"],
      );
      const deposit = ["account", "enable", "--account", "1", "--deposit", "off", "--with"];
      assert.deepEqual(await complete(...deposit), ["--withdrawal"]);
      const vouch = await complete("deposit", "vouch", "--apply", "--");
      assert.deepEqual(vouch, ["--apply", "--as", "--help", "--json", "--reason"]);
      const types = await complete("webhook", "trigger", "1", "--type", "deposit.");
      assert.deepEqual(types, ["deposit.confirmed", "deposit.detected"]);
    },
  });
}

Deno.test("bash completes a value after an equals sign, which it takes for a word", async () => {
  const complete = SHELLS.bash!(await scriptOf("bash"));
  assert.deepEqual(await complete("network", "add", "--family", "=", "t"), ["tron"]);
  assert.deepEqual(await complete("network", "add", "--family", "="), ["bitcoin", "evm", "tron"]);
});

Deno.test("completions know every command, flag and enumeration, and nothing a shell would run", () => {
  const { words, flags, values } = choicesOf(COMMANDS);
  assert.deepEqual([...flags.keys()], COMMANDS.map(nameOf));
  for (const { words: own, flags: declared } of COMMANDS) {
    assert.ok(words.get(own.slice(0, -1).join(" "))!.includes(own.at(-1)!));
    for (const [name, { kind }] of Object.entries(declared)) {
      assert.equal(values.has(`${own.join(" ")} --${name}`), kind.word !== "");
      if (/^[a-z]+\|/.test(kind.word)) assert.ok(kind.values!.length > 0, name);
    }
  }
  const texts = [...words.values(), ...flags.values(), ...values.values()].flat();
  for (const text of texts) assert.match(text, /^[\w.-]+$/);
});

Deno.test("completions of an unknown shell are refused", async () => {
  await using cli = await makeNewCli();
  assert.equal(await cli.fails(2, "completions", "tcsh"), '"tcsh" is not one of bash, zsh, fish');
});
