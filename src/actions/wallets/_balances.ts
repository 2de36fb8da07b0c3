import type { BalanceAsked } from "../../chains/chain.ts";
import { NodeError } from "../../chains/faults.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import type { Deps } from "../deps.ts";
import { lately } from "../books/lately.ts";

interface WalletsAsked {
  readonly network: NetworkRow;
  readonly asked: readonly BalanceAsked[];
}

/** Undefined while no node answers. */
export async function balancesLately(
  deps: Deps,
  { network, asked, waitMs }: WalletsAsked & { waitMs: number },
): Promise<bigint[] | undefined> {
  const key = JSON.stringify([network.code, network.rpcUrls, asked]);
  return await lately(deps, { key, waitMs, look: () => ask(deps, { network, asked }) });
}

async function ask(
  deps: Deps,
  { network, asked }: WalletsAsked,
): Promise<bigint[] | undefined> {
  const chain = deps.chains.of(network);
  try {
    return await chain.balancesAt(await chain.tip(), asked);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return undefined;
  }
}
