import { isTestChain } from "../chains/registry.ts";

interface Placed {
  readonly chainId: string;
  /** What an operator has said; null: its chain id says it. */
  readonly isTest: boolean | null;
}

/** Whether its coins are worth nothing. A chain that nobody knows may be somebody's real one. */
export function isTestNetwork({ chainId, isTest }: Placed): boolean {
  return isTest ?? isTestChain(chainId);
}

/** What an operator should know of it. */
export function aboutCoins(network: Placed & { readonly code: string }): string {
  const { code, chainId } = network;
  return isTestNetwork(network)
    ? `${code} is a test network (chain ${chainId}): its coins are worth nothing, and only accounts ` +
      "that have test networks alone take them for invoices"
    : `${code} (chain ${chainId}) is a real network: its coins count as money`;
}
