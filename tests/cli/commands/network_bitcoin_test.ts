import assert from "node:assert/strict";
import { type Litecoind, startLitecoind } from "../../support/nodes/litecoind.ts";
import { makeCli } from "../cli_host.ts";

const SECRETS = /cpg-tests|k3y-0f/;

Deno.test("network add --preset LTC-REGTEST takes everything from the catalogue and the node", async () => {
  await using node = await startLitecoind({ blocks: 7 });
  await using cli = await makeCli();
  const added = await cli.json(...add("LTC-REGTEST", node));
  assert.deepEqual(pick(added), {
    code: "LTC-REGTEST",
    family: "bitcoin",
    chain_id: "LTC-REGTEST",
    native_symbol: "LTC",
    native_decimals: 8,
    rpc_urls: [node.url.replace(/\/\/.*@/, "//***@")],
    min_confirmations: 6,
    start_block: 8,
    finality: 12,
    fee_target: 3,
    fee_max: "0.1",
    gas_price_unit: "sat/vB",
    hot_gas_target: null,
    traces: null,
    collect: null,
    test: true,
  });
  const [native, ...others] = await cli.json("currency", "list");
  assert.deepEqual([native.currency, native.name, native.decimals], ["LTC", "Litecoin", 8]);
  assert.deepEqual(others, []);
  for (const words of [["network", "list"], ["audit", "list"]]) {
    const { out, err } = await cli.run(words);
    assert.doesNotMatch(out + err, SECRETS, words.join(" "));
  }
  const nodes = async () => {
    const { checks } = JSON.parse((await cli.run(["doctor", "--json"])).out);
    return checks.find(({ check }: { check: string }) => check === "node of LTC-REGTEST").message;
  };
  assert.match(await nodes(), /^127\.0\.0\.1:\d+ answers, at block 7/);
  Object.assign(cli.env, { CPG_MASTER_KEY: "22".repeat(32) });
  assert.match(await nodes(), /isn't asked: its name and password can't be opened/);
});

Deno.test("a chain is known by its first block, whatever it is called, and another is refused", async () => {
  await using node = await startLitecoind({ blocks: 1 });
  await using cli = await makeCli();
  assert.match(
    await cli.fails(1, ...add("LTC", node)),
    /^Litecoin is chain LTC, but the node is on chain LTC-REGTEST/,
  );
  const byHand = [
    ...["network", "add", "--family", "bitcoin", "--code", "BTC", "--min-confirmations", "2"],
    ...["--rpc-url", node.url],
  ];
  assert.match(
    await cli.fails(1, ...byHand, "--native-decimals", "18"),
    /^LTC on BTC has 8 decimals, not 18/,
  );
  const { chain_id, native_symbol, name } = await cli.json(...byHand);
  assert.deepEqual([chain_id, native_symbol, name], ["LTC-REGTEST", "LTC", "Bitcoin"]);
});

Deno.test("a chain with a first block that nobody knows is refused", async () => {
  const first = "1".repeat(64);
  await using node = Deno.serve({ port: 0, onListen: () => {} }, async (request) => {
    const calls: { id: number; method: string }[] = await request.json();
    const answer = (method: string) => {
      if (method === "getblockhash") return first;
      if (method !== "getblockheader") {
        return {
          blocks: 0,
          headers: 0,
          bestblockhash: first,
          pruned: false,
          initialblockdownload: false,
        };
      }
      return { hash: first, height: 0, confirmations: 1, time: 1_700_000_000 };
    };
    return Response.json(
      calls.map(({ id, method }) => ({ id, result: answer(method), error: null })),
    );
  });
  await using cli = await makeCli();
  const byHand = [
    ...["network", "add", "--family", "bitcoin", "--code", "X", "--min-confirmations", "2"],
    ...["--rpc-url", `http://127.0.0.1:${node.addr.port}`],
  ];
  assert.match(await cli.fails(1, ...byHand), /isn't known here: its first block is 1{64}/);
  const silent = ["--chain-id", "5", "--start-block", "1", "--rpc-url", "http://127.0.0.1:1"];
  assert.match(
    await cli.fails(1, ...byHand.slice(0, -2), ...silent),
    /No chain of this kind has that id/,
  );
});

Deno.test("what means nothing on a chain of outputs is refused, and so is what only they have elsewhere", async () => {
  await using node = await startLitecoind({ blocks: 1 });
  await using cli = await makeCli();
  await cli.json(...add("LTC-REGTEST", node));
  const set = ["network", "set", "LTC-REGTEST"];
  const refused: readonly (readonly [RegExp, ...string[]])[] = [
    [/no gas is sent/, "--hot-gas-target", "1"],
    [/nothing has to be traced/, "--traces", "on"],
    [/it offers, and nothing besides/, "--fee-model", "op_stack"],
    [/it is a number of blocks/, "--finality", "finalized"],
    [/with 12 blocks or more, not with 6/, "--finality", "6"],
    [/push no heads/, "--ws-url", "ws://127.0.0.1:1"],
    [/LTC-REGTEST/, "--collect", "batch"],
  ];
  for (const [said, ...flags] of refused) {
    assert.match(await cli.fails(1, ...set, ...flags), said, flags.join(" "));
  }
  const changed = await cli.json(
    ...set,
    "--finality",
    "24",
    "--fee-target",
    "6",
    "--gas-price-max",
    "200",
  );
  assert.deepEqual([changed.finality, changed.fee_target, changed.gas_price_max], [24, 6, "200"]);
  assert.equal((await cli.json(...set, "--collect-wait", "2h")).collect_wait, "2h");
  assert.match(
    await cli.fails(1, "network", "gas-wallet", "LTC-REGTEST"),
    /^LTC-REGTEST has no gas wallet/,
  );
  const token = ["currency", "add", "--network", "LTC-REGTEST", "--symbol", "X", "--name", "X"];
  assert.match(
    await cli.fails(
      1,
      ...token,
      "--decimals",
      "8",
      "--contract",
      "0xdAC17F958D2ee523a2206206994597C13D831ec7",
    ),
    /^LTC-REGTEST has no contracts/,
  );
  await cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--min-confirmations", "12"],
    ...["--chain-id", "5", "--start-block", "1", "--rpc-url", "http://127.0.0.1:1"],
  );
  assert.match(
    await cli.fails(1, "network", "set", "ETH", "--finality", "6"),
    /isn't a number of blocks/,
  );
  assert.match(
    await cli.fails(1, "network", "set", "ETH", "--fee-target", "6"),
    /This setting means nothing/,
  );
});

Deno.test("a node's URL as it was shown stands for the one with its name and password", async () => {
  await using node = await startLitecoind({ blocks: 1 });
  await using second = await startLitecoind({ blocks: 1 });
  await using cli = await makeCli();
  const { rpc_urls: [shown] } = await cli.json(...add("LTC-REGTEST", node));
  const set = ["network", "set", "LTC-REGTEST"];
  const both = await cli.json(...set, "--rpc-url", shown, "--rpc-url", second.url, "--quorum", "2");
  assert.deepEqual([both.rpc_urls.length, both.quorum], [2, 2]);
  assert.match(
    await cli.fails(1, ...set, "--rpc-url", "http://***@127.0.0.1:1"),
    /hides a name and password/,
  );
  const wrong = second.url.replace("k3y-0f", "wrong-k3y-0f");
  const said = await cli.fails(1, ...set, "--rpc-url", wrong, "--quorum", "1");
  assert.match(said, /refuses the name or password of its URL/);
  assert.doesNotMatch(said, SECRETS);
});

Deno.test("network add says which login a node refuses, and advises nothing that doesn't help", async () => {
  await using node = await startLitecoind();
  await using cli = await makeCli();
  const wrong = add("LTC-REGTEST", { ...node, url: node.url.replace("k3y-0f", "wrong-k3y-0f") });
  const said = await cli.fails(1, ...wrong);
  assert.match(said, /^127\.0\.0\.1:\d+ refuses the name or password of its URL \(401\)/);
  assert.doesNotMatch(said, /--chain-id|cpg-tests|k3y-0f/);
});

function add(preset: string, { url }: Litecoind): string[] {
  return ["network", "add", "--preset", preset, "--rpc-url", url];
}

function pick({ ...all }: Record<string, unknown>) {
  const {
    name: _,
    ws_urls: _w,
    poll_interval_ms: _p,
    quorum: _q,
    fee_model: _f,
    gaps: _g,
    gas_price_max: _m,
    fee_max_from: _o,
    collect_wait: _c,
    active: _a,
    scanned_to: _s,
    lag: _l,
    halted_reason: _h,
    endpoints: _e,
    seconds_since_answer: _n,
    ...rest
  } = all;
  return rest;
}
