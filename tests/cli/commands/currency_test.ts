import assert from "node:assert/strict";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { makeTransaction } from "../../store/reads/make_rows.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { makeCli, type TestCli } from "../cli_host.ts";

const NAMED = ["--network", "eth", "--symbol", "USDT", "--name", "Tether USD"];

Deno.test("currency add checks the decimals with the token itself", async () => {
  await using anvil = await startAnvil();
  const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  await using cli = await makeCli();
  await addNetwork(cli, anvil.url);
  const args = ["currency", "add", ...NAMED, "--contract", token.address.toLowerCase()];
  assert.equal(
    await cli.fails(1, ...args, "--decimals", "18"),
    `USDT at ${token.address} has 6 decimals on its chain, not 18`,
  );
  const added = await cli.json(
    ...args,
    ...["--decimals", "6", "--min-deposit", "1", "--min-withdrawal", "5.0"],
    ...["--fee-flat", "0.10", "--fee-percent", "0.5"],
  );
  assert.deepEqual(added, {
    network: "ETH",
    currency: "USDT",
    name: "Tether USD",
    native_rate: null,
    gas_max: 300_000,
    sweep_min_amount: "0",
    is_token: true,
    contract_address: token.address,
    decimals: 6,
    min_deposit_amount: "1",
    min_withdrawal_amount: "5",
    withdrawal_fee_flat: "0.1",
    withdrawal_fee_percent: "0.5",
    active: true,
    warning: null,
  });
  assert.equal(
    await cli.fails(1, "currency", "set", ...NAMED, "--gas-max", "0"),
    "Every payment in USDT runs its contract, so a gas limit of 0 would block them all",
  );
  assert.equal(
    await cli.fails(1, "currency", "set", ...NAMED, "--min-deposit", "0.0000001"),
    "USDT has 6 decimals, so a minimum deposit of 0.0000001 is too precise: the least is 0.000001",
  );
  assert.match(
    await cli.fails(1, ...args, "--decimals", "6", "--sweep-min", "0.0000001"),
    /^USDT has 6 decimals, so a minimum sweep of/,
  );
  const [native, listed] = await cli.json("currency", "list");
  assert.deepEqual(listed, added);
  assert.deepEqual(Object.keys(native), Object.keys(added));
  assert.match(await cli.fails(1, ...args, "--decimals", "6"), /^ETH already has USDT/);
});

Deno.test("contract 1: a symbol that differs from a known one only in case is refused", async () => {
  await using cli = await makeCli();
  const offline = ["--family", "evm", "--min-confirmations", "9", "--start-block", "0"];
  const network = (code: string, symbol: string, chain: string) => [
    ...["network", "add", "--code", code, ...offline, "--chain-id", chain],
    ...["--native-symbol", symbol, "--rpc-url", "http://127.0.0.1:9"],
  ];
  const token = (symbol: string) => [
    ...["currency", "add", "--network", "TWO", "--symbol", symbol, "--name", "Free"],
    ...["--decimals", "6", "--contract", `0x${"22".repeat(20)}`],
  ];
  await cli.json(...network("ONE", "FREE", "111"));
  const said = "free would be the same currency as FREE, which another network has already: " +
    "symbols are compared without case";
  assert.equal(await cli.fails(1, ...network("TWO", "free", "222")), said);
  await cli.json(...network("TWO", "TWO", "222"));
  assert.equal(await cli.fails(1, ...token("free")), said);
  const added = await cli.json(...token("FREE"));
  assert.equal(added.currency, "FREE");
});

Deno.test("without an answer from the token it is added with a warning", async () => {
  await using cli = await makeCli();
  {
    await using anvil = await startAnvil();
    await addNetwork(cli, anvil.url);
    const nobody = await cli.run(
      ["currency", "add", ...NAMED, "--decimals", "6", "--contract", `0x${"11".repeat(20)}`],
    );
    assert.equal(nobody.code, 0);
    assert.match(nobody.err, /^warning: no token answers at 0x1{40}; the decimals of USDT are/);
  }
  const dead = await cli.run(
    [
      ...["currency", "add", "--network", "ETH", "--symbol", "DAI", "--name", "Dai"],
      ...["--decimals", "18", "--contract", `0x${"22".repeat(20)}`],
    ],
  );
  assert.equal(dead.code, 0);
  assert.match(dead.err, /^warning: Nothing answers at .* The decimals of DAI are not checked\n$/);
  assert.equal((await cli.json("currency", "list")).length, 3);
});

Deno.test("a wrong or unchecked token can be corrected until something is paid in it", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  await addNetwork(cli, anvil.url);
  const { address } = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  const typo = ["--decimals", "18", "--contract", `0x${"11".repeat(20)}`];
  await cli.run(["currency", "add", ...NAMED, ...typo]);
  const set = ["currency", "set", "--network", "ETH", "--symbol", "USDT"];
  assert.equal(
    await cli.fails(1, ...set, "--contract", address),
    `USDT at ${address} has 6 decimals on its chain, not 18`,
  );
  const right = await cli.json(...set, "--contract", address, "--decimals", "6");
  assert.deepEqual([right.contract_address, right.decimals], [address, 6]);
  assert.match(
    await cli.fails(1, "currency", "set", "--network", "ETH", "--symbol", "ETH", "--decimals", "6"),
    /^ETH is the native coin of ETH and has no contract$/,
  );
  await cli.json("account", "create", "--name", "Acme");
  const { deps, close } = await openGateway(readConfig(cli.env));
  await deps.db.write({
    reads: [],
    decide: (view) => {
      const { id: _, ...row } = makeTransaction({ id: 0, currency: "USDT", network: "ETH" });
      view.insert(Transactions, row);
    },
  });
  await close();
  assert.match(
    await cli.fails(1, ...set, "--contract", `0x${"22".repeat(20)}`),
    /^USDT on ETH has transactions, so its contract and decimals cannot change/,
  );
});

Deno.test("a second native coin, a wrong address and an unknown network are refused", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  await addNetwork(cli, anvil.url);
  const add = ["currency", "add", ...NAMED, "--decimals", "6"];
  assert.equal(await cli.fails(1, ...add), "ETH already has ETH as its native coin");
  assert.equal(
    await cli.fails(1, ...add, "--contract", "0xdAC17F958D2ee523a2206206994597C13D831eC7"),
    '"0xdAC17F958D2ee523a2206206994597C13D831eC7" is not an address of ETH, or its checksum is wrong',
  );
  assert.match(
    await cli.fails(
      1,
      ...["currency", "add", "--network", "X", "--symbol", "A", "--name", "A", "--decimals", "6"],
    ),
    /^There is no network X/,
  );
});

Deno.test("currency set changes only what is named", async () => {
  await using anvil = await startAnvil();
  await using cli = await makeCli();
  await addNetwork(cli, anvil.url);
  const [before] = await cli.json("currency", "list");
  const set = ["currency", "set", "--network", "ETH", "--symbol", "eth"];
  const changed = await cli.json(...set, "--min-withdrawal", "0.01", "--fee-percent", "100");
  assert.deepEqual(changed, {
    ...before,
    min_withdrawal_amount: "0.01",
    withdrawal_fee_percent: "100",
    warning: null,
  });
  assert.deepEqual(await cli.json("currency", "list"), [changed]);
  assert.deepEqual(await cli.json(...set, "--active", "off"), { ...changed, active: false });
  assert.equal(before.gas_max, 100_000);
  assert.equal((await cli.json(...set, "--gas-max", "0")).gas_max, 0);
  assert.match(await cli.fails(2, ...set, "--gas-max", "30000001"), /from 0 to 30000000/);
  assert.equal(await cli.fails(2, ...set), "currency set: nothing to change");
  assert.match(
    await cli.fails(1, "currency", "set", "--network", "ETH", "--symbol", "X", "--active", "on"),
    /^ETH has no currency X/,
  );
});

async function addNetwork(cli: TestCli, url: string): Promise<void> {
  await cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--rpc-url", url],
    ...["--min-confirmations", "3"],
  );
}
