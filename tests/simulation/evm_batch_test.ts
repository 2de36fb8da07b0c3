import assert from "node:assert/strict";
import { batchCall, delegatedOverrides } from "../../src/chains/evm/collector/batch.ts";
import { NOBODY } from "../../src/chains/evm/collector/delegation.ts";
import { initCode } from "../../src/chains/evm/collector/deployment.ts";
import type { SignedAuthorization } from "../../src/chains/evm/transfers/unsigned.ts";
import {
  CHAIN_ID,
  makeWallets,
  signAny,
  signFrom,
  startScene,
} from "../chains/evm/collector/scene.ts";
import { deploy } from "../support/nodes/contracts.ts";
import { fund, makeWallet } from "../support/nodes/evm_wallet.ts";
import { EvmChain } from "./evm_chain.ts";
import { EvmNode } from "./evm_node.ts";
import { State } from "./evm_state.ts";
import { newChainCounts } from "./ground.ts";
import { Random } from "./random.ts";

type Ask = (method: string, params?: readonly unknown[]) => Promise<unknown>;
// deno-lint-ignore no-explicit-any -- as nodes answer
type Answer = any;

const ETHER = 10n ** 18n;
const HELD = 1_000n;
const GAS_EACH = 150_000n;
/** Answers code hashes, wherever a call puts it. */
const HASHER = "0x5f5b80353f8152602001368110600157365ff3";
const HASHER_AT = `0x${"c0de".repeat(10)}`;
const holders = makeWallets(8, 100);
const to = makeWallet(2).address;
const lower = (text: string) => text.toLowerCase();

/** Both have a collector of the gas wallet, and addresses with tokens and coins. */
async function startBoth() {
  const scene = await startScene();
  const { anvil, gasWallet, address } = scene;
  const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  const state = new State();
  const contract = lower(token.address);
  state.give(lower(gasWallet.address), 100n * ETHER);
  for (const holder of holders) {
    await token.send("mint", [holder.address, HELD]);
    await fund(anvil, holder.address);
    state.giveTokens(contract, { to: lower(holder.address), valueRaw: HELD });
    state.give(lower(holder.address), 100n * ETHER);
  }
  const chain = new EvmChain({
    chainId: CHAIN_ID,
    code: new Map([[contract, { kind: "token", decimals: 6, symbol: "USDT" }]]),
    state,
    atMs: 0,
    baseFeeRaw: 1n,
  });
  const node = new EvmNode(chain, { random: new Random(1), counts: newChainCounts() });
  const real: Ask = (method, params = []) => anvil.rpc(method, params);
  const simulated: Ask = (method, params = []) => node.answer({ id: 1, method, params });
  const mine = async (raw: string) => {
    const txHash = await simulated("eth_sendRawTransaction", [raw]);
    const txs = [...node.pool.values()];
    chain.follow(await chain.extend(chain.head, { atMs: 0, baseFeeRaw: 1n, txs }));
    node.pool.clear();
    return txHash;
  };
  let nonce = 0;
  const sign = (order: Omit<Parameters<typeof signFrom>[1], "nonce">) =>
    signFrom(scene, { ...order, nonce: nonce++ });
  await mine((await sign({ to: null, data: initCode(gasWallet.address) })).raw);
  const same = async (method: string, params: readonly unknown[]) => {
    const [theirs, ours] = [await real(method, params), await simulated(method, params)];
    assert.deepEqual(essence(ours), essence(theirs), `${method} ${JSON.stringify(params)}`);
    return ours as Answer;
  };
  /** What it did is the same on both. */
  const send = async (order: Omit<Parameters<typeof signFrom>[1], "nonce">): Promise<Answer> => {
    const { raw } = await sign(order);
    await anvil.rpc("eth_sendRawTransactionSync", [raw]);
    const txHash = await mine(raw);
    const receipt = await same("eth_getTransactionReceipt", [txHash]);
    await same("eth_getTransactionByHash", [txHash]);
    for (const { address } of [...holders, gasWallet]) {
      await same("eth_getTransactionCount", [address, "latest"]);
      await same("eth_getCode", [address, "latest"]);
    }
    for (const { address } of [...holders, { address: to }]) {
      const data = token.encode("balanceOf", [address]);
      await same("eth_call", [{ to: token.address, data }, "latest"]);
      await same("eth_getBalance", [address, "latest"]);
    }
    return receipt;
  };
  await same("eth_getCode", [address, "latest"]);
  return { anvil, scene, real, simulated, send, same, collector: address, token: token.address };
}

const hex = (value: number) => `0x${value.toString(16)}`;

function listed(authorizations: readonly SignedAuthorization[]) {
  const authorizationList = authorizations.map(({ chainId, nonce, yParity, ...rest }) => ({
    ...{ ...rest, chainId: hex(chainId), nonce: hex(nonce), yParity: hex(yParity) },
  }));
  return { authorizationList };
}

/** Prices, gas and places depend on the miner. */
const OPEN =
  /^(block|transactionIndex|gasUsed|cumulative|effective|gasPrice|logIndex|logsBloom|blob|maxFee|maxPriority|v$|accessList)/;

function essence(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(essence);
  if (typeof answer === "string") return lower(answer);
  if (typeof answer !== "object" || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).filter(([name]) => !OPEN.test(name)).sort(([a], [b]) => a < b ? -1 : 1)
      .map(([name, value]) => [name, essence(value)]),
  );
}

const coinOrder = (i: number, amountRaw: bigint) => ({
  ...{ from: holders[i]!.address, to, contract: null, amountRaw },
});

Deno.test("the simulated chain carries batches and authorizations out as anvil does", async () => {
  const both = await startBoth();
  await using _scene = both.scene;
  const { send, same, collector, token, scene, real, simulated } = both;
  const tokenOrder = (i: number, amountRaw = 100n) => ({
    ...{ from: holders[i]!.address, to, contract: token, amountRaw },
  });
  const word = (i: number, order: { nonce: number; address?: string; chainId?: number }) =>
    signAny(holders[i]!, { address: collector, ...order });
  const all = (orders: Parameters<typeof batchCall>[0]["orders"], atLeast = 0) =>
    batchCall({ orders, gasEach: GAS_EACH, atLeast });

  const authorizations = [
    await word(0, { nonce: 0 }),
    await word(1, { nonce: 1 }),
    await word(2, { nonce: 0, chainId: CHAIN_ID + 1 }),
    await word(3, { nonce: 0, chainId: 0 }),
    await word(0, { nonce: 1 }),
    await word(4, { nonce: 0 }),
    await word(4, { nonce: 1, address: NOBODY }),
    await word(5, { nonce: 0, address: token }),
  ];
  const orders = [
    ...[0, 1, 2, 3, 4, 5].map((i) => tokenOrder(i)),
    ...[coinOrder(0, 3n), coinOrder(1, 3n), coinOrder(3, 1_000n * ETHER)],
  ];
  const tried = { from: scene.gasWallet.address, to: collector, data: all(orders) };
  const addresses = holders.map(({ address }) => address);
  await same("eth_call", [tried, "latest", delegatedOverrides({ collector, addresses })]);
  await same("eth_call", [tried, "latest"]);
  const asked = [...addresses, collector, token, to, makeWallet(99).address];
  const words = asked.map((address) => address.slice(2).padStart(64, "0")).join("");
  const hashing = [{ to: HASHER_AT, data: `0x${words}` }, "latest", {
    [HASHER_AT]: { code: HASHER },
  }];
  const hashesOf = async (ask: Ask) =>
    String(await ask("eth_call", hashing)).slice(2).match(/.{64}/g)!
      // The code of the token is another one here.
      .filter((_, i) => asked[i] !== token);
  assert.deepEqual(await hashesOf(simulated), await hashesOf(real));
  const first = await send({ to: collector, data: all(orders), authorizations });
  assert.deepEqual(await hashesOf(simulated), await hashesOf(real));
  const outcomes = first.logs.filter(({ address }: Answer) => address === lower(collector));
  assert.equal(outcomes.length, orders.length);
  assert.equal(first.logs.length - outcomes.length, 2);

  // What an address has said stays said, though the call fails.
  const failing = await send({
    to: collector,
    data: "0x",
    authorizations: [await word(6, { nonce: 0 })],
  });
  assert.equal(failing.status, "0x0");
  await send({ to: collector, data: all([tokenOrder(6), tokenOrder(3, HELD)]) });
  const release = await word(6, { nonce: 1, address: NOBODY });
  await send({ to: collector, data: all([]), authorizations: [release] });
  await send({ to: collector, data: all([tokenOrder(6)], 1) });

  // Too little gas for the second one: not tried at all, or the whole fails.
  const two = [tokenOrder(0, 1n), tokenOrder(3, 1n)];
  const little = { to: collector, gas: 190_000n };
  const part = await send({ ...little, data: all(two, 1) });
  assert.equal(part.logs.length, 2);
  const none = await send({ ...little, data: all(two, 2) });
  assert.deepEqual([none.status, none.logs], ["0x0", []]);
});

Deno.test("the simulated node estimates a batch as high as it needs for every order", async () => {
  const both = await startBoth();
  await using _scene = both.scene;
  const { send, collector, token, scene, real, simulated } = both;
  const orders = [0, 1, 2, 3].map((i) => ({
    ...{ from: holders[i]!.address, to, contract: token, amountRaw: 5n },
  }));
  const authorizations: SignedAuthorization[] = [];
  for (const i of [0, 1, 2, 3]) {
    authorizations.push(await signAny(holders[i]!, { address: collector, nonce: 0 }));
  }
  const data = batchCall({ orders, gasEach: GAS_EACH, atLeast: orders.length });
  const from = scene.gasWallet.address;
  const tx = { from, to: collector, data, ...listed(authorizations) };
  const theirs = BigInt(String(await real("eth_estimateGas", [tx, "latest"])));
  const ours = BigInt(String(await simulated("eth_estimateGas", [tx, "latest"])));
  const percent = Number(ours * 100n / theirs);
  assert.ok(percent > 80 && percent < 130, `${ours} is ${percent} % of ${theirs}`);
  const gas = ours > theirs ? ours : theirs;
  assert.equal((await send({ to: collector, data, gas, authorizations })).status, "0x1");
  const plain = { from, to: holders[5]!.address, data: "0x" };
  const word = await signAny(holders[5]!, { address: from, nonce: 0 });
  for (const ask of [real, simulated]) {
    const without = Number(await ask("eth_estimateGas", [plain, "latest"]));
    const listing = { ...plain, ...listed([word]) };
    assert.ok(Number(await ask("eth_estimateGas", [listing, "latest"])) >= without + 25_000);
  }
});
