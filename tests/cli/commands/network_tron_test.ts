import assert from "node:assert/strict";
import { startChildGateway } from "../../support/programs/child_gateway.ts";
import { apiClient } from "../../support/api_client.ts";
import { makePlace } from "../../support/database/database.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { runHere } from "../../support/programs/program.ts";
import { startTronNode } from "../../support/tron_node/start.ts";
import { makeTronWallet } from "../../support/nodes/tron_wallet.ts";
import { allocate, balanceOf, depositsOf, withdraw, withdrawalOf } from "../../support/views.ts";
import { makeCli } from "../cli_host.ts";

const TRX = 1_000_000n;
const USDT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
const MAINNET = "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc";

Deno.test("network add --family tron asks the node for its chain and uses the family's coin and finality", async () => {
  await using node = await startTronNode();
  await using cli = await makeCli();
  const added = await cli.json(
    ...["network", "add", "--code", "NILE", "--family", "tron", "--rpc-url", node.url],
    ...["--min-confirmations", "20"],
  );
  const { family, chain_id, native_symbol, native_decimals, finality, start_block } = added;
  assert.deepEqual([family, native_symbol, native_decimals, finality], [
    "tron",
    "TRX",
    6,
    "finalized",
  ]);
  assert.equal(chain_id, String(parseInt(node.chain.blocks[0]!.id.slice(-8), 16)));
  assert.equal(start_block, node.head.number + 1);
  const set = ["network", "set", "NILE", "--gas-price-max"];
  assert.equal((await cli.json(...set, "420")).gas_price_max, "420");
  assert.match(await cli.fails(2, ...set, "0.5"), /in sun, with 0 decimals/);
  assert.equal((await cli.json(...set, "0")).gas_price_max, null);
  const token = node.deployToken({ name: "Tether USD", symbol: "USDT", decimals: 6 });
  const add = [
    ...["currency", "add", "--network", "NILE", "--symbol", "USDT", "--name", "Tether USD"],
    ...["--contract", token.address, "--decimals"],
  ];
  assert.match(await cli.fails(1, ...add, "18"), /has 6 decimals on its chain, not 18/);
  assert.equal((await cli.json(...add, "6")).gas_max, 300_000);
  const gasMax = ["currency", "set", "--network", "NILE", "--gas-max", "200000", "--symbol"];
  assert.equal((await cli.json(...gasMax, "USDT")).gas_max, 200_000);
  assert.equal(
    await cli.fails(1, ...gasMax, "TRX"),
    "A payment in TRX runs no code, so it has no gas limit; --gas-max is for tokens",
  );
  assert.equal((await cli.json("currency", "list"))[0].gas_max, null);
  const bad = `${token.address.slice(0, -1)}${token.address.endsWith("1") ? "2" : "1"}`;
  assert.notEqual((await cli.run(add.map((word) => word === token.address ? bad : word))).code, 0);
});

Deno.test("the program serves the TRX preset with USDT, credits a deposit and pays a withdrawal", async () => {
  await using node = await startTronNode({ genesisId: MAINNET });
  const token = node.deployToken({ name: "Tether USD", symbol: "USDT", decimals: 6, at: USDT });
  token.mint(node.bank, 10n ** 12n);
  await using place = await makePlace();
  const { env } = place;
  const cpg = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere([...args, "--json"], env);
    assert.equal(code, 0, `${args.join(" ")}: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  };
  await cpg("migrate");
  const added = await cpg("network", "add", "--preset", "TRX", "--rpc-url", node.url);
  assert.deepEqual([added.code, added.chain_id, added.finality], ["TRX", "728126428", "finalized"]);
  await cpg("network", "set", "TRX", "--poll-interval-ms", "50");
  await cpg("account", "create", "--name", "Acme");
  const asset = ["--account", "1", "--network", "TRX", "--currency"];
  await cpg("account", "enable", ...asset, "TRX");
  const { hot_wallet } = await cpg("account", "enable", ...asset, "USDT");
  const key = await cpg("key", "create", "--account", "1", "--label", "k", "--permissions", "all");
  const gateway = await startChildGateway(env);
  const api = apiClient(gateway.url, { keyId: key.key_id, secret: key.secret });
  const { address } = await allocate(api, { network: "TRX", currency: "USDT" });
  node.trigger(USDT, token.transferData(address, 25_000_000n));
  await eventually(async () => {
    node.produce();
    return await depositsOf(api);
  }, { until: ([row]) => row?.status === "confirmed" });
  assert.equal((await balanceOf(api, "USDT")).balance, "25");
  node.fund(hot_wallet, 100n * TRX);
  token.mint(hot_wallet, 100_000_000n);
  const to = makeTronWallet(5).address;
  const { body } = await withdraw(api, { network: "TRX", currency: "USDT", to, amount: "20.5" });
  assert.equal(body.data.status, "broadcasted", JSON.stringify(body));
  await eventually(async () => {
    node.produce();
    return await withdrawalOf(api, 1);
  }, { until: ({ status }) => status === "confirmed" });
  assert.equal(token.balanceOf(to), 20_500_000n);
  assert.equal(await gateway.terminate(), 0, gateway.stderr());
  const books = await cpg("reconcile");
  assert.equal(books.ok, true, JSON.stringify(books));
});
