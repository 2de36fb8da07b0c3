import { zip } from "../base/lists.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { haltNetwork } from "./rewind_network.ts";
import type { NetworkRow } from "../networks/table.ts";

/** If a token's decimals differ from the books, deposits might be credited a million times over. */
export async function checkTokens(deps: Deps, network: NetworkRow): Promise<boolean> {
  const { currencies } = await deps.catalog.current();
  const chain = deps.chains.of(network);
  const tokens = currencies.flatMap((row) =>
    row.network === network.code && row.contractAddress !== null
      ? [{ ...row, contract: row.contractAddress }]
      : []
  );
  const told = await Promise.all(tokens.map(({ contract }) => chain.tokenDecimals(contract)));
  const wrong = zip(tokens, told).find(([row, decimals]) =>
    decimals !== undefined && decimals !== row.decimals
  );
  if (!wrong) return true;
  const [{ symbol, contract, decimals: stored }, decimals] = wrong;
  const reason = `${symbol} at ${contract} on ${network.code} has ${decimals} decimals, ` +
    `but the gateway uses ${stored}`;
  await haltNetwork(deps, { network: network.code, reason });
  throw new NodeError(reason);
}
