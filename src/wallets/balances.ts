import { zip } from "../base/lists.ts";
import { newestRead } from "../books/find.ts";
import { lately } from "../books/lately.ts";
import type { BalanceAsked } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";

interface WalletsAsked {
  readonly network: NetworkRow;
  readonly asked: readonly BalanceAsked[];
}

type Balances = readonly (bigint | undefined)[];

/** Undefined while no node answers. */
export async function balancesLately(
  deps: Deps,
  { network, asked, stamp, waitMs }: WalletsAsked & { stamp: string; waitMs: number },
): Promise<Balances | undefined> {
  const key = JSON.stringify([network.code, network.rpcUrls, asked]);
  return await lately(deps, { key, stamp, waitMs, look: () => ask(deps, { network, asked }) });
}

async function ask(deps: Deps, { network, asked }: WalletsAsked): Promise<Balances | undefined> {
  try {
    return await balancesNow(deps, { network, asked });
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return undefined;
  }
}

/**
 * If one token doesn't answer, each currency is asked about separately, so that it hides no others,
 * and all at once, because a node may answer none of them.
 */
export async function balancesNow(
  deps: Deps,
  { network, asked }: WalletsAsked,
): Promise<Balances> {
  const chain = deps.chains.of(network);
  // Where money lies in outputs, the change of a payment isn't known before its block was read.
  const isByBooks = familyOf(network.family).holdings === "outputs";
  const block = isByBooks && await newestRead(deps, network) || await chain.tip();
  try {
    return await chain.balancesAt(block, asked);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
  }
  const found = new Map<BalanceAsked, bigint>();
  const byCurrency = [...Map.groupBy(asked, ({ contract }) => contract).values()];
  await Promise.all(byCurrency.map(async (some) => {
    const balances = await chain.balancesAt(block, some).catch((error) => {
      if (!(error instanceof NodeError)) throw error;
      return undefined;
    });
    for (const [one, raw] of balances ? zip(some, balances) : []) found.set(one, raw);
  }));
  return asked.map((one) => found.get(one));
}
