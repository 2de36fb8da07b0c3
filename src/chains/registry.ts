import type { Log } from "../base/log.ts";
import type { FamilyName } from "../domain/families.ts";
import type { Chain } from "./chain.ts";
import type { Family } from "./family.ts";
import { CallCounts } from "./pool/call_counts.ts";
import type { OutputBook } from "./outputs.ts";
import type { FeeModel } from "./price.ts";
import type { ChainRules } from "./rules.ts";
import type { EndpointOptions } from "./pool/endpoint.ts";
import { bitcoinFamily, connectBitcoin } from "./bitcoin/mod.ts";
import { connectEvm, evmFamily } from "./evm/mod.ts";
import { connectTron, tronFamily } from "./tron/mod.ts";

interface ChainConfig {
  readonly code: string;
  readonly family: FamilyName;
  readonly rpcUrls: readonly string[];
  /** The same with names and passwords; null or undefined: none has any. */
  readonly rpcUrlsSealed?: string | null;
  readonly chainId: string;
  readonly genesisHash: string | null;
  readonly feeModel: FeeModel;
  /** How many endpoints must read a block alike. */
  readonly quorum: number;
  /** What an operator has said; null: the chain's default. */
  readonly finalBlocks?: number | null;
  readonly feeTarget?: number | null;
}

/** One connection per network, replaced when its endpoints change. */
export interface Chains {
  /** Nodes are believed only once they have shown that they are on the configured chain. */
  of(config: ChainConfig): Chain;
  /** For a network being added, whose chain isn't known yet. */
  unverified(config: Pick<ChainConfig, "family" | "rpcUrls">): Chain;
  /** What the nodes of configured networks have answered. */
  readonly calls: CallCounts;
}

const FAMILIES: Readonly<Record<FamilyName, Family>> = {
  evm: evmFamily,
  tron: tronFamily,
  bitcoin: bitcoinFamily,
};
const ALL: readonly Family[] = Object.values(FAMILIES);
const CONNECTORS = { evm: connectEvm, tron: connectTron, bitcoin: connectBitcoin };

/** What is loaded when it is first needed. A server's files may be replaced while it runs. */
export async function loadChains(): Promise<void> {
  await Promise.all([
    import("./evm/payer.ts"),
    import("./evm/held.ts"),
    import("./evm/balances_at.ts"),
    import("./evm/collector/borne_out.ts"),
  ]);
}

/** How its chains work, whichever it is. */
export function familyOf(name: FamilyName): Family {
  return FAMILIES[name];
}

/** How a network writes addresses, keys and links. */
export function rulesOf(
  { family, chainId }: { readonly family: FamilyName; readonly chainId: string },
): ChainRules {
  return familyOf(family).rulesOn(chainId);
}

/** Each way in which networks of any family write them, once. */
export function allRules(): ChainRules[] {
  return ALL.flatMap(({ rules }) => rules);
}

/** Whether its coins are known to be worth nothing. */
export function isTestChain(chainId: string): boolean {
  return isLocalChain(chainId) || ALL.some(({ testChains }) => testChains.has(chainId));
}

/** Whether it exists on one machine only. */
export function isLocalChain(chainId: string): boolean {
  return ALL.some(({ localChains }) => localChains.has(chainId));
}

interface ChainsOptions {
  readonly fetch?: typeof fetch;
  readonly timeoutMs?: number;
  /** Under which URLs the nodes of a network are asked. */
  readonly urlsOf?: (config: ChainConfig) => readonly string[];
  /** What chains without balances ask the books about. */
  readonly outputs?: OutputBook;
  /** Logs endpoints that are put out of use. */
  readonly log?: Log;
  /** The system's own by default. */
  readonly waiting?: Pick<EndpointOptions, "clock" | "sleep">;
}

export function createChains(
  { urlsOf = ({ rpcUrls }) => rpcUrls, ...options }: ChainsOptions = {},
): Chains {
  const open = new Map<string, { config: string; chain: Chain }>();
  const calls = new CallCounts();
  return {
    calls,
    unverified: ({ family, rpcUrls }) => CONNECTORS[family]({ rpcUrls, ...options }),
    of: (network) => {
      const { code, family, chainId, genesisHash } = network;
      const { feeModel, quorum, finalBlocks = null, feeTarget = null } = network;
      const asked = { rpcUrls: urlsOf(network), quorum, feeModel, finalBlocks, feeTarget };
      const config = JSON.stringify([family, chainId, genesisHash, asked]);
      const known = open.get(code);
      if (known?.config === config) return known.chain;
      const expected = { code, chainId, genesisHash };
      const answered = (host: string, count: number) =>
        calls.add({ network: code, host, calls: count });
      const settings = { ...asked, expected, answered };
      const chain = CONNECTORS[family]({ ...settings, ...options });
      open.set(code, { config, chain });
      return chain;
    },
  };
}
