/**
 * How close a catch-up scan comes to a bare loop that makes the same requests.
 * `deno run -A tests/bench/scan.ts [blocks] [blocksPerRead]`
 */
import { connectEvm, evmFamily } from "../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { type Contract, deploy } from "../support/contracts.ts";
import { makeWatch } from "../support/evm_wallet.ts";

const BLOCKS = Number(Deno.args[0] ?? 2_000);
const BLOCKS_PER_READ = Number(Deno.args[1] ?? 100);
const TX_PER_BLOCK = 20;
const ROUNDS = 5;
const BODIES_AT_ONCE = 2;

await using anvil = await startAnvil({ args: ["--no-mining", "--gas-limit", "3000000000"] });
await main();

async function main(): Promise<void> {
  const { token, first, owned } = await makeHistory(anvil);
  const watch = makeWatch(owned, [token.address]);
  const bodies: string[] = [];
  const recording: typeof fetch = (url, init) => {
    bodies.push(String((init as RequestInit).body));
    return fetch(url, init);
  };
  const found = await scan(connectEvm({ rpcUrls: [anvil.url], fetch: recording }), {
    first,
    watch,
  });
  say(
    `${BLOCKS} blocks of ${TX_PER_BLOCK} tx, half with a Transfer log, ${owned.length} addresses`,
  );
  say(`${found} deposits in ${bodies.length} requests`);
  const scans: number[] = [];
  const loops: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    loops.push(await rate(() => bareLoop(bodies)));
    scans.push(await rate(() => scan(connectEvm({ rpcUrls: [anvil.url] }), { first, watch })));
  }
  const [scanned, looped] = [median(scans), median(loops)];
  say(`bare loop ${looped.toFixed(0)} blocks/s, readBlocks ${scanned.toFixed(0)} blocks/s`);
  say(`ratio ${(scanned / looped).toFixed(2)}`);
}

interface ScanOptions {
  readonly first: number;
  readonly watch: ReturnType<typeof makeWatch>;
}

async function scan(
  chain: ReturnType<typeof connectEvm>,
  { first, watch }: ScanOptions,
): Promise<number> {
  let found = 0;
  for (let from = first; from < first + BLOCKS; from += BLOCKS_PER_READ) {
    const to = Math.min(from + BLOCKS_PER_READ, first + BLOCKS) - 1;
    for (const block of await chain.readBlocks({ from, to }, watch)) {
      found += block.transfers.length;
    }
  }
  return found;
}

async function bareLoop(bodies: readonly string[]): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < bodies.length) {
      const response = await fetch(anvil.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: bodies[next++]!,
      });
      await response.json();
    }
  };
  await Promise.all(Array.from({ length: BODIES_AT_ONCE }, worker));
}

async function rate(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return BLOCKS / (performance.now() - startedAt) * 1_000;
}

/** Every payment goes to an address of its own, one of two hundred to one of ours. */
async function makeHistory(
  node: Anvil,
): Promise<{ token: Contract; first: number; owned: string[] }> {
  await node.rpc("evm_setAutomine", [true]);
  const token = await deploy(node, { name: "Token", args: ["USDX", 6] });
  await node.rpc("evm_setAutomine", [false]);
  const first = Number(await node.rpc("eth_blockNumber")) + 1;
  const owned: string[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    const calls = Array.from({ length: TX_PER_BLOCK }, (_, i) => {
      const n = block * TX_PER_BLOCK + i;
      const to = `0x${(n * 2_654_435_761 + 1).toString(16).padStart(40, "0")}`;
      if (n % 200 === 0) owned.push(evmFamily.canonicalAddress(to));
      return payment(token, { from: node.accounts[i % 10]!, to, isToken: i % 2 === 0 });
    });
    await sendAll(node, calls);
  }
  return { token, first, owned };
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
  const body = JSON.stringify(calls);
  const headers = { "content-type": "application/json" };
  const replies = await (await fetch(node.url, { method: "POST", headers, body })).json();
  const failed = replies.find((reply: { error?: unknown }) => reply.error);
  if (failed) throw new Error(JSON.stringify(failed.error));
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function say(line: string): void {
  // deno-lint-ignore no-console -- the report of this program
  console.log(line);
}
