import { present } from "../../base/assert.ts";
import { at, chunksOf, zip } from "../../base/lists.ts";
import type { BalanceAsked } from "../chain.ts";
import type { Held, HeldAsked } from "../held.ts";
import { NodeError } from "../faults.ts";
import { hexOf, quantity, safeNumber } from "./decode.ts";
import type { Endpoints } from "./endpoints.ts";
import { balanceCall, readBalance } from "./erc20.ts";
import { aggregateCall, MULTICALL3, nativeBalanceCall, readAggregate } from "./multicall.ts";
import type { AtHash } from "./refs.ts";
import type { Rpc, RpcCall } from "./rpc.ts";
import { resultOf, type RpcItem } from "../pool/json/rpc_reply.ts";

/** About 3 million gas and 110 kB, within what nodes allow per call. */
const BALANCES_PER_CALL_MAX = 500;

/** All from one node. A token that gives no answer leaves the others alone. */
export async function readHeld(
  endpoints: Endpoints,
  asked: readonly HeldAsked[],
): Promise<readonly (Held | NodeError)[]> {
  if (asked.length === 0) return [];
  return await endpoints.read(async (rpc) => {
    const height = safeNumber(await rpc.call("eth_blockNumber", []), "a block number");
    const slots = asked.flatMap(({ address, contracts }): BalanceAsked[] =>
      [null, ...contracts].map((contract) => ({ address, contract }))
    );
    const found = await balancesOn(rpc, { slots, block: hexOf(height) });
    const balances = new Map(zip(slots, found).map(([slot, raw]) => [keyOf(slot), raw]));
    return asked.map(({ address, contracts }) => {
      const rawOf = (contract: string | null) => {
        const raw = balances.get(keyOf({ address, contract }));
        if (typeof raw !== "bigint") throw raw;
        return raw;
      };
      try {
        const tokensRaw = new Map(contracts.map((contract) => [contract, rawOf(contract)]));
        return { height, nativeRaw: rawOf(null), tokensRaw };
      } catch (error) {
        if (error instanceof NodeError) return error;
        throw error;
      }
    });
  });
}

function keyOf({ address, contract }: BalanceAsked): string {
  return `${contract}/${address}`;
}

interface Asking {
  readonly slots: readonly BalanceAsked[];
  readonly block: string | AtHash;
}

/**
 * One call for each currency; those that fail, or chains without Multicall3, one by one. Throws if
 * the node answers none.
 */
export async function balancesOn(
  rpc: Rpc,
  { slots, block }: Asking,
): Promise<(bigint | NodeError)[]> {
  const groups = [...Map.groupBy(slots, ({ contract }) => contract).values()]
    .flatMap((group) => chunksOf(group, BALANCES_PER_CALL_MAX));
  const items = await rpc.batch(groups.map((group) => togetherCall(group, block)));
  const found = new Map<BalanceAsked, bigint | NodeError>();
  for (const [group, item] of zip(groups, items)) {
    readTogether(group, item)?.forEach((raw, i) => found.set(at(group, i), raw));
  }
  const left = slots.filter((slot) => !found.has(slot));
  const alone = await rpc.batch(left.map((slot) => aloneCall(slot, block)));
  for (const [slot, item] of zip(left, alone)) found.set(slot, readAlone(slot, item));
  const all = slots.map((slot) => present(found.get(slot), "Each was asked"));
  // Another node may know the block.
  const failure = all.every((raw) => raw instanceof NodeError) ? all[0] : undefined;
  if (failure instanceof NodeError) throw failure;
  return all;
}

function togetherCall(group: readonly BalanceAsked[], block: Asking["block"]): RpcCall {
  const data = aggregateCall(
    group.map(({ address, contract }) =>
      contract === null
        ? { target: MULTICALL3, data: nativeBalanceCall(address) }
        : { target: contract, data: balanceCall(address) }
    ),
  );
  return { method: "eth_call", params: [{ to: MULTICALL3, data }, block] };
}

function readTogether(group: readonly BalanceAsked[], item: RpcItem): bigint[] | undefined {
  if (!item.ok || item.result === "0x") return undefined;
  try {
    return readAggregate(item.result, group.length)
      .map((bytes, i) => readBalance(bytes, at(group, i).contract ?? MULTICALL3));
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}

function aloneCall({ address, contract }: BalanceAsked, block: Asking["block"]): RpcCall {
  return contract === null
    ? { method: "eth_getBalance", params: [address, block] }
    : { method: "eth_call", params: [{ to: contract, data: balanceCall(address) }, block] };
}

function readAlone({ contract }: BalanceAsked, item: RpcItem): bigint | NodeError {
  try {
    return contract === null
      ? quantity(resultOf(item), "a balance")
      : readBalance(resultOf(item), contract);
  } catch (error) {
    if (error instanceof NodeError) return error;
    throw error;
  }
}
