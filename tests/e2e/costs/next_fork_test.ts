import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { deployCollector, planDeployment } from "../../../src/collectors/deploy.ts";
import { setCurrency } from "../../../src/networks/currencies.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { measureWallets } from "../../../src/wallets/measure.ts";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { makeWallet } from "../../support/nodes/evm_wallet.ts";
import { ETHER } from "../../support/payers.ts";
import {
  auditPayer,
  receivedBy,
  rejectedId,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
} from "../../support/payouts.ts";
import {
  assertNoFaults,
  auditSweeps,
  depositStates,
  fundGasWallet,
  payIn,
  RECEIVER,
  startSweepingWorld,
} from "../../support/sweeping.ts";
import { alertsOf, allocate, transactionsOf, withdraw } from "../../support/views.ts";

/**
 * Amsterdam's rules: an address's first coins and a token's first holder cost several times more
 * than what is paid again.
 */
const NEXT = { rules: "amsterdam" } as const;

Deno.test("Amsterdam: coins and tokens of new customers are swept one by one, first to unused wallets", async () => {
  await using anvil = await startAnvil(NEXT);
  await using world = await startSweepingWorld({ anvil });
  const token = await world.addToken();
  await fundGasWallet(world);
  const { api } = world.merchant;
  const coins = await allocate(api);
  const tokens = await allocate(api, { currency: "USDT" });
  await payIn(world, { to: coins.address, raw: ETHER });
  await payIn(world, { to: tokens.address, raw: 5_000_000n, token });
  await world.turn(5);
  assert.deepEqual(await depositStates(world), ["swept", "swept"]);
  assert.equal(await token.read("balanceOf", [RECEIVER]), 5_000_000n);
  const gasTopUps = await transactionsOf(api, "&direction=gas_topup");
  assert.deepEqual(gasTopUps.map(({ status }) => status), ["confirmed"]);
  assert.deepEqual(await alertsOf(world.deps), []);
  await auditSweeps(world, {
    addresses: [coins.address, tokens.address],
    tokens: { USDT: token },
  });
  assertNoFaults(world);
});

Deno.test("Amsterdam: many addresses are emptied by one transaction, for the first time and again", async () => {
  await using anvil = await startAnvil(NEXT);
  await using world = await startSweepingWorld({ anvil });
  const { deps, merchant: { api, accountId } } = world;
  const token = await world.addToken();
  await fundGasWallet(world);
  const plan = await planDeployment(deps, await findNetwork(deps, "ETH"));
  assert.ok(plan.kind === "new");
  await deployCollector(deps, { deploying: plan.deploying, actor: "test" });
  await world.turn(4);
  await setNetwork(deps, { code: "ETH", change: { collect: "batch" }, actor: "test" });
  await setAccount(deps, { id: accountId, change: { delegatesNative: true }, actor: "test" });
  const addresses: string[] = [];
  for (let i = 0; i < 5; i++) {
    addresses.push((await allocate(api, { currency: "USDT", user: `customer ${i}` })).address);
  }
  for (const time of [1n, 2n]) {
    for (const to of addresses) await payIn(world, { to, raw: 5_000_000n, token });
    await world.turn(5);
    assert.equal(await token.read("balanceOf", [RECEIVER]), time * 25_000_000n);
  }
  const sweeps = await transactionsOf(api, "&direction=sweep");
  assert.equal(new Set(sweeps.map(({ tx_hash: hash }) => hash)).size, 2);
  assert.deepEqual(await transactionsOf(api, "&direction=gas_topup"), []);
  assert.deepEqual(await alertsOf(deps), []);
  assertNoFaults(world);
});

Deno.test("Amsterdam: unused addresses and new holders of a token are paid, and wallets measured", async () => {
  await using anvil = await startAnvil(NEXT);
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, hotWallet } } = world;
  const unused = makeWallet(1_234).address;
  const ids = [
    sentId(await withdraw(api, { to: unused, amount: "1" })),
    sentId(await withdraw(api, { to: unused, amount: "2" })),
  ];
  await settleAll(world);
  for (const id of ids) assert.equal(await statusOf(api, id), "confirmed");
  assert.equal(await receivedBy(anvil, unused), 3n * ETHER);
  const metrics = createGatewayMetrics();
  await measureWallets(deps, { network: await findNetwork(deps, "ETH"), metrics });
  const left = await anvil.rpc("eth_getBalance", [hotWallet, "latest"]);
  const shown = metrics.text().match(/^cpg_hot_wallet_balance\{.*\} (.*)$/m)![1]!;
  assert.equal(Number(shown), Number(BigInt(left)) / 1e18);
  await auditPayer(world);
});

Deno.test("Amsterdam: what a new holder costs counts for --fee-max, and what code costs for --gas-max", async () => {
  await using anvil = await startAnvil(NEXT);
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId, api, hotWallet } } = world;
  const token = await world.addToken();
  await token.send("mint", [hotWallet, 1_000_000_000n]);
  const float = { accountId, network: "ETH", currency: "USDT", amount: "1000" };
  await adjustBalance(deps, { ...float, note: "float", actor: "test" });
  const holder = makeWallet(1_235).address;
  const pay = (to: string) => withdraw(api, { to, amount: "10", currency: "USDT" });
  sentId(await pay(holder));
  await settleAll(world);
  const limit = async (feeMax: number) => {
    const change = { feeMax: feeMax.toFixed(18) };
    await setNetwork(deps, { code: "ETH", change, actor: "test" });
  };
  const feeTo = async (to: string) => {
    const { error_message: message } = (await pay(to)).body.data;
    return Number(/^The fee could reach (\S+) ETH/.exec(message)![1]);
  };
  await limit(1e-9);
  const again = await feeTo(holder);
  await limit(2 * again);
  const first = await feeTo(makeWallet(1_236).address);
  assert.ok(first > 3 * again, `${first} and ${again}`);
  sentId(await pay(holder));

  await limit(1);
  const change = { gasMax: 1_000 };
  await setCurrency(deps, { network: "ETH", symbol: "ETH", change, actor: "test" });
  const hungry = await deploy(anvil, { name: "Hungry" });
  rejectedId(await withdraw(api, { to: hungry.address, amount: "1" }));
  sentId(await withdraw(api, { to: makeWallet(1_237).address, amount: "1" }));
});
