import type { NetworkRow } from "../networks/table.ts";

/** By chain id, because a test network may use the same code for different blocks. */
const EXPLORERS: Readonly<Record<string, string>> = {
  "1": "https://etherscan.io",
  "10": "https://optimistic.etherscan.io",
  "56": "https://bscscan.com",
  "137": "https://polygonscan.com",
  "8453": "https://basescan.org",
  "42161": "https://arbiscan.io",
  "43114": "https://snowtrace.io",
  "728126428": "https://tronscan.org/#",
  "11155111": "https://sepolia.etherscan.io",
};
/** The path before a transaction's id; `tx` if absent. */
const TRANSACTIONS: Readonly<Record<string, string>> = { "728126428": "transaction" };

/** Undefined: no public explorer shows this chain, or the credit was booked by hand. */
export function transactionUrl(network: NetworkRow | undefined, txHash: string | null) {
  if (!network || txHash === null || txHash.startsWith("by-hand:")) return undefined;
  const base = EXPLORERS[network.chainId];
  return base && `${base}/${TRANSACTIONS[network.chainId] ?? "tx"}/${txHash}`;
}

export function addressUrl(network: NetworkRow | undefined, address: string): string | undefined {
  if (!network) return undefined;
  const base = EXPLORERS[network.chainId];
  return base && `${base}/address/${address}`;
}
