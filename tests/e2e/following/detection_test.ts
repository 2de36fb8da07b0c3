import assert from "node:assert/strict";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { audit } from "../../support/auditor.ts";
import { deploy, sendTx } from "../../support/nodes/contracts.ts";
import { depositWith } from "../../support/deposits.ts";
import { enable, makeNetwork, makeToken } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { creditSentinel, ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import {
  alertsOf,
  allocate,
  balanceOf,
  depositsOf,
  eventsOf,
  followed,
  requestOf,
  withdraw,
  withdrawalOf,
} from "../../support/views.ts";
import { sentId, startPayingWorld } from "../../support/payouts.ts";
import { startWorld } from "../../support/world.ts";

const USDT = (contract: string) => ({
  currency: "USDT",
  token: { contract, decimals: 6 },
});

Deno.test("what a failed transaction would have paid isn't credited, coins or tokens (hazard 12)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const token = await world.addToken();
  const rejector = await deploy(anvil, { name: "Rejector" });
  const disperse = await deploy(anvil, { name: "Disperse" });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  const coins = await disperse.send(
    "ether_",
    [[address, rejector.address], [ETHER, ETHER]],
    { valueRaw: 2n * ETHER, gas: 200_000 },
  );
  const tokens = await token.send("transfer", [address, 5_000_000n], { gas: 100_000 });
  // An address that delegated itself to a contract can refuse coins (EIP-7702).
  await anvil.rpc("anvil_setCode", [address, "0x5f5ffd"]);
  const direct = await sendTx(anvil, { to: address, valueRaw: ETHER, gas: 100_000 });
  await anvil.rpc("anvil_setCode", [address, "0x"]);
  for (const hash of [coins, tokens, direct]) {
    assert.equal((await anvil.rpc("eth_getTransactionReceipt", [hash])).status, "0x0");
  }
  await creditSentinel(world);
  assert.deepEqual(await depositsOf(api), []);
  await audit({ api, anvil, addresses: [address] });
});

Deno.test("only the configured contract's own transfers count, with an amount (hazards 13, 14, 16)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const token = await world.addToken();
  const namesake = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  const liar = await deploy(anvil, { name: "LyingToken" });
  const { api, accountId } = world.merchant;
  const { address } = await allocate(api, { currency: "USDT" });
  await namesake.send("mint", [address, 5_000_000n]);
  await liar.send("fake", [address, 5_000_000n]);
  await token.send("transferFrom", [anvil.accounts[1], address, 0n]);
  await token.send("transferFrom", [address, anvil.accounts[1], 0n]);
  await followed(world);
  await makeToken(world.deps, {
    network: "ETH",
    contract: liar.address,
    symbol: "LIE",
    decimals: 18,
  });
  await enable(world.deps, { accountId, network: "ETH", currency: "LIE" });
  await liar.send("fakeNft", [address, 7n]);
  await liar.send("fakeLong", [address, ETHER]);
  await creditSentinel(world);
  assert.deepEqual(await depositsOf(api), []);
  assert.deepEqual(await alertsOf(world.deps), []);
  await token.send("mint", [address, 5_000_000n]);
  await anvil.mine(2);
  await depositWith(api, { status: "confirmed" });
  await audit({ api, anvil, addresses: [address], ...USDT(token.address) });
});

Deno.test("many transfers in one transaction are a row and a credit each (hazard 17)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const token = await world.addToken();
  const disperse = await deploy(anvil, { name: "Disperse" });
  const { api } = world.merchant;
  const one = await allocate(api, { currency: "USDT", user: "one" });
  const two = await allocate(api, { currency: "USDT", user: "two" });
  await token.send("mint", [anvil.accounts[0], 10_000_000n]);
  await token.send("approve", [disperse.address, 10_000_000n]);
  const hash = await disperse.send("token_", [
    token.address,
    [one.address, two.address, one.address, anvil.accounts[2]],
    [1_000_000n, 2_000_000n, 4_000_000n, 3_000_000n],
  ]);
  await anvil.mine(2);
  const rows = await eventually(() => depositsOf(api), {
    until: (rows) => rows.length === 3 && rows.every((row) => row.status === "confirmed"),
  });
  assert.ok(rows.every((row) => row.tx_hash === hash));
  assert.deepEqual(rows.map((row) => row.amount_decimal).sort(), ["1", "2", "4"]);
  assert.equal((await requestOf(api, one.requestId)).transactions.length, 2);
  assert.equal((await requestOf(api, two.requestId)).transactions.length, 1);
  assert.equal((await balanceOf(api, "USDT")).balance, "7");
  const addresses = [one.address, two.address];
  await audit({ api, anvil, addresses, ...USDT(token.address) });
});

Deno.test("our own wallets' money sent without the gateway is alerted, not credited (hazard 23)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  const other = await world.addMerchant("Other");
  const gas = await gasWallet(world.deps, { network: "ETH", actor: "test" });
  const mine = await allocate(api);
  const theirs = await allocate(other.api, { user: "customer" });
  for (const wallet of [hotWallet, gas.address]) {
    await setBalance(anvil, wallet, 10n * ETHER);
    await anvil.rpc("anvil_impersonateAccount", [wallet]);
  }
  await sendTx(anvil, { to: mine.address, valueRaw: 2n * ETHER });
  await anvil.mine(2);
  await depositWith(api, { status: "confirmed" });
  const { status, body } = await withdraw(api, { to: theirs.address, amount: "1" });
  assert.equal(status, 200, JSON.stringify(body));
  await anvil.mine(2);
  await depositWith(other.api, { status: "confirmed" });
  await eventually(() => withdrawalOf(api, body.data.withdrawal_id), {
    until: (row) => row.status === "confirmed",
  });
  const outside = [
    await sendTx(anvil, { from: hotWallet, to: theirs.address, valueRaw: ETHER }),
    await sendTx(anvil, { from: gas.address, to: theirs.address, valueRaw: ETHER }),
  ];
  await creditSentinel(world);
  assert.equal((await depositsOf(other.api)).length, 1);
  const alerts = await alertsOf(world.deps);
  const about = (kind: string) => alerts.filter((row) => row.kind === kind).map((it) => it.subject);
  assert.deepEqual(about("own_funds_moved"), outside);
  assert.deepEqual(about("foreign_spend"), outside);
  await audit({
    api,
    anvil,
    addresses: [mine.address],
    outside: { hashes: outside, receivedRaw: 0n },
  });
  await audit({
    api: other.api,
    anvil,
    addresses: [theirs.address],
    outside: { hashes: [], receivedRaw: 2n * ETHER },
  });
});

Deno.test("our own wallets' money isn't credited because somebody wrote that a withdrawal paid it", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, hotWallet } } = world;
  const theirs = await allocate((await world.addMerchant("Other")).api);
  sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  await anvil.rpc("anvil_impersonateAccount", [hotWallet]);
  const hash = await sendTx(anvil, {
    ...{ from: hotWallet, to: theirs.address, valueRaw: ETHER, gas: 21_000, isPooled: true },
  });
  const copy = async (table: string, change: Readonly<Record<string, string | number>>) => {
    const [row] = await deps.db.query(`SELECT * FROM ${table}`);
    const forged = { ...row!, id: 2, ...change };
    const sql = `INSERT INTO ${table} (${Object.keys(forged)})
VALUES (${Object.keys(forged).map(() => "?")})`;
    await deps.db.execute([{ sql, args: Object.values(forged) }]);
  };
  await copy("signed_transactions", { tx_hash: hash, is_live: 0 });
  await copy("signed_payments", { signed_id: 2, to_address: theirs.address });
  await anvil.mine(3);
  await world.round();
  const kinds = (await alertsOf(deps)).map(({ kind }) => kind);
  assert.ok(kinds.includes("own_funds_moved"), String(kinds));
  assert.deepEqual(
    await deps.db.query("SELECT id FROM transactions WHERE direction = 'deposit'"),
    [],
  );
});

Deno.test("a payment to a deposit address on another network is credited on neither (hazard 25)", async () => {
  await using anvil = await startAnvil();
  await using second = await startAnvil({ args: ["--chain-id", "31338"] });
  await using world = await startWorld({ anvil });
  const { api, accountId } = world.merchant;
  await makeNetwork(world.deps, { code: "BSC", rpcUrls: [second.url], chainId: "31338" });
  await enable(world.deps, { accountId, network: "BSC", currency: "ETH" });
  const onFirst = await allocate(api, { user: "same" });
  const onSecond = await allocate(api, { network: "BSC", user: "same" });
  assert.notEqual(onFirst.address, onSecond.address);
  await sendTx(second, { to: onFirst.address, valueRaw: ETHER });
  await sendTx(anvil, { to: onSecond.address, valueRaw: ETHER });
  await sendTx(second, { to: onSecond.address, valueRaw: 2n * ETHER });
  await second.mine(2);
  await depositWith(api, { status: "confirmed" });
  await creditSentinel(world);
  const rows = await depositsOf(api);
  assert.deepEqual(rows.map(({ network, to_address }) => [network, to_address]), [
    ["BSC", onSecond.address],
  ]);
  await audit({ api, anvil, addresses: [onFirst.address] });
  await audit({ api, anvil: second, network: "BSC", addresses: [onSecond.address] });
});

Deno.test("spec 2.3: a deposit below the minimum is credited and its events say so", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const token = await world.addToken();
  const { api } = world.merchant;
  const { address, requestId } = await allocate(api, { currency: "USDT", user: "small" });
  await token.send("mint", [address, 999_999n]);
  await token.send("mint", [address, 1_000_000n]);
  await anvil.mine(2);
  await eventually(() => depositsOf(api), {
    until: (rows) => rows.length === 2 && rows.every((row) => row.status === "confirmed"),
  });
  assert.equal((await requestOf(api, requestId)).status, "settled");
  for (const type of ["deposit.detected", "deposit.confirmed"]) {
    const reported = (await eventsOf(world.deps, type))
      .map(({ amount_decimal, below_minimum }) => [amount_decimal, below_minimum]);
    assert.deepEqual(reported.sort(), [["0.999999", true], ["1", false]]);
  }
  await audit({ api, anvil, addresses: [address], ...USDT(token.address) });
});

Deno.test("another known currency than requested is credited and listed, but in no deposit request", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const token = await world.addToken();
  const { api } = world.merchant;
  const given = [await allocate(api), await allocate(api, { user: "sticky" })];
  for (const { address } of given) await token.send("mint", [address, 5_000_000n]);
  await anvil.mine(2);
  await eventually(() => depositsOf(api), {
    until: (rows) => rows.length === 2 && rows.every((row) => row.status === "confirmed"),
  });
  for (const { requestId } of given) {
    const { status, transactions } = await requestOf(api, requestId);
    assert.deepEqual([status, transactions], ["active", []]);
  }
  assert.equal((await balanceOf(api, "USDT")).balance, "10");
  const addresses = given.map(({ address }) => address);
  await audit({ api, anvil, addresses, ...USDT(token.address) });
  await audit({ api, anvil, addresses });
  const events = await eventsOf(world.deps, "deposit.confirmed");
  assert.deepEqual(events.map(({ request_id }) => request_id), [null, null]);
});
