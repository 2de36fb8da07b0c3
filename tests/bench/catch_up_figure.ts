import { followNetwork } from "../../src/actions/follow_network.ts";
import { present } from "../../src/base/assert.ts";
import { readConfig } from "../../src/config.ts";
import { openGateway } from "../../src/gateway.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { type Contract, deploy } from "../support/contracts.ts";
import { enable, makeMerchant, makeNetwork, makeToken } from "../support/gateway.ts";
import { type Bench, type Figure, perSecond } from "./figure.ts";
import { type Installation, makeInstallation } from "./installation.ts";

const BLOCKS = 2_000;
const TX_PER_BLOCK = 20;
const BODIES_AT_ONCE = 2;

export const CATCH_UP_FIGURE: Figure = {
  name: "catching up 2,000 blocks of 20 transactions",
  limit: "a bare loop of the same requests",
  unit: "blocks/s",
  must: 0.8,
  beyond: 0.95,
  prepare,
};

async function prepare(): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const node = stack.use(
    await startAnvil({ args: ["--no-mining", "--gas-limit", "3000000000"] }),
  );
  const token = await makeHistory(node, { blocks: BLOCKS });
  const bodies = await recordBodies(node, token);
  const all = stack.move();
  return {
    limit: async () => ({ perSecond: await perSecond(BLOCKS, () => bareLoop(node, bodies)) }),
    ours: async () => {
      await using installation = await makeInstallation();
      return { perSecond: await catchUp(installation, { rpcUrl: node.url, token }) };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** From the first block to the last, read and recorded, by the gateway's own steps. */
async function catchUp(
  { env }: Installation,
  { rpcUrl, token }: { rpcUrl: string; token: Contract },
): Promise<number> {
  const gateway = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  const { deps } = gateway;
  const { accountId } = await makeMerchant({ deps, url: "" });
  const code = await makeNetwork(deps, { code: "LOCAL", rpcUrls: [rpcUrl] });
  await makeToken(deps, { network: code, contract: token.address });
  await enable(deps, { accountId, network: code, currency: "USDT" });
  const network = present((await deps.catalog.current()).network(code), "It was added");
  const rate = await perSecond(BLOCKS, async () => {
    while (!(await followNetwork(deps, network)).isCaughtUp);
  });
  await gateway.close();
  return rate;
}

/** What one catch-up asks, to be asked again without anything around it. */
async function recordBodies(node: Anvil, token: Contract): Promise<string[]> {
  const bodies: string[] = [];
  await using recorder = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const body = await request.text();
      bodies.push(body);
      return await ask(node, body);
    },
  );
  await using installation = await makeInstallation();
  const rpcUrl = `http://127.0.0.1:${recorder.addr.port}`;
  await catchUp(installation, { rpcUrl, token });
  return bodies;
}

async function bareLoop(node: Anvil, bodies: readonly string[]): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < bodies.length) await (await ask(node, bodies[next++]!)).json();
  };
  await Promise.all(Array.from({ length: BODIES_AT_ONCE }, worker));
}

function ask(node: Anvil, body: string): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(node.url, { method: "POST", headers, body });
}

/** Every payment goes to an address of its own; half of them are tokens. */
export async function makeHistory(node: Anvil, { blocks }: { blocks: number }): Promise<Contract> {
  await node.rpc("evm_setAutomine", [true]);
  const token = await deploy(node, { name: "Token", args: ["USDX", 6] });
  await node.rpc("evm_setAutomine", [false]);
  const first = Number(await node.rpc("eth_blockNumber"));
  for (let block = first; block < blocks; block++) {
    const calls = Array.from({ length: TX_PER_BLOCK }, (_, i) => {
      const n = block * TX_PER_BLOCK + i;
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
