import assert from "node:assert/strict";
import { openGateway } from "../../../src/app/gateway.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient } from "../../support/api_client.ts";
import { deploy, sendTx } from "../../support/nodes/contracts.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { allocate, depositsOf, withdraw } from "../../support/views.ts";
import { makeCli } from "../cli_host.ts";

const ASSET = ["--network", "ETH", "--currency", "ETH"];

const AGREES = { ok: true, differences: [], everywhere: false };

Deno.test("reconcile, unfreeze and deposit credit on the command line beside a running server", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  await cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--rpc-url", anvil.url],
    ...["--min-confirmations", "2", "--poll-interval-ms", "50", "--traces", "off"],
  );
  await cli.json("account", "create", "--name", "Acme");
  await cli.json("account", "enable", "--account", "1", ...ASSET);
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
  assert.deepEqual(await cli.json("reconcile"), AGREES);
  assert.deepEqual(await cli.json("reconcile", "--network", "eth"), AGREES);
  assert.match(
    (await cli.run(["reconcile"])).out,
    /^The books are consistent and match the chains/,
  );
  assert.match(await cli.fails(1, "reconcile", "--network", "XYZ"), /There is no network XYZ/);

  const { address } = await allocate(api);
  const read = async () => {
    await anvil.mine(3);
    const head = Number(await anvil.rpc("eth_blockNumber"));
    await eventually(async () => (await cli.json("network", "list"))[0], {
      until: ({ scanned_to }) => scanned_to >= head,
    });
  };
  await sendTx(anvil, { to: address, valueRaw: 2n * ETHER });
  await read();
  await eventually(() => depositsOf(api), { until: ([row]) => row?.status === "confirmed" });
  await setBalance(anvil, address, ETHER);
  await read();
  const { code, out } = await cli.run(["reconcile", "--json"]);
  assert.equal(code, 1);
  const { ok, differences, ...rest } = JSON.parse(out);
  assert.deepEqual([ok, rest], [false, { everywhere: false }]);
  assert.deepEqual(differences.length, 1);
  const { detail, ...difference } = differences[0];
  assert.match(detail, new RegExp(`${address} lacks 1 ETH`));
  assert.deepEqual(difference, {
    account_id: 1,
    network: "ETH",
    currency: "ETH",
    kind: "deposit_address",
    expected: "2",
    found: "1",
  });
  const forPeople = await cli.run(["reconcile"]);
  assert.equal(forPeople.code, 1);
  assert.match(forPeople.out, /ACCOUNT ID +NETWORK .*\n1 +ETH +ETH +deposit_address +2 +1 .*\n\n/);
  assert.match(forPeople.out, /account unfreeze --account ID/);
  assert.equal((await withdraw(api, { to: STRANGER, amount: "0.5" })).status, 503);
  const [freeze] = await cli.json("account", "freezes");
  assert.deepEqual([freeze.account_id, freeze.network, freeze.currency], [1, "ETH", "ETH"]);

  const unfreeze = ["account", "unfreeze", "--account", "1", ...ASSET];
  await setBalance(anvil, address, ETHER / 2n);
  await read();
  const still = await cli.run([...unfreeze, "--json"]);
  assert.equal(still.code, 1);
  const { unfrozen, reason, differences: now } = JSON.parse(still.out);
  assert.deepEqual([unfrozen, now.length, now[0].found], [false, 1, "0.5"]);
  assert.match(reason, /found 0\.5/, "Not the old finding");
  assert.match((await cli.run(unfreeze)).out, /stay paused.*ACCOUNT ID.*deposit_address/s);
  assert.equal((await withdraw(api, { to: STRANGER, amount: "0.5" })).status, 503);

  await setBalance(anvil, address, 2n * ETHER);
  await read();
  assert.deepEqual(await cli.json("reconcile"), AGREES);
  assert.deepEqual(await cli.json(...unfreeze), {
    ...freeze,
    reason,
    unfrozen: true,
    ...AGREES,
  });
  assert.match(
    await cli.fails(1, "account", "unfreeze", "--account", "1", ...ASSET),
    /^Withdrawals of ETH\/ETH are not paused for account 1$/,
  );
  assert.deepEqual(await cli.json("account", "freezes"), []);
  assert.equal((await withdraw(api, { to: STRANGER, amount: "0.5" })).status, 502);

  const disperse = await deploy(anvil, { name: "Disperse" });
  await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  await read();
  const surplus = { account_id: 1, network: "ETH", currency: "ETH", address, amount: "1" };
  assert.deepEqual(await cli.json("reconcile"), { ...AGREES, surplus: [surplus] });
  assert.match(
    (await cli.run(["reconcile"])).out,
    /These addresses hold an unexplained surplus:\n\nACCOUNT ID/,
  );
  const credit = [
    ...["deposit", "credit", ...ASSET, "--address", address.toLowerCase(), "--note", "inner"],
  ];
  assert.match(await cli.fails(1, ...credit, "--amount", "1.1"), /^Cannot credit 1.1 ETH: 0x/);
  assert.match(await cli.fails(2, ...credit, "--amount", "0"), /credits nothing/);
  const credited = await cli.json(...credit, "--amount", "1", "--tx-hash", "0xabc");
  assert.deepEqual(credited, {
    transaction_id: credited.transaction_id,
    account_id: 1,
    network: "ETH",
    currency: "ETH",
    address,
    amount: "1",
    tx_hash: "0xabc",
    status: "confirmed",
  });
  assert.deepEqual(await cli.json("reconcile"), AGREES);
  stopped.resolve();
  assert.equal((await running).code, 0);
});

Deno.test("a network whose node doesn't answer is skipped with a warning, and the ledger is checked", async () => {
  await using cli = await makeCli();
  await cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--rpc-url", "http://127.0.0.1:1"],
    ...["--min-confirmations", "12", "--chain-id", "5", "--start-block", "0"],
  );
  await cli.json("account", "create", "--name", "Acme");
  await cli.json("account", "adjust", "--account", "1", ...ASSET, "--amount", "5", "--note", "n");
  const skipped = await cli.run(["reconcile", "--json"]);
  assert.equal(skipped.code, 0);
  assert.match(skipped.err, /^warning: ETH was not compared with its chain: /);
  const answer = JSON.parse(skipped.out);
  assert.deepEqual([answer.ok, answer.differences], [true, []]);
  assert.equal(answer.skipped[0].network, "ETH");
  const gateway = await openGateway(readConfig(cli.env));
  await gateway.deps.db.execute([{ sql: "UPDATE balances SET balance = '6'" }]);
  await gateway.close();
  const { code, out } = await cli.run(["reconcile", "--json"]);
  assert.equal(code, 1);
  assert.equal(JSON.parse(out).differences[0].kind, "ledger_balance");
});
