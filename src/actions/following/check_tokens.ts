import { NodeError } from "../../chains/chain.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import type { Deps } from "../deps.ts";
import { haltNetwork } from "./rewind_network.ts";

/** If a token's decimals differ from the books, deposits might be credited a million times over. */
export async function checkTokens(deps: Deps, network: NetworkRow): Promise<boolean> {
  const { currencies } = await deps.catalog.current();
  const chain = deps.chains.of(network);
  const tokens = currencies.filter((row) =>
    row.network === network.code && row.contractAddress !== null
  );
  const decimals = await Promise.all(
    tokens.map((row) => chain.tokenDecimals(row.contractAddress!)),
  );
  const wrong = tokens.findIndex((row, i) =>
    decimals[i] !== undefined && decimals[i] !== row.decimals
  );
  if (wrong < 0) return true;
  const { symbol, contractAddress, decimals: stored } = tokens[wrong]!;
  const reason =
    `${symbol} at ${contractAddress} on ${network.code} has ${decimals[wrong]} decimals, ` +
    `but the gateway uses ${stored}`;
  await haltNetwork(deps, { network: network.code, reason });
  throw new NodeError(reason);
}
