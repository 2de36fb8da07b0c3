import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startTronNode, type TronNode } from "../../support/tron_node/start.ts";
import { makeTronWallet } from "../../support/nodes/tron_wallet.ts";
import { makeCli, type TestCli } from "../cli_host.ts";

const TRX = 1_000_000n;

/** A network of the node, with a hot wallet. */
async function addNetwork(cli: TestCli, node: TronNode): Promise<string> {
  await cli.json(
    ...["network", "add", "--code", "NILE", "--family", "tron", "--rpc-url", node.url],
    ...["--min-confirmations", "20"],
  );
  await cli.json("account", "create", "--name", "Acme");
  const enable = ["account", "enable", "--account", "1", "--network", "NILE", "--currency", "TRX"];
  return (await cli.json(...enable)).hot_wallet;
}

Deno.test("network energy shows the gas wallet's stake, what can be lent of it, and the sweeps it pays for", async () => {
  await using node = await startTronNode();
  await using cli = await makeCli();
  const hotWallet = await addNetwork(cli, node);
  const none = {
    network: "NILE",
    staked_trx: "0",
    energy_free: 0,
    energy_delegated: 0,
    sweeps_per_day: 0,
  };
  assert.deepEqual(await cli.json("network", "energy", "nile"), none);
  const { address } = await cli.json("network", "gas-wallet", "NILE");
  node.stakeFor(address, 20_000n * TRX + 500_000n);

  // 180 thousand million of energy a day for 19 thousand million TRX, and 65,000 a sweep.
  const staked = { network: "NILE", staked_trx: "20000.5", energy_free: 189_478 };
  assert.deepEqual(await cli.json("network", "energy", "NILE"), {
    ...staked,
    energy_delegated: 0,
    sweeps_per_day: 2,
  });

  const stranger = makeTronWallet(3).address;
  node.lendFrom(address, stranger, 3_000n * TRX);
  node.lendFrom(address, hotWallet, 4_000n * TRX);
  const lent = await cli.json("network", "energy", "NILE");
  assert.deepEqual(lent, {
    network: "NILE",
    staked_trx: "20000.5",
    energy_free: 123_162,
    energy_delegated: 66_315,
    sweeps_per_day: 1,
  });
});

Deno.test("network energy says to people what bandwidth is left and what comes back when", async () => {
  await using node = await startTronNode();
  await using cli = await makeCli();
  await addNetwork(cli, node);
  const { address } = await cli.json("network", "gas-wallet", "NILE");
  node.stakeFor(address, 100n * TRX);
  node.setResources(address, { net: 1_000n });
  const { out, err } = await cli.run(["network", "energy", "NILE"]);
  assert.match(out, /staked trx: +100\n/);
  assert.match(out + err, /Bandwidth left: 600 of 600 free, 1000 of 1000 by stake/);
});

Deno.test("a network without energy says so, and so does one whose node is silent", async () => {
  await using anvil = await startAnvil();
  await using node = await startTronNode();
  await using cli = await makeCli();
  await cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--rpc-url", anvil.url],
    ...["--min-confirmations", "12"],
  );
  assert.equal(
    await cli.fails(1, "network", "energy", "ETH"),
    "ETH has no energy: what contracts do there is paid with gas, and nothing is staked for it",
  );
  await addNetwork(cli, node);
  await node.close();
  assert.match(await cli.fails(1, "network", "energy", "NILE"), /127\.0\.0\.1/);
});
