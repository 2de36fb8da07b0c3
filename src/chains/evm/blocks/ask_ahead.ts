import type { BlockAt, Watch } from "../../chain.ts";
import { balanceCall, readBalance } from "../erc20.ts";
import { zip } from "../../../base/lists.ts";
import type { Pool } from "../../pool/endpoints.ts";
import type { PushedHead } from "../../head_socket.ts";
import type { Rpc } from "../rpc.ts";
import type { CoinLogs } from "./coin_logs.ts";
import { logsCall, mayHaveLogs, withCoins } from "./scan_blocks.ts";
import type { Tracer } from "./traces.ts";

export interface BalancesAhead {
  readonly block: BlockAt;
  readonly asked: readonly { readonly address: string; readonly contract: string }[];
}

interface Expected {
  readonly pushed: PushedHead;
  readonly watch: Pick<Watch, "contracts" | "traces">;
  readonly tracer: Tracer;
  readonly coins: CoinLogs;
}

/**
 * While the nodes are asked for their newest blocks, the one that reads blocks is asked about the
 * one that was pushed. By its hash, so that an answer can be about nothing else; whether that block
 * is the next one is decided as always, and if it isn't, the answers are left alone.
 */
export function askAhead(pool: Pool<Rpc>, { pushed, watch, tracer, coins }: Expected): void {
  const { hash, height, bloom } = pushed;
  const contracts = withCoins(watch.contracts);
  // Empty blocks have nothing to ask about.
  if (!pushed.hasUsedGas) return;
  const isLogged = bloom !== undefined && mayHaveLogs(bloom, contracts);
  if (!isLogged && !watch.traces) return;
  pool.read(async (rpc) => {
    const logs = isLogged ? logsOn(rpc, { hash, contracts }) : undefined;
    const isTraced = watch.traces && !coins.isKnownAt(rpc.host, height);
    const traces = isTraced ? tracer.askAhead(rpc, { hash, height }) : undefined;
    rpc.memory.ahead = { hash, contracts, logs, traces };
    await Promise.allSettled([logs, traces?.answer]);
  }).catch(() => {});
}

async function logsOn(
  rpc: Rpc,
  { hash, contracts }: { hash: string; contracts: readonly string[] },
): Promise<unknown> {
  const { method, params } = logsCall(hash, contracts);
  return await rpc.call(method, params);
}

/**
 * A token must be there before it is credited. Where one block is deep enough, that is asked while
 * the receipts are: the balance at exactly this block, by its hash. A contract that takes its time
 * holds up no block.
 */
export function askBalancesAhead(pool: Pool<Rpc>, { block, asked }: BalancesAhead): void {
  if (asked.length === 0) return;
  pool.read(async (rpc) => {
    const answers = asked.map((one) => tokensOn(rpc, { block, ...one }));
    for (const [one, answer] of zip(asked, answers)) rpc.memory.balances.note(block, one, answer);
    await Promise.allSettled(answers);
  }, { height: block.height }).catch(() => {});
}

async function tokensOn(
  rpc: Rpc,
  { block, address, contract }: { block: BlockAt; address: string; contract: string },
): Promise<bigint> {
  // As `balancesAt` asks.
  const at = { blockHash: block.hash, requireCanonical: true };
  const call = { to: contract, data: balanceCall(address) };
  return readBalance(await rpc.call("eth_call", [call, at]), contract);
}
