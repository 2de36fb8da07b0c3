import { findNetwork } from "../books/find.ts";
import { rulesOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "./table.ts";

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
  { contract: text, ...asked }: { network: string; contract: string },
): Promise<TokenOnChain> {
  const network = await findNetwork(deps, asked.network);
  const rules = rulesOf(network);
  if (!rules.isAddress(text)) throw refuse("address_wrong", { text, network: network.code });
  const contract = rules.canonicalAddress(text);
  const chain = deps.chains.of(network);
  const [decimals, texts] = await Promise.all([
    chain.tokenDecimals(contract),
    chain.tokenTexts(contract),
  ]);
  if (decimals === undefined || !texts) {
    throw refuse("token_missing", { contract, network: network.code });
  }
  const namesake = (await deps.catalog.current()).currency(network.code, texts.symbol);
  return { network, contract, ...texts, decimals, isNamesake: namesake !== undefined };
}
