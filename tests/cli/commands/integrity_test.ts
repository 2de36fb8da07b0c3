import assert from "node:assert/strict";
import { freezeWhatDiffers } from "../../../src/integrity/freeze.ts";
import { isGenuine } from "../../../src/books/tampered.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { Balances } from "../../../src/books/table.ts";
import { makeCli, type TestCli } from "../cli_host.ts";

const ASSET = { accountId: 1, network: "ETH", currency: "ETH" };
const OWN = ["--account", "1"];
const ONE = ["--network", "ETH", "--currency", "ETH"];
const RESUME = ["integrity", "resume"];

async function makeShop(cli: TestCli): Promise<void> {
  await cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--rpc-url", "http://127.0.0.1:9"],
    ...["--min-confirmations", "3", "--chain-id", "1", "--start-block", "0"],
  );
  await cli.json("account", "create", "--name", "Acme");
  await cli.json("account", "enable", ...OWN, ...ONE);
  await cli.json("account", "adjust", ...OWN, ...ONE, "--amount", "5", "--note", "float");
}

Deno.test("integrity resume keeps a currency paused if its books differed meanwhile", async () => {
  await using cli = await makeCli();
  await makeShop(cli);
  const { deps, close } = await openGateway(readConfig({ ...cli.env, CPG_LOG_LEVEL: "silent" }));
  const write = (balance: string) =>
    deps.db.execute([{ sql: `UPDATE balances SET balance = '${balance}'` }]);
  await write("500");
  const row = await deps.db.find(Balances, [1, "ETH", "ETH"]);
  assert.equal(await isGenuine(deps, Balances, row!), false);
  await freezeWhatDiffers(deps, [{
    ...{
      ...ASSET,
      kind: "ledger_balance" as const,
      detail: "the entries add up to another balance",
    },
    ...{ expected: "5", found: "500" },
  }]);
  assert.match(
    await cli.fails(1, ...RESUME),
    /belongs to no account; for an account, add --account$/,
  );
  await write("5");
  await close();
  const { out, err } = await cli.run([...RESUME, ...OWN, "--json"]);
  assert.deepEqual(JSON.parse(out), { account_id: 1, rows_seen_to: 1, currencies_resumed: 0 });
  assert.match(err, /^It stays paused where it has another reason: see "account freezes"/);
  const [{ reason }] = await cli.json("account", "freezes");
  assert.match(reason, /entries add up to another balance/);
  await cli.json("account", "unfreeze", ...OWN, ...ONE);
  assert.deepEqual(await cli.json("account", "freezes"), []);
  assert.deepEqual(await cli.json("alert", "list"), []);
});

Deno.test("integrity resume names the account for which nothing is paused", async () => {
  await using cli = await makeCli();
  await makeShop(cli);
  assert.match(await cli.fails(1, ...RESUME), /^There is no open alert about a tampered row /);
  assert.equal(
    await cli.fails(1, ...RESUME, ...OWN),
    "Account 1 is not paused because of a tampered row",
  );
  assert.match(await cli.fails(1, ...RESUME, "--account", "9"), /^There is no account 9/);
});

Deno.test("audit verify accepts only a hash as head", async () => {
  await using cli = await makeCli();
  const { hash } = await cli.json("audit", "head");
  const known = await cli.json("audit", "verify", "--head", hash.toUpperCase());
  assert.equal(known.known_head_found, true);
  assert.equal(
    await cli.fails(2, "audit", "verify", "--head", "9f86d081"),
    '--head "9f86d081" is not 32 hex digits; for example: --head 9f86d081884c7d659a2feaa0c55ad015',
  );
});
