import { type Anvil, startAnvil } from "../support/nodes/anvil.ts";
import { type Contract, deploy } from "../support/nodes/contracts.ts";

const TX_PER_BLOCK = 20;
const ADDRESSES = 2_000;

/** A chain of this many blocks with 20 payments each, and a node that answers about it quickly. */
export interface HistoryNode extends AsyncDisposable {
  readonly url: string;
  readonly token: Contract;
}

export async function startHistoryNode({ blocks }: { blocks: number }): Promise<HistoryNode> {
  await using stack = new AsyncDisposableStack();
  // It keeps no states of old blocks: they would go to files, gigabytes of them.
  const args = ["--no-mining", "--gas-limit", "3000000000", "--prune-history"];
  const anvil = stack.use(await startAnvil({ args, accounts: 10 }));
  const token = await makeHistory(anvil, { blocks });
  const all = stack.move();
  return {
    url: anvil.url,
    token,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Each new address slows the chain down, so payments go to this many in turn. Half are tokens. */
async function makeHistory(node: Anvil, { blocks }: { blocks: number }): Promise<Contract> {
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
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(calls);
  const replies = await (await fetch(node.url, { method: "POST", headers, body })).json();
  const failed = replies.find((reply: { error?: unknown }) => reply.error);
  if (failed) throw new Error(JSON.stringify(failed.error));
}
