import assert from "node:assert/strict";
import { makeCli, type TestCli } from "../cli_host.ts";

const ASSET = ["--account", "1", "--network", "eth", "--currency", "eth"];
const OUTSIDE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

Deno.test("account list shows what account create answered", async () => {
  await using cli = await makeCli();
  const acme = await cli.json("account", "create", "--name", "Acme");
  const other = await cli.json("account", "create", "--name", "Überweg & Söhne");
  assert.deepEqual(Object.keys(acme), [
    ...["account_id", "name", "may_push"],
    ...["suspended", "suspended_reason", "suspended_at"],
    ...["cooling", "require_second_factor", "dual_control", "reporting", "quota_mb"],
    ...["delegate_native", "created_at"],
  ]);
  assert.equal(acme.account_id, 1);
  assert.match(acme.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  assert.deepEqual(await cli.json("account", "list"), [acme, other]);
});

Deno.test("account set decides whether an account's users may push its withdrawals", async () => {
  await using cli = await makeCli();
  const acme = await cli.json("account", "create", "--name", "Acme");
  assert.equal(acme.may_push, false);
  const changed = await cli.json("account", "set", "1", "--may-push", "on");
  assert.deepEqual(changed, { ...acme, may_push: true });
  assert.deepEqual(await cli.json("account", "list"), [changed]);
  assert.equal(await cli.fails(2, "account", "set", "1"), "account set: nothing to change");
  const unknown = await cli.fails(1, "account", "set", "9", "--may-push", "on");
  assert.equal(unknown, 'There is no account 9; "account list" lists them');
});

Deno.test("account set decides whether addresses that take native coins delegate too", async () => {
  await using cli = await makeCli();
  const acme = await cli.json("account", "create", "--name", "Acme");
  assert.equal(acme.delegate_native, false);
  const on = await cli.json("account", "set", "1", "--delegate-native", "on");
  assert.deepEqual(on, { ...acme, delegate_native: true });
  assert.deepEqual(await cli.json("account", "set", "1", "--delegate-native", "off"), acme);
});

Deno.test("account set chooses a reporting currency, and warns if there are no rates for it", async () => {
  await using cli = await makeCli();
  const acme = await cli.json("account", "create", "--name", "Acme");
  assert.equal(acme.reporting, null);
  const set = (symbol: string) => cli.run(["account", "set", "1", "--reporting", symbol, "--json"]);
  const { code, err, out } = await set("eur");
  assert.deepEqual([code, JSON.parse(out)], [0, { ...acme, reporting: "EUR" }]);
  assert.match(err, /^warning: no source of rates names EUR, so ledger entries get no value/);
  const price = ["--kind", "manual", "--value", "2500"];
  await cli.json("rate", "source", "add", "--base", "ETH", "--quote", "EUR", ...price);
  assert.equal((await set("EUR")).err, "");
  const off = await set("off");
  assert.deepEqual([JSON.parse(off.out), off.err], [acme, ""]);
  assert.match(await cli.fails(2, "account", "set", "1", "--reporting", "€"), /a currency or off/);
});

Deno.test("account enable switches both on by default, and keeps the hot wallet", async () => {
  await using cli = await makeAccount();
  const enabled = await cli.json("account", "enable", ...ASSET);
  assert.match(enabled.hot_wallet, /^0x[0-9a-fA-F]{40}$/);
  assert.deepEqual(enabled, {
    account_id: 1,
    network: "ETH",
    currency: "ETH",
    deposit_enabled: true,
    withdrawal_enabled: true,
    deposit_off_by_operator: false,
    withdrawal_off_by_operator: false,
    hot_wallet: enabled.hot_wallet,
    to_fund: `Payouts are made from the hot wallet ${enabled.hot_wallet}: send it ETH to pay out ` +
      "and for network fees",
    warning: "Withdrawals are free of charge; each costs a network fee",
  });
  const changed = await cli.json("account", "enable", ...ASSET, "--withdrawal", "off");
  assert.deepEqual(changed, {
    ...enabled,
    withdrawal_enabled: false,
    to_fund: null,
    warning: null,
    withdrawal_off_by_operator: true,
  });
  assert.equal(
    await cli.fails(1, "account", "enable", "--account", "9", ...ASSET.slice(2)),
    'There is no account 9; "account list" lists them',
  );
  assert.equal(
    await cli.fails(1, "account", "enable", ...ASSET.slice(0, 4), "--currency", "X"),
    'ETH has no currency X; "currency list --network ETH" lists them',
  );
});

Deno.test("account adjust adds and subtracts, even below zero, to the last digit", async () => {
  await using cli = await makeAccount();
  const adjust = (amount: string) => [
    ...["account", "adjust", ...ASSET, "--amount", amount, "--note", "test"],
  ];
  assert.deepEqual(await cli.json(...adjust("100.50")), {
    account_id: 1,
    network: "ETH",
    currency: "ETH",
    balance: "100.5",
    held: "0",
    available: "100.5",
  });
  assert.equal((await cli.json(...adjust("-2.5"))).balance, "98");
  const below = adjust("-98.000000000000000001");
  assert.equal(
    await cli.fails(1, ...below),
    "Account 1 has 98 ETH available on ETH, and -98.000000000000000001 would leave " +
      "-0.000000000000000001; if that is right, --allow-negative books it",
  );
  assert.equal((await cli.json(...below, "--allow-negative")).available, "-0.000000000000000001");
  assert.equal((await cli.json(...adjust("0.5"))).balance, "0.499999999999999999");
  assert.equal(await cli.fails(2, ...adjust("0")), "--amount 0 changes nothing");
  assert.match(await cli.fails(2, "account", "adjust", ...ASSET, "--amount", "1"), /needs --note/);
});

Deno.test("account adjust with a reference books once and then returns the first entry", async () => {
  await using cli = await makeAccount();
  await cli.json("account", "create", "--name", "Other");
  const adjust = (amount: string, ...more: string[]) => [
    ...["account", "adjust", ...ASSET, "--amount", amount, "--note", "test", ...more],
  ];
  const first = await cli.json(...adjust("5", "--reference", "float"));
  assert.equal((await cli.json(...adjust("1"))).balance, "6");
  assert.deepEqual(await cli.json(...adjust("5.0", "--reference", "float")), first);
  const again = await cli.run(adjust("5", "--reference", "float"));
  assert.equal(again.err, '"float" was booked before, so nothing was booked now.\n');
  assert.match(
    await cli.fails(1, ...adjust("-5", "--reference", "float")),
    /^The reference "float" was already used for 5 ETH on ETH at 20\S+: use another reference/,
  );
  assert.equal((await cli.json(...adjust("0.5", "--reference", "more"))).balance, "6.5");
  const other = ["account", "adjust", "--account", "2", ...ASSET.slice(2), "--note", "test"];
  const booked = await cli.json(...other, "--amount", "7", "--reference", "float");
  assert.equal(booked.balance, "7");
});

Deno.test("account adjust warns if the same entry was booked a moment ago", async () => {
  await using cli = await makeAccount();
  const adjust = (amount: string, note: string) => [
    ...["account", "adjust", ...ASSET, "--amount", amount, "--note", note],
  ];
  assert.equal((await cli.run(adjust("5", "float"))).err, "");
  assert.equal((await cli.run(adjust("5", "another"))).err, "");
  assert.equal((await cli.run(adjust("6", "another"))).err, "");
  const { err, out } = await cli.run(adjust("6.0", "another"));
  assert.match(err, /^warning: the same entry was booked less than a minute ago[^\n]*\n$/);
  assert.match(out, /22/);
});

Deno.test("account receiving-wallet stores the canonical address, and none of our own", async () => {
  await using cli = await makeAccount();
  const set = ["account", "receiving-wallet", "--account", "1", "--network", "ETH", "--address"];
  assert.deepEqual(await cli.json(...set, OUTSIDE.toLowerCase()), {
    account_id: 1,
    network: "ETH",
    address: OUTSIDE,
    next_address: null,
    next_at: null,
  });
  const { hot_wallet } = await cli.json("account", "enable", ...ASSET);
  assert.equal(
    await cli.fails(1, ...set, hot_wallet),
    `${hot_wallet} is one of this gateway's own hot addresses`,
  );
  assert.equal(
    await cli.fails(1, ...set, "0x12"),
    '"0x12" is not an address of ETH, or its checksum is wrong',
  );
});

Deno.test("a changed receiving wallet waits a day, or as long as account set says, unless --now", async () => {
  await using cli = await makeAccount();
  const set = ["account", "receiving-wallet", "--account", "1", "--network", "ETH"];
  const next = "0x52908400098527886E0F7030069857D2E4169EE7";
  const waits = async () => {
    const beforeS = Math.floor(Date.now() / 1000);
    const row = await cli.json(...set, "--address", next);
    assert.deepEqual([row.address, row.next_address], [OUTSIDE, next]);
    return Date.parse(row.next_at) / 1000 - beforeS;
  };
  await cli.json(...set, "--address", OUTSIDE);
  assert.ok(await waits() >= 86_400);
  const kept = await cli.json(...set, "--cancel");
  assert.deepEqual([kept.address, kept.next_address, kept.next_at], [OUTSIDE, null, null]);
  assert.match(await cli.fails(1, ...set, "--cancel"), /receiving wallet on ETH is waiting$/);
  assert.equal((await cli.json("account", "list"))[0].cooling, "24h");
  assert.equal((await cli.json("account", "set", "1", "--cooling", "3d")).cooling, "3d");
  assert.ok(await waits() >= 3 * 86_400);
  const now = await cli.json(...set, "--address", next, "--now");
  assert.deepEqual([now.address, now.next_address, now.next_at], [next, null, null]);
  for (const wrong of [[], ["--cancel", "--now"], ["--address", next, "--cancel"]]) {
    assert.match(await cli.fails(2, ...set, ...wrong), /needs either --address or --cancel/);
  }
  for (const wrong of ["1", "-1h", "1.5h", "31d", "24 h"]) {
    assert.match(await cli.fails(2, "account", "set", "1", "--cooling", wrong), /such as 30s/);
  }
});

Deno.test("account receiving-wallet refuses an address that nobody can spend from", async () => {
  await using cli = await makeAccount();
  const token = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
  await cli.json(
    ...["currency", "add", "--network", "ETH", "--symbol", "USDT", "--name", "Tether USD"],
    ...["--decimals", "6", "--contract", token],
  );
  await cli.json(
    ...["network", "add", "--code", "TRX", "--family", "tron", "--rpc-url", "http://127.0.0.1:1"],
    ...["--min-confirmations", "19", "--chain-id", "728126428", "--start-block", "0"],
  );
  const set = (network: string, address: string) => [
    ...["account", "receiving-wallet", "--account", "1"],
    ...["--network", network, "--address", address],
  ];
  const nobody = `0x${"0".repeat(40)}`;
  const lost = "what is sent there is lost";
  const refusals = [
    ["ETH", nobody, `${nobody} belongs to nobody: ${lost}`],
    ["ETH", token.toLowerCase(), `${token} is the contract of USDT itself: ${lost}`],
    [
      "TRX",
      "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb",
      `T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb belongs to nobody: ${lost}`,
    ],
  ] as const;
  for (const [network, address, message] of refusals) {
    assert.equal(await cli.fails(1, ...set(network, address)), message);
  }
});

/** With a network whose node is never asked. */
async function makeAccount(): Promise<TestCli> {
  const cli = await makeCli();
  await cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--rpc-url", "http://127.0.0.1:1"],
    ...["--min-confirmations", "12", "--chain-id", "5", "--start-block", "0"],
  );
  await cli.json("account", "create", "--name", "Acme");
  return cli;
}
