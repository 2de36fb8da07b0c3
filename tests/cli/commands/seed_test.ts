import assert from "node:assert/strict";
import { makeCli } from "../cli_host.ts";

/** A test vector of BIP-39. */
const PHRASE = `${"abandon ".repeat(11)}about`;

Deno.test("seed show asks for the word, and --yes answers for scripts", async () => {
  await using cli = await makeCli();
  const shown = await cli.json("seed", "show", "--yes");
  assert.equal(shown.recovery_phrase.split(" ").length, 24);
  const confirmed = await cli.run(["seed", "show", "--json"], { input: ["show"] });
  assert.deepEqual(JSON.parse(confirmed.out), shown);
  assert.equal(confirmed.err, "", "a program reads it, and nobody has to be asked");
  const asked = await cli.run(["seed", "show", "--json"], { input: ["show"], isTerminal: true });
  assert.match(asked.err, /Type show to continue: $/);
  for (const input of [["no"], []]) {
    const refused = await cli.run(["seed", "show"], { input });
    assert.equal(refused.code, 1);
    assert.equal(refused.out, "");
    assert.match(refused.err, /error: Not confirmed with "show"\n$/);
  }
});

Deno.test("addresses derive from an imported phrase, which can't be replaced after the first one", async () => {
  await using cli = await makeCli();
  const imported = await cli.run(["seed", "import"], { input: ["import", `  ${PHRASE}\n`] });
  assert.equal(imported.code, 0, imported.err);
  assert.equal((await cli.json("seed", "show", "--yes")).recovery_phrase, PHRASE);
  await cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--rpc-url", "http://127.0.0.1:1"],
    ...["--min-confirmations", "12", "--chain-id", "5", "--start-block", "0"],
  );
  await cli.json("network", "gas-wallet", "ETH");
  const late = await cli.run(["seed", "import", "--yes"], { input: [PHRASE] });
  assert.equal(late.code, 1);
  assert.match(late.err, /^error: Addresses were already derived from the current seed/);
});

Deno.test("a phrase with a wrong word is refused and changes nothing", async () => {
  await using cli = await makeCli();
  const before = await cli.json("seed", "show", "--yes");
  const wrong = await cli.run(["seed", "import", "--yes", "--json"], { input: ["abandon about"] });
  assert.equal(wrong.code, 1);
  assert.equal(
    JSON.parse(wrong.out).error.message,
    "The recovery phrase has a wrong word or checksum",
  );
  assert.deepEqual(await cli.json("seed", "show", "--yes"), before);
});

Deno.test("no phrase is imported while a server still uses the old one", async () => {
  await using cli = await makeCli();
  const stopped = Promise.withResolvers<void>();
  const started = Promise.withResolvers<string>();
  const running = cli.run(["serve"], { stopped: stopped.promise, onOut: started.resolve });
  await started.promise;
  const { code, err } = await cli.run(["seed", "import", "--yes"], { input: [PHRASE] });
  assert.equal(code, 1);
  assert.match(err, /^error: Another gateway is already serving/);
  stopped.resolve();
  await running;
  assert.equal((await cli.run(["seed", "import", "--yes"], { input: [PHRASE] })).code, 0);
});
