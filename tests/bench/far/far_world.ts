import { MULTICALL3 } from "../../../src/chains/evm/multicall.ts";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { type Contract, deploy } from "../../support/nodes/contracts.ts";
import { type FarNode, startFarNode, startFarSocket } from "../../support/nodes/far_node.ts";
import { ETHER, setBalance } from "../../support/payers.ts";
import { cursorOf } from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";
import { mustBecome } from "./goal.ts";

export const BLOCK_MS = 2_000;
const TOKEN_RAW = 10n ** 6n;
const START_BALANCE = "1000000";
/** The pace of a chain is known after so many. */
const BLOCKS_BEFORE = 25;

/** A gateway that follows a chain of 2-second blocks by a far node, and a merchant with money. */
export interface FarWorld extends AsyncDisposable {
  readonly world: World;
  readonly anvil: Anvil;
  readonly node: FarNode;
  readonly token: Contract;
  /** By height: when the node had it. */
  readonly madeAt: ReadonlyMap<number, number>;
}

interface FarOptions {
  readonly minConfirmations?: number;
  readonly pollIntervalMs?: number;
  readonly isPushed?: boolean;
  /** Of anvil's command line. */
  readonly args?: readonly string[];
}

export async function startFarWorld(
  { minConfirmations = 3, pollIntervalMs = BLOCK_MS, isPushed = false, args = [] }: FarOptions = {},
): Promise<FarWorld> {
  await using stack = new AsyncDisposableStack();
  const startS = Math.floor(Date.now() / 1_000) - (2 * BLOCKS_BEFORE + 10) * BLOCK_MS / 1_000;
  const anvil = stack.use(
    await startAnvil({ args: ["--timestamp", String(startS), ...args], accounts: 2 }),
  );
  await deployMulticall(anvil);
  const node = stack.use(await startFarNode(anvil.url));
  const socket = stack.use(startFarSocket(anvil.url.replace("http:", "ws:")));
  const world = stack.use(
    await startWorld({
      anvil,
      rpcUrls: [node.url],
      minConfirmations,
      env: { CPG_WEBHOOK_ALLOW_PRIVATE: "true" },
    }),
  );
  const token = await world.addToken();
  const { deps, merchant: { accountId, hotWallet } } = world;
  for (const currency of ["ETH", "USDT"]) {
    const money = { amount: START_BALANCE, note: "bench", actor: "bench" };
    await adjustBalance(deps, { accountId, network: "ETH", currency, ...money });
  }
  await setBalance(anvil, hotWallet, 10n ** 24n);
  await token.send("mint", [hotWallet, 10n ** 6n * TOKEN_RAW]);
  const scanned = async () => (await cursorOf(deps)).scanHeight;
  const tip = async () => Number(await anvil.rpc("eth_blockNumber"));
  await mustBecome("the first blocks are read", async () => await scanned() === await tip());
  // The first of them come some time after the blocks before, which would be part of their pace.
  for (let times = 0; times < 2; times++) {
    await anvil.rpc("anvil_mine", [`0x${BLOCKS_BEFORE.toString(16)}`, BLOCK_MS / 1_000]);
    await mustBecome("the next are read", async () => await scanned() === await tip());
  }
  const change = { pollIntervalMs, wsUrls: isPushed ? [socket.url] : null };
  await setNetwork(deps, { code: "ETH", change, actor: "bench" });
  const madeAt = new Map<number, number>();
  stack.defer(await watchBlocks(anvil, madeAt));
  await anvil.rpc("evm_setIntervalMining", [BLOCK_MS / 1_000]);
  const all = stack.move();
  return {
    world,
    anvil,
    node,
    token,
    madeAt,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Nearly every chain has it at this address. */
async function deployMulticall(anvil: Anvil): Promise<void> {
  const { address } = await deploy(anvil, { name: "Multicall3" });
  const code = await anvil.rpc("eth_getCode", [address, "latest"]);
  await anvil.rpc("anvil_setCode", [MULTICALL3, code]);
}

/** When the node itself says so, over a socket without a delay. */
async function watchBlocks(
  anvil: Anvil,
  madeAt: Map<number, number>,
): Promise<() => Promise<void>> {
  const socket = new WebSocket(anvil.url.replace("http:", "ws:"));
  await new Promise((resolve) => socket.onopen = resolve);
  socket.onmessage = ({ data }) => {
    const { params } = JSON.parse(data);
    if (params) madeAt.set(Number(params.result.number), performance.now());
  };
  const ask = { jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] };
  socket.send(JSON.stringify(ask));
  return async () => {
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
  };
}

/** One after the other, so that no two get the same nonce. Returns their hashes. */
export async function sendAll(
  { anvil, token }: Pick<FarWorld, "anvil" | "token">,
  payments: readonly { readonly to: string; readonly isToken: boolean }[],
): Promise<string[]> {
  const from = anvil.accounts[0];
  const gas = "0x186a0";
  const hashes: string[] = [];
  for (const { to, isToken } of payments) {
    const order = isToken
      ? { from, gas, to: token.address, data: token.encode("mint", [to, 100n * TOKEN_RAW]) }
      : { from, gas, to, value: `0x${ETHER.toString(16)}` };
    hashes.push(await anvil.rpc("eth_sendTransaction", [order]));
  }
  return hashes;
}
