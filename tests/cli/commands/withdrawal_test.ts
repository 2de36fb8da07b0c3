import assert from "node:assert/strict";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { makeCli, type TestCli } from "../cli_host.ts";

const OUTSIDE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const ASSET = ["--account", "1", "--network", "ETH", "--currency", "ETH"];

Deno.test("withdrawal list shows the status-read shape with its owner, newest first", async () => {
  await using cli = await makePayer(["1", "2.5"]);
  const [second, first] = await cli.json("withdrawal", "list");
  assert.deepEqual(second, {
    id: 2,
    currency: "ETH",
    network: "ETH",
    to_address: OUTSIDE,
    amount: "2.5",
    fee: "0",
    status: "pending",
    tx_hash: null,
    error_message: null,
    requested_at: second.requested_at,
    broadcast_at: null,
    confirmed_at: null,
    account_id: 1,
    client_reference: "w2",
    why_unsigned: null,
    revoking: false,
  });
  assert.equal(first.id, 1);
  assert.deepEqual(await cli.json("withdrawal", "list", "--status", "pending"), [second, first]);
  assert.deepEqual(await cli.json("withdrawal", "list", "--reference", "w1"), [first]);
  assert.deepEqual(await cli.json("withdrawal", "list", "--reference", "w"), []);
  assert.deepEqual(await cli.json("withdrawal", "list", "--status", "failed"), []);
  for (const account of [[], ["--account", "1"]]) {
    const list = (...flags: string[]) => cli.json("withdrawal", "list", ...account, ...flags);
    for (
      const [flag, some, none] of [
        ["--network", "eth", undefined],
        ["--currency", "eth", "USDT"],
        ["--to-address", OUTSIDE.toLowerCase(), "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65"],
        ["--from", "2000-01-01", "2999-01-01"],
        ["--until", "2999-01-01", "2000-01-01"],
        ["--invoice", undefined, "7"],
      ] as const
    ) {
      if (some !== undefined) assert.deepEqual(await list(flag, some), [second, first], flag);
      if (none !== undefined) assert.deepEqual(await list(flag, none), [], flag);
    }
  }
  const unknown = await cli.fails(1, "withdrawal", "list", "--network", "BSC");
  assert.match(unknown, /no network BSC/);
});

Deno.test("withdrawal show says of one what the list says, and the table has its reference", async () => {
  await using cli = await makePayer(["1", "2.5"]);
  const [second, first] = await cli.json("withdrawal", "list");
  assert.deepEqual(await cli.json("withdrawal", "show", "1"), first);
  assert.deepEqual(await cli.json("withdrawal", "show", "2"), second);
  assert.equal(await cli.fails(1, "withdrawal", "show", "9"), "There is no withdrawal 9");
  assert.equal(await cli.fails(2, "withdrawal", "show", "w1"), '"w1" is not a withdrawal id');
  const { out } = await cli.run(["withdrawal", "show", "1"]);
  assert.match(out, /^amount: +1$/m);
  assert.match(out, /^reference: +w1$/m);
  const help = (await cli.run(["help", "withdrawal", "list"])).out;
  assert.match(help, /withdrawal list --reference order-7$/m, "its help says how one is found");
  const table = (await cli.run(["withdrawal", "list"])).out;
  assert.match(table, / STATUS {3}REFERENCE /);
  assert.match(table, / pending {2}w2 /);
});

Deno.test("a list that was cut says so beside the answer", async () => {
  await using cli = await makePayer(["1", "2"]);
  const { out, err } = await cli.run(["withdrawal", "list", "--limit", "1", "--json"]);
  assert.equal(JSON.parse(out).length, 1);
  assert.equal(err, "Showing the newest 1; --limit shows more\n");
  const narrow = { isTerminal: true, screen: { columns: 30, hasColours: false } };
  const onScreen = await cli.run(["withdrawal", "list", "--limit", "1"], narrow);
  assert.equal(onScreen.err, "Showing the newest 1; --limit\nshows more\n");
});

Deno.test("withdrawal cancel releases the money once, and refuses finished ones", async () => {
  await using cli = await makePayer(["4"]);
  const held = async () =>
    (await cli.json("account", "adjust", ...ASSET, "--amount", "1", "--note", "look")).held;
  assert.equal(await held(), "4");
  const cancelled = await cli.json("withdrawal", "cancel", "1");
  assert.equal(cancelled.status, "cancelled");
  assert.deepEqual(await cli.json("withdrawal", "list"), [cancelled]);
  assert.equal(await held(), "0");
  assert.equal(
    await cli.fails(1, "withdrawal", "cancel", "1"),
    "Cannot cancel withdrawal 1: it is cancelled",
  );
  assert.equal(await cli.fails(1, "withdrawal", "cancel", "9"), "There is no withdrawal 9");
  assert.equal(await cli.fails(2, "withdrawal", "cancel", "x"), '"x" is not a withdrawal id');
});

Deno.test("contract 1: withdrawal list says what holds back an unsigned payout, which can be cancelled", async () => {
  await using cli = await makePayer(["4"]);
  const why = async () => (await cli.json("withdrawal", "list"))[0].why_unsigned;
  const enable = (to: string) => cli.json("account", "enable", ...ASSET, "--withdrawal", to);
  await enable("off");
  assert.equal(await why(), "Payouts of ETH on ETH are switched off for the account");
  await cli.json("network", "set", "ETH", "--active", "off");
  assert.equal(await why(), "ETH is switched off");
  await cli.json("stop");
  assert.equal(await why(), "Nothing is signed until an operator resumes; ETH is switched off");
  const cancelled = await cli.json("withdrawal", "cancel", "1");
  assert.deepEqual([cancelled.status, cancelled.why_unsigned], ["cancelled", null]);
});

/** An account with 10 coins and these withdrawals, of which nobody signs any. */
async function makePayer(amounts: readonly string[]): Promise<TestCli> {
  const cli = await makeCli();
  await cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--rpc-url", "http://127.0.0.1:1"],
    ...["--min-confirmations", "12", "--chain-id", "5", "--start-block", "0"],
  );
  await cli.json("account", "create", "--name", "Acme");
  await cli.json("account", "enable", ...ASSET);
  await cli.json("account", "adjust", ...ASSET, "--amount", "10", "--note", "start");
  const key = ["key", "create", "--account", "1", "--label", "k", "--permissions", "all"];
  const { key_id: keyId } = await cli.json(...key);
  const gateway = await openGateway(readConfig(cli.env));
  for (const [i, amount] of amounts.entries()) {
    await createWithdrawal(gateway.deps, {
      caller: { accountId: 1, keyId, signature: `${i}`, signatureExpiresAtMs: 0 },
      network: "ETH",
      currency: "ETH",
      toAddress: OUTSIDE,
      amount,
      clientReference: `w${i + 1}`,
    });
  }
  await gateway.close();
  return cli;
}
