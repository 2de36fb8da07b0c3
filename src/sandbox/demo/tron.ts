import type { Deps } from "../../deps/deps.ts";
import { systemClock } from "../../base/clock.ts";
import { gasWallet } from "../../wallets/gas_wallet.ts";
import type { Beside, BesideNetwork } from "./beside.ts";
import { SLOT_MS } from "../tron_node/chain.ts";
import type { TokenHandle } from "../tron_node/contracts/deploy.ts";
import { SimulatedNode } from "../tron_node/node.ts";
import { addDemoNetwork, bookStart, enableBoth } from "./networks.ts";

const CODE = "TRX";
const DECIMALS = 6;
const UNIT = 10n ** BigInt(DECIMALS);
const BLOCKS_AT_START = 20;
/** So that nobody waits a minute: 18 in TRON's own network. */
const SOLID_LAG = 2;
const STARTING_TRX = 10_000n;
const STARTING_USDT = 10_000n;
const PAYER_USDT = 1_000_000n;
/** Enough to stake for the energy of a few sweeps a day. */
const GAS_TRX = 50_000n;

const TRON_CHAIN = {
  code: CODE,
  family: "tron",
  name: "Simulated TRON",
  nativeSymbol: "TRX",
  nativeDecimals: DECIMALS,
  minConfirmations: SOLID_LAG + 1,
  pollIntervalMs: 500,
  finality: "finalized",
  quorum: 1,
  traces: "off",
  feeMax: "100",
  currencies: [{
    symbol: "TRX",
    name: "TRON",
    contractAddress: null,
    decimals: DECIMALS,
    minDepositAmount: "1",
    minWithdrawalAmount: "5",
    feeFlat: "1",
    feePercent: "0",
  }],
} as const;

/** A TRON network of one simulated node, in this program. */
export async function startDemoTron(): Promise<Beside> {
  const startMs = systemClock.nowMs() - BLOCKS_AT_START * SLOT_MS;
  const node = new SimulatedNode({ startMs, blocks: BLOCKS_AT_START, solidLag: SOLID_LAG });
  // TRON's own USDT answers false, too.
  const manners = { answers: "false" } as const;
  const token = node.deployToken({
    name: "Tether USD",
    symbol: "USDT",
    decimals: DECIMALS,
    manners,
  });
  token.mint(node.bank, PAYER_USDT * UNIT);
  const server = await node.serve();
  const timer = setInterval(() => produce(node), SLOT_MS);
  return {
    code: CODE,
    flag: "--tron",
    prices: { TRX: "0.3" },
    setUp: (deps, accountId) => setUp(deps, { node, token, accountId, rpcUrl: server.url }),
    pay: ({ contract, address, raw }) => {
      if (contract === null) node.pay(address, raw);
      else node.trigger(contract, token.transferData(address, raw));
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The slot that has just ended, so that no block is in the future. */
function produce(node: SimulatedNode): void {
  node.setTime(systemClock.nowMs() - SLOT_MS);
  node.produce();
}

async function setUp(
  deps: Deps,
  { node, token, accountId, rpcUrl }: {
    node: SimulatedNode;
    token: TokenHandle;
    accountId: number;
    rpcUrl: string;
  },
): Promise<BesideNetwork> {
  const { chainId } = await addDemoNetwork(deps, {
    network: TRON_CHAIN,
    nodeUrl: rpcUrl,
    token: { contractAddress: token.address, decimals: DECIMALS },
  });
  const owned = { accountId, network: CODE };
  const hotWallet = await enableBoth(deps, { ...owned, coin: "TRX" });
  node.fund(hotWallet, STARTING_TRX * UNIT);
  const { address: gas } = await gasWallet(deps, { network: CODE, actor: "cli" });
  node.fund(gas, GAS_TRX * UNIT);
  token.mint(hotWallet, STARTING_USDT * UNIT);
  await bookStart(deps, { ...owned, currency: "TRX", amount: String(STARTING_TRX) });
  await bookStart(deps, { ...owned, currency: "USDT", amount: String(STARTING_USDT) });
  return {
    ...{ code: CODE, chainId, rpcUrl, payer: node.bank, hotWallet },
    what: "a simulated TRON node",
    currencies: [
      { currency: "TRX", contract_address: null },
      { currency: "USDT", contract_address: token.address },
    ],
    payout: {
      ...{ amount: "20", currency: "USDT" },
      hint: "Its block is solid when two others follow; with real nodes it is 18.",
    },
  };
}
