import assert from "node:assert/strict";
import { PERMISSIONS } from "../../src/access/rules/permissions.ts";
import { commandsOf } from "../../src/cli/command_table.ts";
import { COMMANDS } from "../support/programs/commands.ts";
import { nameOf } from "../../src/operations/operation.ts";
import { findExplained } from "../../src/cli/help.ts";
import { isJsonWanted, parseCommand } from "../../src/cli/parse.ts";

const ADJUST = ["account", "adjust", "--account", "1", "--network", "eth", "--currency", "USDT"];
const SET = ["currency", "set", "--network", "ETH", "--symbol", "USDT"];
const KEY = ["key", "create", "--account", "1", "--label", "ci"];

Deno.test("without a command it serves, also with --json alone", () => {
  assert.equal(nameOf(parse().command), "serve");
  assert.equal(nameOf(parse("--json").command), "serve");
});

Deno.test("a first word loads every command that begins with it, and help", async () => {
  for (const word of new Set(COMMANDS.map(({ words }) => words[0]!))) {
    const loaded = (await commandsOf(word)).map(nameOf);
    const meant = COMMANDS.filter(({ words }) => words[0] === word).map(nameOf);
    assert.deepEqual(meant.filter((name) => !loaded.includes(name)), []);
    assert.ok(loaded.includes("help"));
    assert.ok(loaded.length < COMMANDS.length / 4, word);
  }
  assert.deepEqual(await commandsOf("webhok"), COMMANDS);
  assert.deepEqual(await commandsOf("constructor"), COMMANDS);
});

Deno.test("help can be asked for in each of the usual ways", () => {
  for (const args of [["help"], ["--help"], ["-h"], ["--json", "-h"]]) {
    assert.equal(nameOf(parse(...args).command), "help");
    assert.deepEqual(parse(...args).input.positionals, []);
  }
  for (const args of [["help", "network", "add"], ["network", "add", "--help"]]) {
    assert.deepEqual(parse(...args).input.positionals, ["network", "add"]);
  }
  assert.deepEqual(parse("network", "-h").input.positionals, ["network"]);
});

Deno.test("a negative number is a value, as a separate word and after an equals sign", () => {
  for (const amount of [["--amount", "-2.5"], ["--amount=-2.5"]]) {
    const { input } = parse(...ADJUST, ...amount, "--note", "-");
    assert.equal(input.flags.amount, "-2.5");
    assert.equal(input.flags.note, "-");
  }
});

Deno.test("codes become capitals and amounts lose their idle zeros", () => {
  const { flags } = parse(...ADJUST, "--amount", "007.50", "--note", "x").input;
  assert.equal(flags.network, "ETH");
  assert.equal(flags.amount, "7.5");
  assert.equal(flags.account, 1);
});

Deno.test("a flag that can be repeated keeps its order", () => {
  const { flags } = parse("network", "set", "ETH", "--rpc-url", "http://a", "--rpc-url=https://b")
    .input;
  assert.deepEqual(flags["rpc-url"], ["http://a", "https://b"]);
});

Deno.test("absent flags have their defaults", () => {
  const { flags } = parse("key", "create", "--account", "1", "--label", "a", "--permissions", "all")
    .input;
  assert.equal(flags["rate-limit"], 600);
  assert.deepEqual(flags.ip, []);
  assert.deepEqual(flags.permissions, PERMISSIONS);
});

Deno.test("a change's flag that was not given is absent, whatever its default elsewhere", () => {
  const { flags } = parse(...SET, "--active", "off").input;
  assert.equal(flags.active, false);
  assert.equal(flags["min-deposit"], undefined);
  assert.equal(flags["fee-percent"], undefined);
});

Deno.test("what can't be parsed is refused with a line that says why", () => {
  const refused: [string[], RegExp][] = [
    [["frobnicate"], /^There is no command "frobnicate"/],
    [
      ["network"],
      /^"network" needs one of: add, set, remove, list, gas-wallet, energy, resume, collector, costs$/,
    ],
    [["network", "list", "--frob"], /^network list has no flag --frob/],
    [["network", "list", "-x"], /^network list has no flag -x/],
    [["network", "list", "ETH"], /^network list takes no "ETH"$/],
    [["network", "set"], /^network set needs CODE/],
    [["migrate", "--json=yes"], /^--json takes no value$/],
    [["account", "create"], /^account create needs --name; for example: --name Acme$/],
    [["account", "create", "--name"], /^--name needs a value/],
    [["account", "create", "--name", "--json"], /^--name needs a value/],
    [["policy", "add", "--label"], /^--label needs a value; for example: --label "Daily limit"$/],
    [["account", "create", "--name", "a", "--name", "b"], /^--name is given more than once$/],
    [["account", "create", "--name", " "], /^--name " " is not a text of 1 to 200 characters/],
    [["account", "create", "--name", "a".repeat(201)], /is not a text of 1 to 200 characters/],
    [[...ADJUST, "--amount", "1e3", "--note", "x"], /^--amount "1e3" is not a plain decimal/],
    [[...ADJUST, "--amount", "12,5", "--note", "x"], /^--amount "12,5" is not a plain decimal/],
    [[...ADJUST, "--amount", "--2", "--note", "x"], /^--amount needs a value/],
    [[...SET, "--fee-percent", "100.5"], /^--fee-percent "100.5" is not .* 0 to 100/],
    [[...SET, "--min-deposit", "-1"], /^--min-deposit "-1" is not a plain decimal/],
    [["network", "set", "ETH", "--active", "yes"], /^--active "yes" is not on or off/],
    [["network", "add", "--code", "A B"], /^--code "A B" is not 1 to 32 characters/],
    [["network", "add", "--rpc-url", "ftp://x"], /^--rpc-url "ftp:\/\/x" is not an http/],
    [["network", "add", "--preset", "DOGE"], /^--preset "DOGE" is not one of ETH, BSC/],
    [["network", "add", "--start-block", "soon"], /is not a block number or latest/],
    [["network", "add", "--min-confirmations", "0"], /is not a whole number from 1/],
    [[...KEY, "--permissions", "all,fly"], /^--permissions "all,fly" is not all or/],
    [
      [...KEY, "--permissions", "all", "--ip", "10.0.0.0/33"],
      /^--ip "10.0.0.0\/33" is not a list of IP/,
    ],
    [
      [...KEY, "--permissions", "all", "--rate-limit", "1000001"],
      /is not a whole number from 1 to 1000000/,
    ],
    [
      ["key", "create", "--account", "1", "--label", "a".repeat(101)],
      /is not a text of 1 to 100 characters/,
    ],
    [["withdrawal", "list", "--status", "lost"], /^--status "lost" is not one of pending/],
    [["withdrawal", "list", "--status", "pendng"], /; did you mean pending\?$/],
    [[...KEY, "--permissions", "withdraw,read_balanc"], /; did you mean read_balance\?$/],
  ];
  for (const [args, message] of refused) {
    assert.throws(() => parse(...args), (error: Error) => {
      assert.equal(error.name, "UsageError", args.join(" "));
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  }
});

Deno.test("a misspelt command or flag is reported with the likely one, another word without", () => {
  const reported: [string[], string][] = [
    [["webhok", "list"], 'There is no command "webhok"; "help" lists them; did you mean webhook?'],
    [["kye", "list"], 'There is no command "kye"; "help" lists them; did you mean key?'],
    [["rotate-masterkey"], "; did you mean rotate-master-key?"],
    [["webhook", "lst"], "; did you mean list?"],
    [["network", "list", "--jsn"], 'see "help network list"; did you mean --json?'],
    [["account", "create", "--nmae", "Acme"], 'see "help account create"; did you mean --name?'],
    [["webhook", "add", "--acount=1"], "; did you mean --account?"],
    [["mint", "list"], 'There is no command "mint"; "help" lists them'],
    [["account", "create", "--frobnicate"], 'see "help account create"'],
    [["account", "pay"], "freezes, unfreeze"],
    [["payout", "list"], '"help" lists them; did you mean withdrawal?'],
    [["costs"], "; did you mean network costs?"],
    [["sweep", "costs"], '"sweep" needs one of: list, retry; did you mean network costs?'],
  ];
  for (const [args, end] of reported) {
    assert.throws(() => parse(...args), ({ message }: Error) => {
      assert.ok(message.endsWith(end), message);
      return true;
    });
  }
  assert.throws(() => findExplained(COMMANDS, ["webhok"]), /lists them; did you mean webhook\?$/);
  for (const words of [["sweep", "costs"], ["payout", "list"]]) {
    assert.throws(
      () => findExplained(COMMANDS, words),
      /; did you mean (network costs|withdrawal)/,
    );
  }
  assert.throws(() => findExplained(COMMANDS, ["network", "ad"]), /; did you mean network add\?$/);
});

Deno.test("without a command it serves, and on a terminal shows its help", () => {
  for (const [isTerminal, word] of [[false, "serve"], [true, "help"]] as const) {
    for (const args of [[], ["--json"]]) {
      const { command, isDefault } = parseCommand(args, { commands: COMMANDS, isTerminal });
      assert.deepEqual([command.words, isDefault], [[word], true]);
    }
  }
});

Deno.test("--json counts wherever it is, except after the end of the flags", () => {
  assert.equal(isJsonWanted(["frobnicate", "--json"]), true);
  assert.equal(isJsonWanted(["frobnicate", "--", "--json"]), false);
});

function parse(...args: string[]) {
  return parseCommand(args, { commands: COMMANDS, isTerminal: false });
}
