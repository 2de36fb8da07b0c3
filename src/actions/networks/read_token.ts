import { NodeError } from "../../chains/faults.ts";
import { familyOf } from "../../chains/registry.ts";
import { OperatorError } from "../../domain/refusal.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import type { Deps } from "../deps.ts";
import { findNetwork } from "../books/find.ts";

export interface TokenOnChain {
  readonly network: NetworkRow;
  readonly contract: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  /** It has the name of a currency that the network knows at a different contract. */
  readonly isNamesake: boolean;
}

export async function readToken(
  deps: Deps,
  order: { network: string; contract: string },
): Promise<TokenOnChain> {
  const network = await findNetwork(deps, order.network);
  const family = familyOf(network.family);
  if (!family.isAddress(order.contract)) {
    throw new OperatorError(`"${order.contract}" is not an address of ${network.code}`);
  }
  const contract = family.canonicalAddress(order.contract);
  const chain = deps.chains.of(network);
  const [decimals, texts] = await Promise.all([
    chain.tokenDecimals(contract),
    chain.tokenTexts(contract),
  ]).catch((error) => {
    throw error instanceof NodeError ? new OperatorError(error.message, { cause: error }) : error;
  });
  if (decimals === undefined || !texts) {
    throw new OperatorError(`No token answers at ${contract} on ${network.code}`);
  }
  const namesake = (await deps.catalog.current()).currency(network.code, texts.symbol);
  return { network, contract, ...texts, decimals, isNamesake: namesake !== undefined };
}
