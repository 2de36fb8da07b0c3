import { followNetwork } from "../../src/actions/follow_network.ts";
import { aheadSettled } from "../../src/actions/read_ahead.ts";
import { present } from "../../src/base/assert.ts";
import { readConfig } from "../../src/config.ts";
import { openGateway } from "../../src/gateway.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { type Contract, deploy } from "../support/contracts.ts";
import { enable, makeMerchant, makeNetwork, makeToken } from "../support/gateway.ts";
import { type Bench, type Figure, perSecond } from "./figure.ts";
import { type Installation, makeInstallation } from "./installation.ts";

/** So many in a round: five of them are 2,000. */
const BLOCKS = 400;
const TX_PER_BLOCK = 20;
const BODIES_AT_ONCE = 2;
const ADDRESSES = 1_000;

export const CATCH_UP_FIGURE: Figure = {
  name: "catching up 2,000 blocks of 20 transactions",
  limit: "a bare loop of the same requests",
  unit: "blocks/s",
  must: 0.8,
  beyond: 0.95,
  prepare,
};

/** Far behind from the first round on: the whole chain is there, and each round reads on. */
async function prepare(rounds: number): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const height = BLOCKS * (rounds + 1);
  const node = stack.use(await startHistoryNode(height));
  const token = await makeHistory(node, { blocks: height });
  const recorder = stack.use(recordBodies(node));
  const installation = stack.use(await makeInstallation());
  const follower = stack.use(await startFollower(installation, { rpcUrl: node.url, token }));
  let end = 0;
  const all = stack.move();
  return {
    ours: async () => {
      end += BLOCKS;
      recorder.bodies.length = 0;
      return { perSecond: await perSecond(BLOCKS, () => follower.followTo(end)) };
    },
    // What was just asked, so that node and machine are in the same mood.
    limit: async () => ({
      perSecond: await perSecond(BLOCKS, () => bareLoop(node, recorder.bodies)),
    }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface Follower extends AsyncDisposable {
  followTo(height: number): Promise<void>;
}

/** Read and recorded by the gateway's own steps. */
async function startFollower(
  { env }: Installation,
  { rpcUrl, token }: { rpcUrl: string; token: Contract },
): Promise<Follower> {
  const gateway = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  const { deps } = gateway;
  const { accountId } = await makeMerchant({ deps, url: "" });
  const code = await makeNetwork(deps, { code: "LOCAL", rpcUrls: [rpcUrl] });
  await makeToken(deps, { network: code, contract: token.address });
  await enable(deps, { accountId, network: code, currency: "USDT" });
  const network = present((await deps.catalog.current()).network(code), "It was added");
  return {
    followTo: async (height) => {
      for (;;) {
        const { toHeight, isCaughtUp } = await followNetwork(deps, network);
        if (toHeight >= height || isCaughtUp) break;
      }
      // What is read ahead is of this round, as are its requests.
      await aheadSettled(deps, network);
    },
    [Symbol.asyncDispose]: () => gateway.close(),
  };
}

/** What this process asks the node from now on, to be asked again without anything around it. */
function recordBodies(node: Anvil): Disposable & { readonly bodies: string[] } {
  const bodies: string[] = [];
  const original = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    if (input === node.url && typeof init?.body === "string") bodies.push(init.body);
    return original(input, init);
  };
  return { bodies, [Symbol.dispose]: () => void (globalThis.fetch = original) };
}

async function bareLoop(node: Anvil, bodies: readonly string[]): Promise<void> {
  const asked = [...bodies];
  let next = 0;
  const worker = async () => {
    while (next < asked.length) await (await ask(node, asked[next++]!)).json();
  };
  await Promise.all(Array.from({ length: BODIES_AT_ONCE }, worker));
}

function ask(node: Anvil, body: string): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(node.url, { method: "POST", headers, body });
}

/** With the state at each block in memory, as traces need it: by itself it reads most of it from files. */
export function startHistoryNode(blocks: number): Promise<Anvil> {
  return startAnvil({
    args: ["--no-mining", "--gas-limit", "3000000000", "--prune-history", String(2 * blocks)],
  });
}

/** To so many addresses in turn: the node keeps what they have at each block. Half are of a token. */
export async function makeHistory(node: Anvil, { blocks }: { blocks: number }): Promise<Contract> {
  await node.rpc("evm_setAutomine", [true]);
  const token = await deploy(node, { name: "Token", args: ["USDX", 6] });
  await node.rpc("evm_setAutomine", [false]);
  const first = Number(await node.rpc("eth_blockNumber"));
  for (let block = first; block < blocks; block++) {
    const calls = Array.from({ length: TX_PER_BLOCK }, (_, i) => {
      const n = (block * TX_PER_BLOCK + i) % ADDRESSES;
      const to = `0x${(n * 2_654_435_761 + 1).toString(16).padStart(40, "0")}`;
      return payment(token, { from: node.accounts[i % 10]!, to, isToken: i % 2 === 0 });
    });
    await sendAll(node, calls);
  }
  return token;
}

function payment(
  token: Contract,
  { from, to, isToken }: { from: string; to: string; isToken: boolean },
) {
  const fee = { gas: "0x186a0", maxFeePerGas: "0x2540be400", maxPriorityFeePerGas: "0x1" };
  if (!isToken) return { from, to, value: "0x1", ...fee };
  return { from, to: token.address, data: token.encode("mint", [to, 1n]), ...fee };
}

async function sendAll(node: Anvil, txs: readonly unknown[]): Promise<void> {
  const calls = [
    ...txs.map((tx, id) => ({ jsonrpc: "2.0", id, method: "eth_sendTransaction", params: [tx] })),
    { jsonrpc: "2.0", id: txs.length, method: "evm_mine", params: [] },
  ];
  const replies = await (await ask(node, JSON.stringify(calls))).json();
  const failed = replies.find((reply: { error?: unknown }) => reply.error);
  if (failed) throw new Error(JSON.stringify(failed.error));
}
