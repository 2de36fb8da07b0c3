import type { Chain } from "../chains/chain.ts";
import type { PriceOptions } from "../chains/price.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { type FeeLimit, feeMaxFor, tipMaxFor } from "../domain/money/fee_limit.ts";
import { NetworkCursors } from "../following/table.ts";
import { feeMaxOf } from "../networks/catalogue.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";

export interface Market {
  readonly network: NetworkRow;
  readonly chain: Chain;
}

/** The most that the operator would pay on this network. */
export async function priceOf(deps: Deps, market: Market): Promise<PriceOptions> {
  const { gasPriceMaxRaw } = market.network;
  const limit = await feeLimitOf(deps, market);
  return {
    gasPriceMaxRaw: gasPriceMaxRaw === null ? null : BigInt(gasPriceMaxRaw),
    feeMaxFor: (gas) => feeMaxFor(limit, gas),
    tipMaxRaw: tipMaxFor(limit),
  };
}

export async function feeLimitOf(deps: Deps, market: Market): Promise<FeeLimit> {
  const { network } = market;
  const feeMax = feeMaxOf(network);
  const maxRaw = feeMax === null
    ? null
    : nativeAmount(network, feeMax).toRaw(network.nativeDecimals);
  const { undoubtedPriceRaw: undoubtedRaw } = familyOf(network.family);
  return { maxRaw, paidRaw: await paidLately(deps, market), undoubtedRaw };
}

export function nativeAmount(
  { code, nativeSymbol, nativeDecimals }: NetworkRow,
  value: string | bigint,
): Amount {
  const asset = assetOf({ network: code, currency: nativeSymbol });
  return typeof value === "bigint"
    ? Amount.fromRaw(value, { asset, decimals: nativeDecimals })
    : Amount.parse(value, asset).truncatedTo(nativeDecimals);
}

/** Concurrent payments share one look. */
const FRESH_MS = 2_000;

/**
 * The price that recent blocks paid, remembered over time, and never just what the node says now.
 * Only before the first block is read does the chain's current price count, and it is then
 * remembered.
 */
async function paidLately(deps: Deps, { network: { code }, chain }: Market): Promise<bigint> {
  const known = deps.memory.paidLately;
  const nowMs = deps.clock.nowMs();
  const last = known.get(code);
  if (last && Math.abs(nowMs - last.atMs) < FRESH_MS) return last.paidRaw;
  const stored = (await deps.db.find(NetworkCursors, [code]))?.paidRaw ?? null;
  const paidRaw = stored === null
    ? await remember(deps, { code, paidRaw: await chain.paidLately() ?? 0n })
    : BigInt(stored);
  known.set(code, { paidRaw, atMs: nowMs });
  return paidRaw;
}

async function remember(
  deps: Deps,
  { code, paidRaw }: { code: string; paidRaw: bigint },
): Promise<bigint> {
  return await deps.db.write({
    reads: [read(NetworkCursors, [code])],
    decide: (view) => {
      const row = view.find(NetworkCursors, [code]);
      if (!row) return paidRaw;
      if (row.paidRaw !== null) return BigInt(row.paidRaw);
      const paidAtMs = deps.clock.nowMs();
      view.update(NetworkCursors, row, { paidRaw: paidRaw.toString(), paidAtMs });
      return paidRaw;
    },
  });
}
