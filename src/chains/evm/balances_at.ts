import { chunksOf, zip } from "../../base/lists.ts";
import type { BalanceAsked, BlockAt } from "../chain.ts";
import { asNoBalance, NodeError } from "../faults.ts";
import { quantity } from "./decode.ts";
import { balanceCall, readBalance } from "./erc20.ts";
import { isRevert } from "./error_classes.ts";
import { readAgreed } from "../pool/agreed.ts";
import type { Pool } from "../pool/endpoints.ts";
import { mapBounded } from "../pool/map_bounded.ts";
import {
  aggregateCall,
  type InnerCall,
  MULTICALL3,
  nativeBalanceCall,
  readAggregate,
} from "./multicall.ts";
import type { AtHash } from "./refs.ts";
import type { Rpc } from "./rpc.ts";
import type { RpcItem } from "../pool/json/rpc_reply.ts";
import { RpcReplyError } from "../pool/node_errors.ts";

/** About 6 million gas and 220 kB, within what nodes allow per call. */
const BALANCES_PER_CALL_MAX = 1000;
const CALLS_AT_ONCE = 2;

/** All balances come from one node; with a quorum, that many must agree about them. */
export async function readBalancesAt(
  pool: Pool<Rpc>,
  { block, asked }: { block: BlockAt; asked: readonly BalanceAsked[] },
): Promise<bigint[]> {
  const at: AtHash = { blockHash: block.hash, requireCanonical: true };
  const ask = async (rpc: Rpc) => {
    const known = await rpc.memory.balances.take(block, asked);
    if (known) return known;
    const balances = await mapBounded(chunksOf(asked, BALANCES_PER_CALL_MAX), {
      concurrencyMax: CALLS_AT_ONCE,
      work: async (chunk) =>
        await readTogether(rpc, { asked: chunk, at }) ??
          await readOneByOne(rpc, { asked: chunk, at }),
    });
    return balances.flat();
  };
  return await readAgreed(pool, {
    height: block.height,
    ask: (rpc) => ask(rpc).catch(asNoBalance),
    textOf: String,
  });
}

interface Asked {
  readonly asked: readonly BalanceAsked[];
  readonly at: AtHash;
}

/** Undefined if the chain had no Multicall3 yet at this block, or one of its calls fails. */
async function readTogether(rpc: Rpc, { asked, at }: Asked): Promise<bigint[] | undefined> {
  if (asked.length === 1) return undefined;
  const data = aggregateCall(asked.map(innerCall));
  try {
    const answer = await rpc.call("eth_call", [{ to: MULTICALL3, data }, at]);
    if (answer === "0x") return undefined;
    return zip(readAggregate(answer, asked.length), asked)
      .map(([bytes, { contract }]) => readBalance(bytes, contract ?? MULTICALL3));
  } catch (error) {
    if (error instanceof RpcReplyError && isRevert(error)) return undefined;
    throw error;
  }
}

function innerCall({ address, contract }: BalanceAsked): InnerCall {
  return contract === null
    ? { target: MULTICALL3, data: nativeBalanceCall(address) }
    : { target: contract, data: balanceCall(address) };
}

async function readOneByOne(rpc: Rpc, { asked, at }: Asked): Promise<bigint[]> {
  const items = await rpc.batch(
    asked.map(({ address, contract }) =>
      contract === null
        ? { method: "eth_getBalance", params: [address, at] }
        : { method: "eth_call", params: [{ to: contract, data: balanceCall(address) }, at] }
    ),
  );
  return zip(items, asked).map(([item, one]) => readItem(item, one));
}

function readItem(item: RpcItem, { address, contract }: BalanceAsked): bigint {
  if (!item.ok) {
    const what = contract === null ? address : `${address} at ${contract}`;
    throw new NodeError(`No balance of ${what}: ${item.error.message}`, { cause: item.error });
  }
  return contract === null
    ? quantity(item.result, "a balance")
    : readBalance(item.result, contract);
}
