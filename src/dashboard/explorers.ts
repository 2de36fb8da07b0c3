import { explorerOf } from "../networks/catalogue.ts";
import type { NetworkRow } from "../networks/table.ts";

/** Undefined: no public explorer shows this chain, or the credit was booked by hand. */
export function transactionUrl(network: NetworkRow | undefined, txHash: string | null) {
  if (!network || txHash === null || txHash.startsWith("by-hand:")) return undefined;
  const explorer = explorerOf(network);
  return explorer && `${explorer.url}/${explorer.transactions ?? "tx"}/${txHash}`;
}

export function addressUrl(network: NetworkRow | undefined, address: string): string | undefined {
  if (!network) return undefined;
  const explorer = explorerOf(network);
  return explorer && `${explorer.url}/address/${address}`;
}
