import assert from "node:assert/strict";
import { makeCli } from "../cli_host.ts";

/** Nothing listens there. */
const DEAD = ["--rpc-url", "http://127.0.0.1:1", "--start-block", "1"];
const ETH = [
  ...["network", "add", "--code", "ETH", "--family", "evm", "--min-confirmations", "12"],
  ...["--chain-id", "31337", ...DEAD],
];

Deno.test("sweeps are sent one by one until a network is set to whatever is cheaper, within bounds", async () => {
  await using cli = await makeCli();
  const { collect, collect_wait } = await cli.json(...ETH);
  assert.deepEqual([collect, collect_wait], ["single", "10m"]);
  const set = async (...args: string[]) => {
    const network = await cli.json("network", "set", "ETH", ...args);
    return [network.collect, network.collect_wait];
  };
  assert.deepEqual(await set("--collect", "auto"), ["auto", "10m"]);
  assert.deepEqual(await set("--collect-wait", "30s"), ["auto", "30s"]);
  assert.deepEqual(await set("--collect", "single", "--collect-wait", "15m"), ["single", "15m"]);
  assert.deepEqual(await set("--collect-wait", "24h"), ["single", "24h"]);
  const [listed] = await cli.json("network", "list");
  assert.deepEqual([listed.collect, listed.collect_wait], ["single", "24h"]);
  for (const wait of ["29s", "25h", "0s", "soon"]) {
    const said = await cli.fails(2, "network", "set", "ETH", "--collect-wait", wait);
    assert.match(said, /at least 30s and at most 1d/);
  }
  assert.match(
    await cli.fails(2, "network", "set", "ETH", "--collect", "all"),
    /one of single, batch, auto/,
  );
  const [{ action, detail }] = await cli.json("audit", "list", "--subject", "network:ETH");
  assert.deepEqual([action, detail.change], ["network.changed", { collectWaitMs: 86_400_000 }]);
});

Deno.test("sweeps share no transaction without a contract, nor on TRON", async () => {
  await using cli = await makeCli();
  await cli.json(...ETH);
  const batch = ["network", "set", "ETH", "--collect", "batch"];
  assert.match(
    await cli.fails(1, ...batch),
    /^Sweeps of ETH can only share a transaction through a contract, and none is deployed/,
  );
  const [{ collect }] = await cli.json("network", "list");
  assert.equal(collect, "single");
  await cli.json("network", "add", "--preset", "TRX", ...DEAD);
  for (const flags of [["--collect", "auto"], ["--collect", "batch"], ["--collect-wait", "1m"]]) {
    assert.match(
      await cli.fails(1, "network", "set", "TRX", ...flags),
      /^Sweeps of TRX can't share a transaction: only those of EVM chains can/,
    );
  }
});
