import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient } from "../../support/api_client.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { makeCli } from "../cli_host.ts";

Deno.test("rescan credits once what was paid before its currency was known, beside a running server", async () => {
  await using anvil = await startAnvil();
  const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  await using cli = await makeCli();
  await cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--rpc-url", anvil.url],
    ...["--min-confirmations", "2", "--poll-interval-ms", "50"],
  );
  await cli.json("account", "create", "--name", "Acme");
  await cli.json("account", "enable", "--account", "1", "--network", "ETH", "--currency", "ETH");
  const { key_id: keyId, secret } = await cli.json(
    ...["key", "create", "--account", "1", "--label", "k", "--permissions", "all"],
  );
  const stopped = Promise.withResolvers<void>();
  const started = Promise.withResolvers<string>();
  const running = cli.run(["serve", "--json"], {
    stopped: stopped.promise,
    onOut: started.resolve,
  });
  const api = apiClient(JSON.parse(await started.promise).url, { keyId, secret });

  const order = { network: "ETH", currency: "ETH", user_identifier: "alice" };
  const { address } = (await api.post("/v1/deposit-addresses", order)).body.data;
  await token.send("mint", [address, 25_000_000n]);
  await anvil.mine(60);
  await eventually(async () => (await cli.json("network", "list"))[0], {
    until: ({ scanned_to }) => scanned_to >= 62,
  });
  await cli.json(
    ...["currency", "add", "--network", "ETH", "--symbol", "USDT", "--name", "Tether USD"],
    ...["--decimals", "6", "--contract", token.address],
  );

  const args = ["rescan", "--network", "eth", "--from-block", "0"];
  const watched = await cli.run(args, { isTerminal: true });
  assert.equal(watched.code, 0, watched.err);
  assert.match(watched.err, /^\r\[#+-*\] \d+% of \d+ blocks(\r\[#+\] 100% of \d+ blocks)\n$/);
  assert.match(watched.out, /found: +1\n$/);
  const again = await cli.json(...args, "--to-block", "10");
  assert.deepEqual(again, { network: "ETH", from_block: 0, to_block: 10, found: 0 });
  const balances = await eventually(() => api.get("/v1/balances?currency=USDT"), {
    until: ({ body }) => body.data.length === 1,
  });
  assert.equal(balances.body.data[0].balance, "25");
  assert.match(
    await cli.fails(1, "rescan", "--network", "ETH", "--from-block", "1000"),
    /^ETH was read up to block \d+, so there is nothing to read again from 1000$/,
  );
  assert.equal(
    await cli.fails(1, "rescan", "--network", "ETH", "--from-block", "2", "--to-block", "1"),
    "The last block, 1, is before the first, 2",
  );
  stopped.resolve();
  assert.equal((await running).code, 0);
});

Deno.test("rescan of a network that starts beyond the tip stops at the tip and says so", async () => {
  await using anvil = await startAnvil();
  await anvil.mine(5);
  await using cli = await makeCli();
  await cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--rpc-url", anvil.url],
    ...["--start-block", "16", "--min-confirmations", "2"],
  );
  const args = ["rescan", "--network", "ETH", "--from-block"];
  assert.deepEqual(await cli.json(...args, "0"), {
    network: "ETH",
    from_block: 0,
    to_block: 5,
    found: 0,
  });
  const said = await cli.run([...args, "2", "--to-block", "9"]);
  assert.equal(said.err, "The chain of ETH ends at block 5, so it was read up to there.\n");
  assert.equal((await cli.run([...args, "2", "--to-block", "5"])).err, "");
  assert.equal(
    await cli.fails(1, ...args, "6"),
    "The chain of ETH ends at block 5, so there is nothing to read again from 6",
  );
});
