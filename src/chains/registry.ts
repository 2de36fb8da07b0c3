import { OperatorError } from "../domain/refusal.ts";
import { type Chain, type Family, type FeeModel, NodeError } from "./chain.ts";
import { connectEvm, evmFamily } from "./evm/mod.ts";

export interface ChainConfig {
  readonly code: string;
  readonly family: Family["name"];
  readonly rpcUrls: readonly string[];
  readonly chainId: string;
  readonly genesisHash: string | null;
  readonly feeModel?: FeeModel;
}

type ConnectConfig = Pick<ChainConfig, "family" | "rpcUrls" | "feeModel">;

/** One connection a network, made anew when its endpoints change. */
export interface Chains {
  /** Does nothing before its nodes have shown that they are on the configured chain. */
  of(config: ChainConfig): Chain;
  /** For a network that is about to be added: its chain is not known yet. */
  unverified(config: ConnectConfig): Chain;
}

/** The nodes are on another chain: money sent or credited there would be lost. */
export class WrongChain extends NodeError {
  override name = "WrongChain";
}

export function familyOf(name: Family["name"]): Family {
  if (name === "evm") return evmFamily;
  throw new OperatorError(`Networks of the family ${name} are not supported by this version`);
}

export function createChains(options: { timeoutMs?: number } = {}): Chains {
  const open = new Map<string, { config: string; chain: Chain }>();
  const connect = ({ family, rpcUrls, feeModel = "l1" }: ConnectConfig) => {
    familyOf(family);
    return connectEvm({ rpcUrls, feeModel, ...options });
  };
  return {
    unverified: connect,
    of: (network) => {
      const { rpcUrls, chainId, genesisHash, feeModel } = network;
      const config = JSON.stringify([rpcUrls, chainId, genesisHash, feeModel]);
      const known = open.get(network.code);
      if (known?.config === config) return known.chain;
      const chain = verified(connect(network), network);
      open.set(network.code, { config, chain });
      return chain;
    },
  };
}

/** Asks for the identity once; a node that did not answer is asked again at the next call. */
function verified(chain: Chain, network: ChainConfig): Chain {
  let checked: Promise<void> | undefined;
  const check = () =>
    checked ??= checkIdentity(chain, network).catch((error) => {
      checked = undefined;
      throw error;
    });
  const after =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) => async (...args: A) => {
      await check();
      return await call(...args);
    };
  return {
    identity: chain.identity,
    tip: after(chain.tip),
    refAt: after(chain.refAt),
    witnesses: after(chain.witnesses),
    readBlocks: after(chain.readBlocks),
    canTrace: after(chain.canTrace),
    tokenDecimals: after(chain.tokenDecimals),
    walletState: after(chain.walletState),
    balancesAt: after(chain.balancesAt),
    prepareTransfer: after(chain.prepareTransfer),
    prepareDrain: after(chain.prepareDrain),
    signTransfer: after(chain.signTransfer),
    broadcast: after(chain.broadcast),
    outcome: after(chain.outcome),
  };
}

async function checkIdentity(chain: Chain, network: ChainConfig): Promise<void> {
  const { chainId, genesisHash } = await chain.identity();
  const isSame = chainId === network.chainId &&
    (network.genesisHash === null || network.genesisHash === genesisHash);
  if (isSame) return;
  throw new WrongChain(
    `${network.code} is chain ${network.chainId} with genesis ${
      network.genesisHash ?? "unknown"
    }, ` +
      `but its nodes are on chain ${chainId} with genesis ${genesisHash}`,
  );
}
