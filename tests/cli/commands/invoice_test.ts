import assert from "node:assert/strict";
import { makeCli } from "../cli_host.ts";

const OFFLINE = "--family evm --min-confirmations 12 --chain-id 9999999 --start-block 9".split(" ");
const USDT = `--symbol USDT --name Tether --contract 0x${"d0".repeat(20)} --decimals 6`.split(" ");

Deno.test("what lacks a rate is said in a line with what to do, and not in the log's JSON", async () => {
  await using cli = await makeCli({ CPG_LOG_LEVEL: "" });
  const node = ["--rpc-url", "http://127.0.0.1:9"];
  await cli.json("network", "add", "--code", "ETH", ...node, ...OFFLINE);
  await cli.json("currency", "add", "--network", "ETH", ...USDT);
  await cli.json("account", "create", "--name", "Acme");
  for (const currency of ["ETH", "USDT"]) {
    const account = ["--account", "1", "--network", "ETH", "--currency", currency];
    await cli.json("account", "enable", ...account);
  }
  const invoice = ["invoice", "create", "--account", "1", "--amount", "25", "--currency", "USD"];
  const price = "--base ETH --quote USD --kind manual --value 2500".split(" ");
  await cli.json("rate", "source", "add", ...price);
  const { code, out, err } = await cli.run(invoice);
  assert.equal(code, 0, err);
  assert.doesNotMatch(out + err, /[{}]/);
  assert.match(
    err,
    /^warning: There is no rate for USDT\/USD: .*; "rate source list" shows .*"rate source add" adds/m,
  );
  const leftOut =
    'USDT on ETH is left out, because there is no rate for USDT/USD: "rate source add" adds one';
  assert.ok(err.split("\n").includes(leftOut), err);
  const again = await cli.run(invoice);
  assert.equal(again.err, `${leftOut}\n`);
  const alerts = await cli.json("alert", "list");
  assert.deepEqual(alerts.map(({ subject }: { subject: string }) => subject), ["rate:USDT/USD"]);
  await cli.json("rate", "source", "remove", "1");
  await cli.json(
    "rate",
    "source",
    "add",
    "--base=EUR",
    "--quote=USD",
    "--kind=manual",
    "--value=1",
  );
  assert.equal(await cli.fails(1, ...invoice), 'No rate for ETH/USD; "rate source add" adds one');
});
