import assert from "node:assert/strict";
import { Amount } from "../../../src/domain/money/amount.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { NEVER, startNodeDouble } from "../../support/nodes/node_double.ts";
import { makeCli, type TestCli } from "../cli_host.ts";
import { startStopwatch } from "../../support/programs/stopwatch.ts";

const COSTS = /^Withdrawals are free of charge; each costs about (0\.\d+) ETH$/;
const UNKNOWN = "Withdrawals are free of charge; each costs a network fee";

const FEES = ["currency", "set", "--network", "ETH", "--symbol"];
const ENABLE = ["account", "enable", "--account", "1", "--network", "ETH", "--currency"];

async function setUp(cli: TestCli, url: string, contract: string): Promise<void> {
  await cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--rpc-url", url],
    ...["--min-confirmations", "3"],
  );
  await cli.json(
    ...["currency", "add", "--network", "ETH", "--symbol", "USDT", "--name", "Tether USD"],
    ...["--decimals", "6", "--contract", contract],
  );
  await cli.json("account", "create", "--name", "Acme");
}

function costRaw(warning: string): bigint {
  return Amount.parse(COSTS.exec(warning)![1]!, "ETH").toRaw(18);
}

Deno.test("withdrawals without a fee cause a warning with today's cost of each", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  const { address } = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  await setUp(cli, anvil.url, address);
  const [coins, tokens] = await cli.json("currency", "list");
  const { baseFeePerGas } = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
  const least = 21_000n * BigInt(baseFeePerGas);
  const cost = costRaw(coins.warning);
  assert.ok(cost > least * 9n / 10n && cost < least * 10n, `${cost} and ${least}`);
  assert.ok(costRaw(tokens.warning) > 2n * cost);

  assert.match((await cli.json(...ENABLE, "ETH")).warning, COSTS);
  assert.equal((await cli.json(...ENABLE, "ETH", "--withdrawal", "off")).warning, null);
  assert.equal((await cli.json(...FEES, "ETH", "--fee-percent", "0.5")).warning, null);
  assert.equal((await cli.json(...FEES, "USDT", "--fee-flat", "1")).warning, null);
  const listed = await cli.json("currency", "list");
  assert.deepEqual(listed.map((row: { warning: unknown }) => row.warning), [null, null]);
  assert.equal((await cli.json(...ENABLE, "ETH")).warning, null);
  assert.match((await cli.json(...FEES, "ETH", "--fee-percent", "0")).warning, COSTS);
  assert.equal((await cli.json(...FEES, "ETH", "--active", "off")).warning, null);
});

Deno.test("without a node the warning has no figure, and a silent one delays the list only a moment", async () => {
  await using anvil = await startAnvil();
  let isSilent = false;
  await using node = await startNodeDouble(anvil.url, async (_call, ask) => {
    return isSilent ? NEVER : await ask();
  });
  await using cli = await makeCli();
  const { address } = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  await setUp(cli, node.url, address);
  isSilent = true;
  using stopwatch = startStopwatch();
  const listed = await cli.json("currency", "list");
  assert.deepEqual(listed.map((row: { warning: unknown }) => row.warning), [UNKNOWN, UNKNOWN]);
  assert.ok(stopwatch.ms() < 10_000, "and not for as long as a node may take");
});
