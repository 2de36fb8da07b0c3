import type { Collected, CollectOrder, FirstOnes, FuelSource } from "../../collect.ts";
import { NodeError } from "../../faults.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { mapBounded } from "../../pool/map_bounded.ts";
import type { TronNode } from "../node.ts";
import { prepareDrain } from "./prepare_drain.ts";
import { prepareTransfer } from "./prepare_transfer.ts";

const AT_ONCE = 8;

export async function collect(
  { pool }: { pool: Pool<TronNode>; firsts: FirstOnes },
  orders: readonly CollectOrder[],
  { fuel }: { fuel?: FuelSource | undefined },
): Promise<readonly Collected[]> {
  return await mapBounded(orders, {
    concurrencyMax: AT_ONCE,
    work: (order) =>
      collectOne(pool, order, fuel).catch((error): Collected => {
        if (error instanceof NodeError) return { kind: "unanswered", error };
        throw error;
      }),
  });
}

async function collectOne(
  pool: Pool<TronNode>,
  { from, to, contract, amountRaw, held, price }: CollectOrder,
  fuel: FuelSource | undefined,
): Promise<Collected> {
  const preflight = contract === null
    ? await prepareDrain(pool, {
      request: { from, to, amountMaxRaw: amountRaw, spendableRaw: held.nativeRaw },
      price,
    })
    : await prepareTransfer(pool, { request: { from, to, contract, amountRaw }, price });
  if (preflight.kind === "refused") return preflight;
  const { prepared } = preflight;
  const costAtMostRaw = prepared.feeAtMostRaw;
  if (held.nativeRaw >= prepared.nativeCostMaxRaw) {
    const state = { ...held, nonce: held.atMs!, hasCode: false };
    return { kind: "ready", prepared, state, costAtMostRaw };
  }
  const missingRaw = prepared.nativeCostMaxRaw - held.nativeRaw;
  const request = fuel && { from: fuel.from, to: from, contract: null, amountRaw: missingRaw };
  const sent = request && await prepareTransfer(pool, { request, price: fuel.price });
  return { kind: "fuel", missingRaw, costAtMostRaw, ...sent ? { fuel: sent } : {} };
}
