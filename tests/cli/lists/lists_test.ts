import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import { makeStage } from "../../support/stage.ts";
import { makeCli } from "../cli_host.ts";
import { runIn } from "../world_host.ts";

Deno.test("lists show what moved and what accounts own, by every filter, newest first", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { merchant: { accountId, api } } = world;
  const user = "customer-7";
  const wanted = { network: "ETH", currency: "ETH", user_identifier: user };
  const { body } = await api.post("/v1/deposit-addresses", wanted);
  const payment = { from: anvil.accounts[0], to: body.data.address, value: "0xde0b6b3a7640000" };
  await anvil.rpc("eth_sendTransaction", [payment]);
  await anvil.mine(1);
  await world.round();
  await makeStage(world).sentWithdrawal();
  await anvil.mine(3);
  await settleAll(world);
  const list = async (...words: (string | number)[]) => {
    const { code, out, err } = await runIn(world, [...words.map(String), "--json"]);
    assert.equal(code, 0, out + err);
    return JSON.parse(out);
  };
  const all = await list("transaction", "list");
  const ids: number[] = all.map((row: { transaction_id: number }) => row.transaction_id);
  assert.deepEqual(ids, ids.toSorted((a, b) => b - a));
  const paid = all.find((row: { direction: string }) => row.direction === "deposit");
  const deposit = paid.transaction_id;
  assert.deepEqual([paid.account_id, paid.amount, ids.length >= 2], [accountId, "1", true]);

  const transactions = async (...words: (string | number)[]) =>
    (await list("transaction", "list", ...words)).map((row: typeof paid) => row.transaction_id);
  assert.deepEqual(await transactions("--direction", "deposit"), [deposit]);
  const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`;
  for (const spelled of [String, upper]) {
    assert.deepEqual(await transactions("--tx-hash", spelled(paid.tx_hash)), [deposit]);
    assert.deepEqual(await transactions("--address", spelled(paid.to_address)), [deposit]);
  }
  assert.deepEqual(await transactions("--account", accountId), ids);
  assert.deepEqual(await transactions("--network", "eth", "--currency", "eth"), ids);
  assert.deepEqual(await transactions("--currency", "USDT"), []);
  assert.deepEqual(await transactions("--limit", 1), ids.slice(0, 1));

  const deposits = async (...words: (string | number)[]) =>
    (await list("deposit", "list", ...words)).map((row: typeof paid) => row.transaction_id);
  assert.equal((await list("deposit", "list"))[0].user_identifier, user);
  assert.deepEqual(await deposits(), [deposit]);
  assert.deepEqual(await deposits("--user", user), [deposit]);
  assert.deepEqual(await deposits("--user", "nobody"), []);
  assert.deepEqual(await deposits("--user", user, "--address", paid.from_address), []);
  assert.deepEqual(await deposits("--below-minimum"), []);
  assert.deepEqual(await deposits("--status", "failed"), []);

  assert.deepEqual(await list("deposit", "show", deposit), (await list("deposit", "list"))[0]);
  const moved = ids.find((id) => id !== deposit)!;
  const refused = await runIn(world, ["deposit", "show", String(moved)]);
  assert.deepEqual([refused.code, refused.out], [1, ""]);
  assert.equal(refused.err, `error: Transaction ${moved} is not a deposit\n`);

  const balances = await list("balance", "list");
  assert.deepEqual(await list("balance", "list", "--account", accountId), balances);
  assert.deepEqual(await list("balance", "list", "--currency", "NONE"), []);
  assert.deepEqual(await list("balance", "list", "--currency", "eth"), balances);
  const own = balances.find((row: { currency: string }) => row.currency === "ETH");
  assert.deepEqual(Object.keys(own), [
    ...["account_id", "network", "currency", "balance", "held", "available"],
  ]);
  const cut = await runIn(world, ["transaction", "list", "--limit", "1"]);
  assert.match(cut.err, /^Showing the newest 1; --limit shows more$/m);
});

Deno.test("lists refuse unknown accounts and networks, and are empty without payments", async () => {
  await using cli = await makeCli();
  for (const list of ["balance", "transaction", "deposit"]) {
    assert.deepEqual(await cli.json(list, "list"), []);
    assert.match(await cli.fails(1, list, "list", "--account", "7"), /no account 7/);
    assert.match(await cli.fails(1, list, "list", "--network", "NOPE"), /no network NOPE/);
  }
  assert.match(await cli.fails(2, "deposit", "list", "--limit", "10001"), /from 1 to 10000/);
});

Deno.test("account rename changes the name, and nothing else", async () => {
  await using cli = await makeCli();
  const before = await cli.json("account", "create", "--name", "Acme");
  const after = await cli.json("account", "rename", "1", "--name", "Acme Ltd");
  assert.deepEqual(after, { ...before, name: "Acme Ltd" });
  const [row] = await cli.json("audit", "list", "--subject", "account:1");
  assert.deepEqual([row.action, row.detail.change], ["account.changed", { name: "Acme Ltd" }]);
  assert.match(await cli.fails(1, "account", "rename", "9", "--name", "x"), /no account 9/);
});
