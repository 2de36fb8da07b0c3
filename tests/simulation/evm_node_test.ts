import assert from "node:assert/strict";
import { privateKeyToAccount } from "viem/accounts";
import { classifySendError, isRevert, isUnaffordable } from "../../src/chains/evm/error_classes.ts";
import { TRANSFER_TOPIC } from "../../src/chains/evm/erc20.ts";
import { RpcReplyError } from "../../src/chains/pool/node_errors.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { deploy } from "../support/nodes/contracts.ts";
import { EvmChain } from "./evm_chain.ts";
import { RpcError } from "./json_rpc.ts";
import { EvmNode } from "./evm_node.ts";
import { State } from "./evm_state.ts";
import { newChainCounts } from "./ground.ts";
import { Random } from "./random.ts";

/** The second of the accounts that anvil always has. */
const PAYER = privateKeyToAccount(
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
);
const POOR = privateKeyToAccount(`0x${"17".repeat(32)}`);
const RECIPIENT = `0x${"c0ffee".repeat(6)}0001` as const;
const NOBODY = `0x${"d00d".repeat(10)}`;
const CHAIN_ID = 31_337;
const GWEI = 10n ** 9n;
const ETHER = 10n ** 18n;
const TOKENS = 10n ** 12n;

type Ask = (method: string, params?: readonly unknown[]) => Promise<unknown>;

interface Order {
  readonly nonce: number;
  readonly to?: `0x${string}`;
  readonly value?: bigint;
  readonly data?: `0x${string}`;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly chainId?: number;
}

function signed(order: Order, by = PAYER): Promise<string> {
  return by.signTransaction({
    ...{ type: "eip1559", chainId: CHAIN_ID, gas: 90_000n, to: RECIPIENT },
    ...{ maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI },
    ...order,
  });
}

/** Both have the same history: three payments in two blocks, an empty block, one that waits. */
async function startBoth() {
  const anvil = await startAnvil();
  const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  await token.send("mint", [PAYER.address, TOKENS]);
  await anvil.rpc("evm_setAutomine", [false]);
  const contract = token.address.toLowerCase() as `0x${string}`;
  const state = new State();
  const payer = PAYER.address.toLowerCase();
  state.give(payer, 10_000n * ETHER);
  state.giveTokens(contract, { to: payer, valueRaw: TOKENS });
  const chain = new EvmChain({
    chainId: CHAIN_ID,
    code: new Map([[contract, { kind: "token", decimals: 6, symbol: "USDT" }]]),
    state,
    atMs: 0,
    baseFeeRaw: GWEI,
  });
  const node = new EvmNode(chain, { random: new Random(1), counts: newChainCounts() });
  const real: Ask = (method, params = []) => anvil.rpc(method, params);
  const simulated: Ask = (method, params = []) => node.answer({ id: 1, method, params });
  const heights: Record<"real" | "simulated", string[]> = { real: [], simulated: [] };
  const mine = async () => {
    await anvil.mine(1);
    const block = await chain.extend(chain.head, {
      atMs: 12_000 * (chain.head.height + 1),
      baseFeeRaw: GWEI,
      txs: [...node.pool.values()],
    });
    chain.follow(block);
    node.pool.clear();
    heights.real.push(String(await real("eth_blockNumber")));
    heights.simulated.push(String(await simulated("eth_blockNumber")));
  };
  const send = async (order: Order) => {
    const raw = await signed(order);
    const hash = await give(simulated, raw);
    assert.equal(hash, await give(real, raw));
    return { raw, hash };
  };
  const first = await send({ nonce: 0, value: 5n * ETHER });
  await send({ nonce: 1, value: 1n });
  await mine();
  const transfer = token.encode("transfer", [RECIPIENT, 700n]);
  await send({ nonce: 2, to: contract, data: transfer });
  await mine();
  await mine();
  const waiting = await send({ nonce: 3, value: 7n });
  return { anvil, real, simulated, contract, token, heights, first, waiting, transfer };
}

const give = (ask: Ask, raw: string) => ask("eth_sendRawTransaction", [raw]);

/** What depends on the chain's past and on its miner: of these only the form is compared. */
const UNDETERMINED = new Set([
  ...["number", "blockNumber", "parentHash", "blockHash", "timestamp", "baseFeePerGas"],
  ...["gasLimit", "gasUsed", "cumulativeGasUsed", "effectiveGasPrice", "gasPrice", "oldestBlock"],
  ...["gasUsedRatio", "reward", "blockTimestamp"],
]);

function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map((one) => JSON.stringify(formOf(one))))];
  if (typeof value !== "string") return value === null ? "null" : typeof value;
  if (/^0x[0-9a-f]{64}$/.test(value)) return "a hash";
  return /^0x(0|[1-9a-f][0-9a-f]*)$/.test(value) ? "a quantity" : "data";
}

/** What is compared of an answer, as far as the simulated node says it. */
function essence(answer: unknown, model: unknown): unknown {
  if (Array.isArray(answer)) {
    return answer.map((one, i) => essence(one, Array.isArray(model) ? model[i] : undefined));
  }
  if (typeof answer === "string") return answer.toLowerCase();
  if (typeof answer !== "object" || answer === null) return answer;
  const isBlock = "parentHash" in answer;
  const said = model as Record<string, unknown> | undefined;
  return Object.fromEntries(
    Object.entries(answer).filter(([name]) => said && name in said).map(([name, value]) => {
      const isOpen = UNDETERMINED.has(name) || (isBlock && name === "hash") ||
        (isBlock && name === "transactionsRoot" && said!.transactions?.toString() !== "");
      if (isOpen) return [name, formOf(value)];
      if (name === "r" || name === "s") return [name, BigInt(String(value))];
      return [name, essence(value, said![name])];
    }).sort(([a], [b]) => String(a) < String(b) ? -1 : 1),
  );
}

Deno.test("the simulated EVM node answers as anvil does after the same payments", async () => {
  const both = await startBoth();
  await using _anvil = both.anvil;
  const { real, simulated, contract, token, heights, first, waiting, transfer } = both;
  const same = async (method: string, params: readonly unknown[], own = params) => {
    const [theirs, ours] = [await real(method, params), await simulated(method, own)];
    assert.deepEqual(essence(ours, ours), essence(theirs, ours), `${method} ${params}`);
  };
  const form = async (method: string, params: readonly unknown[] = []) => {
    const [theirs, ours] = [await real(method, params), await simulated(method, params)];
    const shown = (answer: unknown) =>
      typeof answer === "object"
        ? Object.entries(ours as object).map(([name]) => [name, formOf(Object(answer)[name])])
        : formOf(answer);
    assert.deepEqual(shown(ours), shown(theirs), method);
  };
  const blockOf = async (ask: Ask, at: string | undefined) => {
    const block = await ask("eth_getBlockByNumber", [at, false]) as { hash: string };
    return block.hash;
  };
  await same("eth_chainId", []);
  for (const [i, at] of heights.real.entries()) {
    const own = heights.simulated[i]!;
    for (const isFull of [true, false]) {
      await same("eth_getBlockByNumber", [at, isFull], [own, isFull]);
    }
    await same("eth_getBlockReceipts", [at], [own]);
    const [theirs, ours] = [await blockOf(real, at), await blockOf(simulated, own)];
    const logs = { address: [contract], topics: [TRANSFER_TOPIC] };
    await same("eth_getLogs", [{ ...logs, blockHash: theirs }], [{ ...logs, blockHash: ours }]);
    await same("eth_getLogs", [{ ...logs, fromBlock: at, toBlock: at }], [
      { ...logs, fromBlock: own, toBlock: own },
    ]);
    await same("eth_getLogs", [{ address: NOBODY, fromBlock: at, toBlock: at }], [
      { address: NOBODY, fromBlock: own, toBlock: own },
    ]);
    await same("eth_getBalance", [RECIPIENT, at], [RECIPIENT, own]);
    await same("eth_getTransactionCount", [PAYER.address, at], [PAYER.address, own]);
    const named = (blockHash: string) => ({ blockHash, requireCanonical: true });
    await same("eth_getBalance", [RECIPIENT, named(theirs)], [RECIPIENT, named(ours)]);
  }
  await same("eth_getBlockByNumber", ["0xffffff", true]);
  for (const { hash } of [first, waiting]) {
    await same("eth_getTransactionByHash", [hash]);
    await same("eth_getTransactionReceipt", [hash]);
  }
  await same("eth_getTransactionByHash", [`0x${"ab".repeat(32)}`]);
  for (const tag of ["latest", "pending"]) {
    await same("eth_getTransactionCount", [PAYER.address, tag]);
  }
  await same("eth_getTransactionCount", [NOBODY, "latest"]);
  await same("eth_getBalance", [NOBODY, "latest"]);
  await same("eth_getCode", [RECIPIENT, "latest"]);
  await form("eth_getCode", [contract, "latest"]);
  await form("eth_getStorageAt", [RECIPIENT, "0x0", "latest"]);
  for (const method of ["eth_blockNumber", "eth_gasPrice", "eth_maxPriorityFeePerGas"]) {
    await form(method);
  }
  await form("eth_feeHistory", ["0x3", "latest", [50]]);
  const from = PAYER.address;
  for (const data of ["0x313ce567", "0x95d89b41", token.encode("balanceOf", [RECIPIENT])]) {
    await same("eth_call", [{ to: contract, data }, "latest"]);
  }
  await same("eth_call", [{ from, to: contract, data: transfer }, "latest"]);
  await same("eth_call", [{ from, to: RECIPIENT, value: "0x1" }, "latest"]);
  await same("eth_estimateGas", [{ from, to: RECIPIENT, value: "0x1" }, "latest"]);
  await form("eth_estimateGas", [{ from, to: contract, data: transfer }, "latest"]);
  const traced = async (ask: Ask, at: string | undefined) =>
    await ask("debug_traceBlockByHash", [await blockOf(ask, at), { tracer: "callTracer" }]) as {
      txHash: string;
      result: Record<string, unknown>;
    }[];
  const theirs = await traced(real, heights.real[0]).catch((error) => String(error));
  const ours = await traced(simulated, heights.simulated[0]);
  if (typeof theirs === "string") assert.match(theirs, /-32601|not found|unsupported/i);
  else {
    for (const name of ["type", "from", "to", "value", "input"]) {
      const told = (all: typeof ours) => all.map(({ result }) => String(result[name]));
      assert.deepEqual(told(ours), told(theirs), name);
    }
  }
});

Deno.test("the simulated EVM node refuses for the same reasons as anvil", async () => {
  const both = await startBoth();
  await using _anvil = both.anvil;
  const { real, simulated, contract, token, first, waiting } = both;
  const errorOf = async (work: Promise<unknown>, what: string) => {
    const error = await work.then(() => undefined, (error) => error);
    if (error instanceof RpcError) {
      return new RpcReplyError("node", { text: error.message, code: error.code });
    }
    const [, json] = /^[a-zA-Z_]+: (\{.*\})$/.exec(String(error?.message)) ?? [];
    assert.ok(json, `${what} was not refused: ${error}`);
    const { message, code } = JSON.parse(json);
    return new RpcReplyError("node", { text: message, code });
  };
  const refusals: Readonly<Record<string, string>> = {
    "already known": waiting.raw,
    "already mined": first.raw,
    "nonce too low": await signed({ nonce: 0, value: 9n }),
    "replacement underpriced": await signed({ nonce: 3, value: 8n }),
    "insufficient funds": await signed({ nonce: 4, value: 100_000n * ETHER }),
    "no funds at all": await signed({ nonce: 0, value: 1n }, POOR),
    "another chain": await signed({ nonce: 4, chainId: 5 }),
  };
  for (const [what, raw] of Object.entries(refusals)) {
    const theirs = await errorOf(give(real, raw), `anvil: ${what}`);
    const ours = await errorOf(give(simulated, raw), what);
    assert.equal(classifySendError(ours.text), classifySendError(theirs.text), what);
  }
  const from = PAYER.address;
  const tooMuch = token.encode("transfer", [RECIPIENT, 2n * TOKENS]);
  const reverting = [{ from, to: contract, data: tooMuch }, "latest"];
  const unaffordable = [{ from: POOR.address, to: RECIPIENT, value: "0x1" }, "latest"];
  for (const ask of [real, simulated]) {
    assert.ok(isRevert(await errorOf(ask("eth_call", reverting), "eth_call")));
    assert.ok(isRevert(await errorOf(ask("eth_estimateGas", reverting), "eth_estimateGas")));
    assert.ok(isUnaffordable(await errorOf(ask("eth_call", unaffordable), "eth_call")));
  }
  const more = { maxFeePerGas: 200n * GWEI, maxPriorityFeePerGas: 2n * GWEI };
  const replacing = await signed({ nonce: 3, value: 8n, ...more });
  assert.equal(await give(simulated, replacing), await give(real, replacing));
});
