import assert from "node:assert/strict";
import { readConfig } from "../../../src/app/config/config.ts";
import { serve } from "../../../src/app/serve.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { startWorld } from "../../support/world.ts";
import { makeCli, type TestCli } from "../cli_host.ts";
import { runIn } from "../world_host.ts";

const OWN = ["--account", "1", "--network", "ETH"];

const addNetwork = (cli: TestCli, { url }: Anvil) =>
  cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--rpc-url", url],
    ...["--min-confirmations", "3"],
  );

async function makeNetwork(cli: TestCli, anvil: Anvil): Promise<void> {
  await addNetwork(cli, anvil);
  await cli.json("account", "create", "--name", "Acme");
  await cli.json("account", "enable", ...OWN, "--currency", "ETH");
}

async function walletOf(cli: TestCli): Promise<string> {
  const [{ address }] = await cli.json("wallet", "list");
  return address;
}

Deno.test("a network on which nothing was booked is removed with all that belongs to it", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  await makeNetwork(cli, anvil);
  const gas = await cli.json("network", "gas-wallet", "ETH");
  await cli.json("account", "receiving-wallet", ...OWN, "--address", STRANGER);
  await cli.json("payee", "add", ...OWN, "--address", STRANGER, "--label", "x");
  const hot = await walletOf(cli);
  const { code, out, err } = await cli.run(["network", "remove", "eth", "--json"]);
  assert.equal(code, 0, err);
  assert.deepEqual(JSON.parse(out), { removed: "ETH", wallets: [hot, gas.address] });
  assert.match(err, new RegExp(`Nobody watches its wallet ${hot} any more`));
  for (const list of ["network", "currency", "wallet", "payee"]) {
    assert.deepEqual(await cli.json(list, "list"), [], list);
  }
  const [{ action, detail }] = await cli.json("audit", "list", "--limit", "1");
  assert.deepEqual([action, detail.before.code], ["network.removed", "ETH"]);
  assert.equal(
    await cli.fails(1, "network", "remove", "ETH"),
    'There is no network ETH; "network list" lists them',
  );
  await addNetwork(cli, anvil);
  await cli.json("account", "enable", ...OWN, "--currency", "ETH");
  assert.equal((await cli.json("audit", "verify")).ok, true);
});

Deno.test("a network with bookings, customers' addresses, rules or coins stays, and it says why", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  await makeNetwork(cli, anvil);
  const remove = () => cli.fails(1, "network", "remove", "ETH");
  const hot = await walletOf(cli);
  await setBalance(anvil, hot, 2n * ETHER);
  assert.equal(
    await remove(),
    `Its wallet ${hot} holds 2 ETH; move that elsewhere first`,
  );
  const rule = ["--label", "x", "--network", "ETH", "--always", "--then", "refuse"];
  await cli.json("policy", "add", ...rule);
  assert.equal(
    await remove(),
    'ETH can\'t be removed: rule 1 names it; "policy remove 1" removes the rule',
  );
  await cli.json("account", "adjust", ...OWN, "--currency", "ETH", "--amount", "1", "--note", "x");
  assert.equal(
    await remove(),
    "ETH can't be removed: the books have payments of it; " +
      '"network set ETH --active off" accepts no new payments',
  );
  assert.equal((await cli.json("network", "list")).length, 1);
});

Deno.test("a running server no longer follows a removed network, and follows it anew when it is back", async () => {
  await using anvil = await startAnvil();
  await using other = await startAnvil();
  await anvil.mine(20);
  await using cli = await makeCli();
  await addNetwork(cli, anvil);
  const serving = await serve(readConfig(cli.env));
  const scannedTo = async () => (await cli.json("network", "list"))[0]?.scanned_to;
  await anvil.mine(5);
  await eventually(scannedTo, { until: (height) => height === 25 });
  await cli.json("network", "remove", "ETH");
  await other.mine(3);
  await addNetwork(cli, other);
  await other.mine(4);
  await eventually(scannedTo, { until: (height) => height === 7 });
  await serving.stop();
});

Deno.test("a network on which a customer has an address stays", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const asked = await world.merchant.api.post("/v1/deposit-addresses", {
    network: "ETH",
    currency: "ETH",
  });
  assert.equal(asked.status, 200);
  const { code, err } = await runIn(world, ["network", "remove", "ETH"]);
  assert.equal(code, 1);
  assert.match(err, /ETH can't be removed: customers have addresses there, and what they pay/);
});
