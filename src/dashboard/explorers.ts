import type { NetworkRow } from "../store/rows.ts";

/** By chain id: a test net that borrows a network's code has other blocks. */
const EXPLORERS: Readonly<Record<string, string>> = {
  "1": "https://etherscan.io",
  "10": "https://optimistic.etherscan.io",
  "56": "https://bscscan.com",
  "137": "https://polygonscan.com",
  "8453": "https://basescan.org",
  "42161": "https://arbiscan.io",
  "43114": "https://snowtrace.io",
  "11155111": "https://sepolia.etherscan.io",
};
const TRON = "https://tronscan.org/#";

/** Undefined: no public explorer shows this chain, or the credit was booked by hand. */
export function transactionUrl(network: NetworkRow | undefined, txHash: string | null) {
  if (!network || txHash === null || txHash.startsWith("by-hand:")) return undefined;
  if (network.family === "tron") return `${TRON}/transaction/${txHash}`;
  const base = EXPLORERS[network.chainId];
  return base && `${base}/tx/${txHash}`;
}

export function addressUrl(network: NetworkRow | undefined, address: string): string | undefined {
  if (!network) return undefined;
  if (network.family === "tron") return `${TRON}/address/${address}`;
  const base = EXPLORERS[network.chainId];
  return base && `${base}/address/${address}`;
}
