import {
  ContractDecoder,
  EdrContext,
  GasEstimationMode,
  IncludeTraces,
  L1_CHAIN_TYPE,
  l1GenesisState,
  l1HardforkFromString,
  l1ProviderFactory,
  MineOrdering,
} from "@nomicfoundation/edr";
import { parseArgs } from "node:util";
import { toHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { fromHex } from "../../../src/base/bytes.ts";
import { present } from "../../../src/base/assert.ts";

/**
 * A chain of Hardhat's EDR, which knows a fork that anvil doesn't know yet. It listens as anvil
 * does, and understands what tests say to anvil, apart from reorganisations and traces.
 */

const BLOCK_GAS = 60_000_000n;
const GAS_OF_ONE = 16_777_216n;
const ETHER = 10n ** 18n;

const { values: options } = parseArgs({
  options: {
    hardfork: { type: "string", default: "amsterdam" },
    port: { type: "string", default: "0" },
    accounts: { type: "string", default: "3" },
    timestamp: { type: "string" },
    "chain-id": { type: "string", default: "31337" },
    "no-mining": { type: "boolean", default: false },
  },
  // What only anvil knows.
  strict: false,
});

const keys = Array.from(
  { length: Number(options.accounts) },
  (_, i) => `0x${(1n + BigInt(i)).toString(16).padStart(64, "ac")}` as const,
);
const bytesOf = (hex: string) => present(fromHex(hex.slice(2)), "Addresses are hex");
const context = new EdrContext();
await context.registerProviderFactory(L1_CHAIN_TYPE, l1ProviderFactory());
const provider = await context.createProvider(
  L1_CHAIN_TYPE,
  {
    allowBlocksWithSameTimestamp: true,
    allowUnlimitedContractSize: false,
    bailOnCallFailure: true,
    bailOnTransactionFailure: false,
    chainId: BigInt(String(options["chain-id"])),
    coinbase: bytesOf("0xc014ba5ec014ba5ec014ba5ec014ba5ec014ba5e"),
    defaultTransactionGasLimit: GAS_OF_ONE,
    gasEstimationMode: GasEstimationMode.TopLevelSuccess,
    genesisState: [
      ...l1GenesisState(l1HardforkFromString(String(options.hardfork))),
      ...keys.map((key) => ({
        address: bytesOf(privateKeyToAddress(key)),
        balance: 10_000n * ETHER,
      })),
    ],
    hardfork: String(options.hardfork),
    initialBaseFeePerGas: 1_000_000_000n,
    minGasPrice: 0n,
    mining: {
      autoMine: !options["no-mining"],
      blockGasLimit: BLOCK_GAS,
      memPool: { order: MineOrdering.Priority },
    },
    network: {
      genesisBlockGasLimit: BLOCK_GAS,
      ...(options.timestamp ? { genesisBlockTime: BigInt(String(options.timestamp)) } : {}),
    },
    networkId: BigInt(String(options["chain-id"])),
    observability: { includeCallTraces: IncludeTraces.None },
    ownedAccounts: keys,
    precompileOverrides: [],
    transactionGasCap: GAS_OF_ONE,
  },
  {
    enable: false,
    decodeConsoleLogInputsCallback: () => [],
    printLineCallback: () => {},
  },
  { subscriptionCallback: () => {} },
  new ContractDecoder(),
);

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

async function ask({ id, method, params = [] }: Call): Promise<object> {
  const name = method.replace(/^anvil_/, "hardhat_");
  const { data } = await provider.handleRequest(
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params }),
  );
  const answer = typeof data === "string" ? JSON.parse(data) : data;
  return { ...answer, id };
}

class Refused extends Error {
  override name = "Refused";
  constructor(readonly error: object) {
    super(JSON.stringify(error));
  }
}

async function resultOf(method: string, params: readonly unknown[] = []): Promise<unknown> {
  const { result, error } = await ask({ id: 1, method, params }) as {
    result?: unknown;
    error?: object;
  };
  if (error) throw new Refused(error);
  return result;
}

const GAS_EXACTLY = 1_000n;

/** With which the call doesn't fail. */
async function leastGas(call: (gas: bigint) => Promise<unknown>): Promise<string> {
  await call(GAS_OF_ONE);
  let [fails, passes] = [0n, GAS_OF_ONE];
  while (passes - fails > GAS_EXACTLY) {
    const gas = (fails + passes) / 2n;
    const isEnough = await call(gas).then(() => true, () => false);
    if (isEnough) passes = gas;
    else fails = gas;
  }
  return toHex(passes);
}

/** What anvil has and EDR has under another name, or in parts. */
const ANVIL: Readonly<Record<string, (params: readonly unknown[]) => Promise<unknown>>> = {
  txpool_status: async () => {
    const pending = await resultOf("eth_pendingTransactions") as unknown[];
    return { pending: toHex(pending.length), queued: "0x0" };
  },
  eth_sendTransactionSync: async (params) =>
    await resultOf("eth_getTransactionReceipt", [await resultOf("eth_sendTransaction", params)]),
  eth_sendRawTransactionSync: async (params) =>
    await resultOf("eth_getTransactionReceipt", [await resultOf("eth_sendRawTransaction", params)]),
  eth_getBlockReceipts: async ([block]) => {
    const isHash = typeof block === "string" && block.length === 66;
    const name = isHash ? "eth_getBlockByHash" : "eth_getBlockByNumber";
    const found = await resultOf(name, [block, false]) as { transactions: string[] } | null;
    if (found === null) return null;
    return await Promise.all(
      found.transactions.map((hash) => resultOf("eth_getTransactionReceipt", [hash])),
    );
  },
  /** EDR can't pretend in an estimate, only in a call. */
  eth_estimateGas: async (params) => {
    const [tx, block, overrides] = params;
    if (overrides === undefined) return await resultOf("eth_estimateGas", params);
    return await leastGas((gas) =>
      resultOf("eth_call", [{ ...tx as object, gas: toHex(gas) }, block, overrides])
    );
  },
  anvil_dropAllTransactions: async () => {
    const pending = await resultOf("eth_pendingTransactions") as { hash: string }[];
    for (const { hash } of pending) await resultOf("hardhat_dropTransaction", [hash]);
    return null;
  },
};

async function answer(call: Call): Promise<object> {
  const own = ANVIL[call.method];
  if (!own) return await ask(call);
  try {
    return { jsonrpc: "2.0", id: call.id, result: await own(call.params ?? []) };
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    return { jsonrpc: "2.0", id: call.id, error: refused.error };
  }
}

Deno.serve({
  hostname: "127.0.0.1",
  port: Number(options.port),
  // deno-lint-ignore no-console -- as anvil says it
  onListen: ({ port }) => console.log(`Listening on 127.0.0.1:${port}`),
}, async (request) => {
  const asked = await request.json();
  if (!Array.isArray(asked)) return Response.json(await answer(asked));
  const answers: object[] = [];
  for (const call of asked) answers.push(await answer(call));
  return Response.json(answers);
});
