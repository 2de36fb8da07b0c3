import assert from "node:assert/strict";
import { connectEvm } from "../../../src/chains/evm/mod.ts";
import { COIN_LOGS } from "../../../src/chains/evm/blocks/coin_logs.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { audit } from "../../support/auditor.ts";
import { onlyDeposit } from "../../support/deposits.ts";
import { type Anvil, type Reply, startAnvil } from "../../support/nodes/anvil.ts";
import { type Contract, deploy } from "../../support/nodes/contracts.ts";
import { makeWallet, makeWatch } from "../../support/nodes/evm_wallet.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { isTraceCall } from "../../support/nodes/tracing_nodes.ts";
import { ETHER } from "../../support/payers.ts";
import { alertsOf, allocate, balanceOf, depositsOf } from "../../support/views.ts";
import { startWorld } from "../../support/world.ts";

const BY_HAND = { CPG_WORKER: "false" };

const TOKEN_CALLS = ["eth_getLogs", "eth_getTransactionReceipt", "eth_getBlockReceipts"];

interface Payers {
  readonly inner: Contract;
  readonly lender: Contract;
  readonly disperse: Contract;
}

async function deployPayers(anvil: Anvil): Promise<Payers> {
  return {
    inner: await deploy(anvil, { name: "Inner" }),
    lender: await deploy(anvil, { name: "Inner" }),
    disperse: await deploy(anvil, { name: "Disperse" }),
  };
}

/** Each way in which contracts move coins to an address, or only seem to. */
const WAYS: Readonly<Record<string, (payers: Payers, to: string) => Promise<unknown>>> = {
  "several at once": ({ disperse }, to) =>
    disperse.send("ether_", [[to, makeWallet(9).address, to], [1n, 2n, 3n]], { valueRaw: 6n }),
  "a contract that destroys itself": ({ inner }, to) =>
    inner.send("bomb", [to, 5n], { valueRaw: 5n }),
  "a payment taken back, then another": ({ inner }, to) =>
    inner.send("payInVainThen", [to, 70n, 7n], { valueRaw: 70n }),
  "another's code": ({ inner, lender }, to) =>
    inner.send("lend", [lender.address, to, 8n], { valueRaw: 8n }),
  "after a precompile": ({ inner }, to) => inner.send("payChecked", [to, 9n], { valueRaw: 9n }),
  "all of it taken back": ({ inner }, to) =>
    inner.send("payAndFail", [to, 10n], { valueRaw: 10n, gas: 200_000 }),
};

Deno.test("logs of coins show the same payments under the same numbers as traces do", async () => {
  const to = makeWallet(1).address;
  const found = [];
  for (const rules of ["today", "amsterdam"] as const) {
    await using anvil = await startAnvil({ rules });
    const payers = await deployPayers(anvil);
    const chain = connectEvm({ rpcUrls: [anvil.url] });
    const seen: Record<string, unknown> = {};
    for (const [name, pay] of Object.entries(WAYS)) {
      await pay(payers, to);
      const { height } = await chain.tip();
      const watch = makeWatch([to], [], { traces: rules === "today" });
      const [block] = await chain.readBlocks({ from: height, to: height }, watch);
      seen[name] = block!.transfers.map(({ position, amountRaw }) => [position, amountRaw]);
    }
    found.push(seen);
  }
  const [traced, logged] = found;
  assert.deepEqual(logged, traced);
  assert.deepEqual(logged!["several at once"], [[-3, 1n], [-5, 3n]]);
});

Deno.test("coins sent by contracts are credited by their logs, once, and no traces are needed", async () => {
  await using anvil = await startAnvil({ rules: "amsterdam" });
  await using world = await startWorld({ anvil, env: BY_HAND });
  const payers = await deployPayers(anvil);
  const { api } = world.merchant;
  const { address } = await allocate(api);
  for (const pay of Object.values(WAYS)) await pay(payers, address);
  await anvil.rpc("eth_sendTransaction", [{ from: anvil.accounts[0], to: address, value: "0x65" }]);
  await anvil.mine(3);
  await world.round();
  const amounts = (await depositsOf(api)).map((row) => BigInt(row.amount_decimal.slice(2)));
  assert.deepEqual(amounts.toSorted((a, b) => Number(a - b)), [1n, 3n, 5n, 7n, 8n, 9n, 101n]);
  await world.restart();
  const again = { network: "ETH", fromBlock: 1, toBlock: undefined, actor: "test" };
  assert.equal((await rescan(world.deps, again)).found, 0);
  await audit({ api, anvil, addresses: [address] });
  assert.deepEqual([await alertsOf(world.deps), world.faults], [[], []]);
});

Deno.test("a chain that begins to log coins while it is followed goes on without a restart", async () => {
  await using anvil = await startAnvil({ rules: "amsterdam" });
  let forkAt = Infinity;
  await using proxy = await startFaultProxy(anvil.url, (method) => {
    if (!TOKEN_CALLS.includes(method)) return "pass";
    return { edit: (reply) => withoutCoins(reply, forkAt) };
  });
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], env: BY_HAND });
  const { disperse } = await deployPayers(anvil);
  const { api } = world.merchant;
  const { address } = await allocate(api);
  const pay = async (amountRaw: bigint) => {
    await disperse.send("ether_", [[address], [amountRaw]], { valueRaw: amountRaw });
    await anvil.mine(3);
    await world.round();
  };
  await pay(ETHER);
  assert.deepEqual(await depositsOf(api), []);
  forkAt = 1 + Number(await anvil.rpc("eth_blockNumber"));
  await pay(2n * ETHER);
  assert.equal((await onlyDeposit(api)).amount_decimal, "2");
  const asked = () => proxy.bodies.flat().filter(isTraceCall).length;
  const before = asked();
  await pay(3n * ETHER);
  assert.equal((await balanceOf(api)).balance, "5");
  assert.equal(asked(), before);
  assert.deepEqual(world.faults, []);
});

Deno.test("logs of coins that don't agree with the balances credit nothing", async () => {
  await using anvil = await startAnvil({ rules: "amsterdam" });
  await using proxy = await startFaultProxy(
    anvil.url,
    (method) => TOKEN_CALLS.includes(method) ? { edit: doubled } : "pass",
  );
  await using world = await startWorld({ anvil, rpcUrls: [proxy.url], env: BY_HAND });
  const { disperse } = await deployPayers(anvil);
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  await anvil.mine(3);
  await world.round();
  assert.deepEqual(await depositsOf(api), []);
  proxy.onCall = () => "pass";
  await disperse.send("ether_", [[address], [ETHER]], { valueRaw: ETHER });
  await anvil.mine(3);
  await world.round();
  assert.equal((await balanceOf(api)).balance, "1");
});

function withoutCoins(reply: Reply, forkAt: number): Reply {
  const isShown = (log: Reply) => !isOfCoins(log) || Number(log.blockNumber) >= forkAt;
  return withLogs(reply, (logs) => logs.filter(isShown));
}

/** What contracts pay; what a transaction carries itself stays as it is. */
function doubled(reply: Reply): Reply {
  return withLogs(reply, (logs) =>
    logs.map((log, i) => {
      if (!isOfCoins(log) || i === 0) return log;
      return { ...log, data: `0x${(2n * BigInt(log.data)).toString(16).padStart(64, "0")}` };
    }));
}

function isOfCoins({ address }: Reply): boolean {
  return address.toLowerCase() === COIN_LOGS.toLowerCase();
}

function withLogs(reply: Reply, change: (logs: Reply[]) => Reply[]): Reply {
  const { result } = reply;
  if (!result) return reply;
  if (!Array.isArray(result)) return { ...reply, result: { ...result, logs: change(result.logs) } };
  const areReceipts = result.some((one) => one.logs);
  const changed = areReceipts
    ? result.map((one) => ({ ...one, logs: change(one.logs) }))
    : change(result);
  return { ...reply, result: changed };
}
