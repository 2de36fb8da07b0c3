import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { startNodeWithout } from "../../support/nodes/tracing_nodes.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { serve } from "../../../src/app/serve.ts";
import { BAD_NODES } from "../../support/nodes/bad_nodes.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { makeCli } from "../cli_host.ts";

/** Nothing listens there. */
const DEAD = "http://127.0.0.1:1";
const OFFLINE = ["--family", "evm", "--min-confirmations", "12", "--chain-id", "5"];

Deno.test("network add asks the node for its chain and starts after the current tip", async () => {
  await using anvil = await startAnvil();
  await anvil.mine(7);
  await using cli = await makeCli();
  const { seconds_since_answer, ...added } = await cli.json(
    ...add("eth", anvil.url),
    ...["--name", "Ethereum"],
  );
  assert.ok(seconds_since_answer < 10);
  assert.deepEqual(added, {
    code: "ETH",
    family: "evm",
    name: "Ethereum",
    chain_id: "31337",
    native_symbol: "ETH",
    native_decimals: 18,
    rpc_urls: [anvil.url],
    ws_urls: [],
    min_confirmations: 12,
    poll_interval_ms: 2000,
    start_block: 8,
    finality: "none",
    quorum: 1,
    traces: "auto",
    fee_model: "l1",
    fee_target: null,
    gaps: [],
    gas_price_max: null,
    fee_max: null,
    fee_max_from: "recent_blocks",
    gas_price_unit: "gwei",
    hot_gas_target: "0",
    collect: "single",
    collect_wait: "10m",
    test: true,
    active: true,
    scanned_to: 7,
    lag: 0,
    halted_reason: null,
    endpoints: [],
  });
  const [{ seconds_since_answer: _, ...listed }] = await cli.json("network", "list");
  assert.deepEqual(listed, added);
  const [native, ...others] = await cli.json("currency", "list");
  assert.deepEqual(others, []);
  assert.equal(native.currency, "ETH");
  assert.equal(native.name, "Ether");
  assert.equal(native.is_token, false);
  assert.equal(await cli.fails(1, ...add("ETH", anvil.url)), "A network ETH already exists");
});

Deno.test("network list shows what a running server knows of each endpoint, and nothing secret", async () => {
  await using anvil = await startAnvil({ args: ["--slots-in-an-epoch", "2"] });
  await anvil.mine(9);
  const secret = "0123456789abcdef";
  await using limited = await startFaultProxy(anvil.url, (method) => {
    const error = { code: -32000, message: `method off for ${secret}` };
    if (method.includes("trace")) return { edit: ({ id }) => ({ jsonrpc: "2.0", id, error }) };
    return "pass";
  });
  await using dead = await BAD_NODES.dead();
  await using cli = await makeCli();
  const urls = [anvil.url, `${limited.url}/v2/${secret}`, dead.url];
  await cli.json(...add("ETH", urls[0]!), ...urls.slice(1).flatMap((url) => ["--rpc-url", url]));
  // Endpoints are asked whether they trace only once there is a block to read.
  await anvil.mine(1);
  const serving = await serve(readConfig(cli.env));
  const endpointsOf = async () => (await cli.json("network", "list"))[0].endpoints;
  const endpoints = await eventually(endpointsOf, { until: ({ length }) => length === 3 });
  await serving.stop();
  const [good, second, last] = endpoints;
  assert.deepEqual({ ...good, seconds_since_answer: 0 }, {
    host: new URL(anvil.url).host,
    reachable: true,
    height: 10,
    final_height: 6,
    lag: 0,
    traces: true,
    pushes: null,
    push_error: null,
    seconds_since_answer: 0,
    last_error: null,
    seconds_since_error: null,
  });
  assert.ok(good.seconds_since_answer < 10);
  assert.equal(second.host, new URL(limited.url).host);
  assert.match(second.last_error, /method off for \*\*\*$/);
  assert.deepEqual(
    [last.reachable, last.height, last.lag, last.traces, last.seconds_since_answer],
    [false, null, null, null, null],
  );
  assert.match(last.last_error, /127\.0\.0\.1/);
  assert.ok(last.seconds_since_error < 10);
  const { out, err } = await cli.run(["network", "list"]);
  assert.ok(!(out + err).includes(secret));
  assert.match(
    err,
    /^ETH 127\.0\.0\.1:\d+: answers, at block 10, final to 6, traces, answered \d+ s ago$/m,
  );
  assert.match(err, /: does not answer, never answered, error \d+ s ago: /);
  await cli.json("network", "set", "ETH", "--rpc-url", anvil.url);
  const again = await serve(readConfig(cli.env));
  await eventually(endpointsOf, { until: ({ length }) => length === 1 });
  await again.stop();
});

Deno.test("a gas price limit is shown as it was given, with its unit", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  await cli.json(...add("ETH", anvil.url), "--gas-price-max", "200");
  const [{ gas_price_max, gas_price_unit }] = await cli.json("network", "list");
  assert.deepEqual([gas_price_max, gas_price_unit], ["200", "gwei"]);
  const changed = await cli.json("network", "set", "ETH", "--gas-price-max", "0.05");
  assert.equal(changed.gas_price_max, "0.05");
});

Deno.test("network set limits the cost of one transaction, and can go back to the default", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  const shown = ({ fee_max, fee_max_from }: Record<string, unknown>) => [fee_max, fee_max_from];
  assert.deepEqual(shown(await cli.json(...add("ETH", anvil.url), "--fee-max", "0.050")), [
    "0.05",
    "set",
  ]);
  const set = ["network", "set", "ETH", "--fee-max"];
  assert.deepEqual(shown(await cli.json(...set, "0.1")), ["0.1", "set"]);
  assert.deepEqual(shown((await cli.json("network", "list"))[0]), ["0.1", "set"]);
  assert.deepEqual(shown(await cli.json(...set, "none")), [null, "recent_blocks"]);
  for (const wrong of ["0", "-1", "much"]) {
    assert.match(await cli.fails(2, ...set, wrong), /above 0/);
  }
  await anvil.rpc("anvil_setChainId", [8453]);
  const base = ["network", "add", "--preset", "BASE", "--rpc-url", anvil.url];
  assert.deepEqual(shown(await cli.json(...base)), ["0.005", "preset"]);
});

Deno.test("network add refuses a chain id that differs from the node's, naming both", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  assert.equal(
    await cli.fails(1, ...add("ETH", anvil.url), "--chain-id", "1"),
    "You asked for chain 1, but the node is on chain 31337; give --rpc-url of a node of chain 1, " +
      "or --chain-id 31337 if you want that chain",
  );
  assert.equal(
    await cli.fails(1, "network", "add", "--preset", "ETH", "--rpc-url", anvil.url),
    "Ethereum is chain 1, but the node is on chain 31337; give --rpc-url of a node of chain 1; " +
      '"network add --code CODE --chain-id 31337" makes chain 31337 a network of its own',
  );
  assert.deepEqual(await cli.json("network", "list"), []);
});

Deno.test("network add takes every flag, and a start block in the future", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  await using other = await startFaultProxy(anvil.url, () => "pass");
  const added = await cli.json(
    ...add("my.net", anvil.url),
    ...["--chain-id", "31337", "--native-symbol", "FOO", "--native-decimals", "9"],
    ...["--poll-interval-ms", "500", "--start-block", "1000", "--finality", "finalized"],
    ...["--traces", "off", "--rpc-url", other.url, "--quorum", "2"],
  );
  assert.equal(added.code, "MY.NET");
  assert.equal(added.name, "MY.NET");
  assert.equal(added.native_symbol, "FOO");
  assert.equal(added.native_decimals, 9);
  assert.equal(added.start_block, 1000);
  assert.equal(added.quorum, 2);
  assert.equal(added.finality, "finalized");
  assert.equal(added.traces, "off");
  assert.deepEqual(added.rpc_urls, [anvil.url, other.url]);
});

Deno.test("a node counts once for a quorum, however its URL is spelled", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  const spelled = [anvil.url, `${anvil.url}/`, `${anvil.url.replace("http", "HTTP")}`];
  const keys = [`${anvil.url}/?key=a`, `${anvil.url}/?key=b`, `${anvil.url}/#c`];
  const urls = [...spelled, ...keys].flatMap((url) => ["--rpc-url", url]);
  const flags = [...add("ETH", anvil.url), ...urls, "--chain-id", "31337", "--start-block", "9"];
  assert.match(
    await cli.fails(1, ...flags, "--quorum", "2"),
    /^A quorum of 2 needs at least 2 nodes, but there is 1/,
  );
  const { rpc_urls } = await cli.json(...flags);
  assert.equal(rpc_urls.length, 3, "One without a key, and two keys");
});

Deno.test("a dead node is refused unless it needn't answer anything", async () => {
  await using cli = await makeCli();
  const needed = /; to add ETH without its node, give --chain-id and a --start-block number$/;
  assert.match(await cli.fails(1, ...add("ETH", DEAD)), needed);
  assert.match(await cli.fails(1, ...add("ETH", DEAD), "--start-block", "9"), needed);
  assert.match(await cli.fails(1, ...add("ETH", DEAD), "--chain-id", "5"), needed);
  const { code, out, err } = await cli.run(
    ["network", "add", "--code", "ETH", "--rpc-url", DEAD, ...OFFLINE, "--start-block", "9"],
  );
  assert.equal(code, 0, err);
  assert.match(out, /^code: +ETH\n/);
  assert.match(err, /^warning: .*; ETH is added without asking its node\n/);
});

Deno.test("a node that has never answered has no lag and no time of an answer anywhere, and is silent", async () => {
  await using cli = await makeCli({ CPG_WORKER: "false" });
  const added = await cli.json(
    "network",
    "add",
    "--code",
    "ETH",
    "--rpc-url",
    DEAD,
    ...OFFLINE,
    "--start-block=9",
  );
  const [listed] = await cli.json("network", "list");
  for (const shape of [added, listed]) {
    assert.deepEqual([shape.lag, shape.seconds_since_answer], [null, null]);
  }
  const serving = await serve(readConfig(cli.env));
  const ready = await (await fetch(`${serving.url}/readyz`)).json();
  const { lag_blocks: lag, seconds_since_answer: since, status } = ready.networks[0];
  assert.deepEqual([lag, since, status], [null, null, "silent"]);
  const metrics = await (await fetch(`${serving.url}/metrics`)).text();
  assert.match(metrics, /^cpg_network_seconds_since_answer\{network="ETH"\} NaN$/m);
  const { code, out } = await cli.run(["status", "--json"]);
  const { problems, networks: [network] } = JSON.parse(out);
  assert.deepEqual([code, problems], [1, ["No node of ETH has ever answered"]]);
  assert.deepEqual([network.state, network.lag, network.seconds_since_answer], [
    ...["silent", null, null],
  ]);
  await serving.stop();
});

Deno.test("a preset brings its tokens, warns if one doesn't answer, and can lend its settings", async () => {
  await using mainnet = await startAnvil({ args: ["--chain-id", "56"] });
  await using testnet = await startAnvil({ args: ["--chain-id", "97"] });
  await using cli = await makeCli();
  const { code, err } = await cli.run(
    ["network", "add", "--preset", "bsc", "--rpc-url", mainnet.url],
  );
  assert.equal(code, 0, err);
  assert.match(err, /warning: no token answers at 0x55d3.*; the decimals of USDT are not checked/);
  const listed = await cli.json("currency", "list", "--network", "BSC");
  assert.deepEqual(
    listed.map((it: { currency: string; decimals: number }) => [it.currency, it.decimals]),
    [["BNB", 18], ["USDC", 18], ["USDT", 18]],
  );
  const lent = await cli.run([
    ...["network", "add", "--preset", "BSC", "--code", "TBSC", "--rpc-url", testnet.url],
    ...["--chain-id", "97", "--min-confirmations", "2"],
  ]);
  assert.match(lent.err, /warning: chain 97 is not BNB Smart Chain: its tokens are not added/);
  assert.equal((await cli.json("currency", "list", "--network", "TBSC")).length, 1);
  const [bsc, tbsc] = await cli.json("network", "list");
  assert.equal(bsc.min_confirmations, 15);
  assert.equal(bsc.finality, "finalized");
  assert.equal(tbsc.min_confirmations, 2);
  assert.equal(tbsc.native_symbol, "BNB");
});

Deno.test("contract 1: network add, network set and account enable say what a test network means", async () => {
  await using cli = await makeCli();
  const offline = ["--family", "evm", "--min-confirmations", "9", "--start-block", "0"];
  const added = async (code: string, chainId: string) => {
    const args = [...offline, "--code", code, "--chain-id", chainId, "--rpc-url", DEAD];
    return (await cli.run(["network", "add", ...args])).err;
  };
  const enabled = async (network: string, account = "1") => {
    const args = ["--account", account, "--network", network, "--currency", "ETH"];
    return (await cli.run(["account", "enable", ...args])).err;
  };
  assert.match(await added("SEPOLIA", "11155111"), /warning: SEPOLIA is a test network/);
  assert.match(
    await added("OWN", "4242"),
    /OWN \(chain 4242\) is a real network: its coins count as money; if it is a test chain/,
  );
  await cli.json("account", "create", "--name", "Acme");
  assert.match(await enabled("SEPOLIA"), /Account 1 has test networks only/);
  assert.match(
    await enabled("OWN"),
    /from here on, coins of its test networks \(SEPOLIA\) are worth/,
  );
  assert.match(await enabled("SEPOLIA"), /Account 1 has real coins too \(OWN\)/);
  const { err } = await cli.run(["network", "set", "OWN", "--test", "on"]);
  assert.match(err, /OWN is a test network \(chain 4242\)/);
  const listed = await cli.json("network", "list");
  assert.deepEqual(listed.map((one: { test: boolean }) => one.test), [true, true]);
  assert.match(await enabled("OWN"), /Account 1 has test networks only/);
  // Keeping a network away from an account gives it no wallet there.
  assert.match(await added("REAL", "4343"), /REAL/);
  const kept = await cli.json(
    ...["account", "enable", "--account", "1", "--network", "REAL", "--currency", "ETH"],
    ...["--deposit", "off", "--withdrawal", "off"],
  );
  assert.equal(kept.hot_wallet, null);
  assert.match(await enabled("OWN"), /Account 1 has test networks only/);
});

Deno.test("preset and family set TRON's network settings", async () => {
  await using cli = await makeCli();
  const args = ["network", "add", "--rpc-url", DEAD, "--start-block", "5"];
  const preset = await cli.json(...args, "--preset", "trx");
  assert.deepEqual(
    [preset.family, preset.chain_id, preset.finality, preset.min_confirmations],
    ["tron", "728126428", "finalized", 20],
  );
  const nile = await cli.json(
    ...[...args, "--code", "NILE", "--family", "tron", "--chain-id", "3448148188"],
    ...["--min-confirmations", "19"],
  );
  assert.deepEqual([nile.native_symbol, nile.finality], ["TRX", "finalized"]);
  const currencies = await cli.json("currency", "list");
  assert.deepEqual(
    currencies.map((it: Record<string, unknown>) => [it.network, it.currency, it.decimals]),
    [["NILE", "TRX", 6], ["TRX", "TRX", 6], ["TRX", "USDT", 6]],
  );
});

Deno.test("--traces on needs a node that serves them, when adding and at every change", async () => {
  await using anvil = await startAnvil();
  await using bare = await startNodeWithout(anvil);
  await using cli = await makeCli();
  const refusal = "No node of ETH serves traces of blocks; --traces auto does without them";
  assert.equal(await cli.fails(1, ...add("ETH", bare.url), "--traces", "on"), refusal);
  assert.deepEqual(await cli.json("network", "list"), []);
  assert.equal((await cli.json(...add("ETH", bare.url))).traces, "auto");
  assert.equal(await cli.fails(1, "network", "set", "ETH", "--traces", "on"), refusal);
  const set = (...flags: string[]) => cli.json("network", "set", "ETH", ...flags);
  assert.equal((await set("--rpc-url", anvil.url, "--traces", "on")).traces, "on");
  assert.equal(await cli.fails(1, "network", "set", "ETH", "--rpc-url", bare.url), refusal);
  assert.equal((await set("--rpc-url", bare.url, "--traces", "off")).traces, "off");
  const { code, err } = await cli.run([
    "network",
    "set",
    "ETH",
    "--rpc-url",
    DEAD,
    "--traces",
    "on",
    "--force",
  ]);
  assert.equal(code, 0, err);
  assert.match(err, /warning: .*; whether it serves traces is not checked/);
});

Deno.test("network add needs its flags or a preset, and as many endpoints as its quorum", async () => {
  await using cli = await makeCli();
  assert.match(await cli.fails(2, "network", "add", "--rpc-url", DEAD), /needs --code or --preset/);
  assert.match(await cli.fails(2, "network", "add", "--preset", "ETH"), /needs --rpc-url;/);
  assert.match(
    await cli.fails(2, "network", "add", "--code", "X", "--rpc-url", DEAD),
    /needs --family or --preset/,
  );
  assert.match(
    await cli.fails(2, "network", "add", "--code", "X", "--family", "evm", "--rpc-url", DEAD),
    /needs --min-confirmations or --preset/,
  );
  assert.equal(
    await cli.fails(1, ...add("X", DEAD), "--quorum", "2"),
    "A quorum of 2 needs at least 2 nodes, but there is 1; give each its own --rpc-url",
  );
});

Deno.test("network set changes what is named and leaves the rest", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  const added = await cli.json(...add("ETH", anvil.url));
  const changed = await cli.json("network", "set", "eth", "--active", "off", "--name", "Old one");
  assert.deepEqual(changed, { ...added, active: false, name: "Old one" });
  assert.deepEqual(await cli.json("network", "list"), [changed]);
  assert.equal(await cli.fails(2, "network", "set", "ETH"), "network set: nothing to change");
  assert.match(
    await cli.fails(1, "network", "set", "ETH", "--quorum", "2"),
    /^A quorum of 2 needs/,
  );
  assert.match(
    await cli.fails(1, "network", "set", "X", "--active", "on"),
    /^There is no network X/,
  );
});

Deno.test("new nodes of a network must be on its chain", async () => {
  await using anvil = await startAnvil();
  await using other = await startAnvil({ args: ["--chain-id", "5"] });
  await using restarted = await startAnvil({ args: ["--timestamp", "1"] });
  await using cli = await makeCli();
  await cli.json(...add("ETH", anvil.url));
  assert.equal(
    await cli.fails(1, "network", "set", "ETH", "--rpc-url", other.url),
    "ETH is chain 31337, but the node is on chain 5; give --rpc-url of a node of chain 31337; " +
      '"network add --code CODE --chain-id 5" makes chain 5 a network of its own',
  );
  assert.equal(
    await cli.fails(1, "network", "set", "ETH", "--rpc-url", restarted.url),
    "ETH is chain 31337, but the node is on a chain 31337 with another first block",
  );
  const silent = ["network", "set", "ETH", "--rpc-url", DEAD];
  const refused = await cli.fails(1, ...silent);
  assert.match(refused, /127\.0\.0\.1:1.*; ETH keeps its nodes; --force sets the new ones anyway$/);
  assert.deepEqual((await cli.json("network", "list"))[0].rpc_urls, [anvil.url]);
  const { code, err } = await cli.run([...silent, "--force"]);
  assert.equal(code, 0);
  assert.match(err, /^warning: .*; its chain is checked when it answers\n$/);
});

Deno.test("fewer confirmations than a known chain needs are a question on a terminal, else a warning", async () => {
  await using anvil = await startAnvil({ args: ["--chain-id", "1"] });
  await using cli = await makeCli();
  const few =
    /Ethereum takes back blocks that are less deep than 64, and with them deposits that 3 /;
  const added = await cli.run(add("ETH", anvil.url));
  assert.equal(added.code, 0);
  assert.match(added.err, /less deep than 64, and with them deposits that 12 /);
  const set = ["network", "set", "ETH", "--min-confirmations", "3"];
  const enough = set.with(-1, "64");
  assert.equal(few.test((await cli.run(enough)).err), false);
  const asked = await cli.run(set, { isTerminal: true, input: ["no"] });
  assert.equal(asked.code, 1);
  assert.match(asked.err, few);
  assert.match(asked.err, /Type yes to continue: error: Not confirmed with "yes"\n$/);
  assert.equal((await cli.json("network", "list"))[0].min_confirmations, 64);
  for (
    const [words, isTerminal] of [[["--json"], true], [[], false], [["--force"], true]] as const
  ) {
    await cli.json(...enough);
    const warned = await cli.run([...set, ...words], { isTerminal, input: ["no"] });
    assert.equal(warned.code, 0, warned.err);
    assert.match(warned.err, new RegExp(`^warning: ${few.source}`));
  }
  await cli.json(...enough);
  assert.equal((await cli.run(set, { isTerminal: true, input: ["yes"] })).code, 0);
  assert.equal((await cli.json("network", "list"))[0].min_confirmations, 3);
});

Deno.test("the gas wallet is created once and stays the same", async () => {
  await using cli = await makeCli();
  await cli.json(
    ...["network", "add", "--code", "ETH", "--rpc-url", DEAD, ...OFFLINE, "--start-block", "9"],
  );
  const wallet = await cli.json("network", "gas-wallet", "eth");
  assert.equal(wallet.network, "ETH");
  assert.match(wallet.address, /^0x[0-9a-fA-F]{40}$/);
  assert.deepEqual(await cli.json("network", "gas-wallet", "ETH"), wallet);
});

function add(code: string, url: string): string[] {
  return [
    ...["network", "add", "--code", code, "--family", "evm", "--rpc-url", url],
    ...["--min-confirmations", "12"],
  ];
}
