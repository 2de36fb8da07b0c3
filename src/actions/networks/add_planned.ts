import { addNetwork, type NewNetwork } from "./manage_networks.ts";
import type { Chain, Identity, Tip } from "../../chains/chain.ts";
import { NodeError } from "../../chains/faults.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import type { PresetToken } from "./catalogue.ts";
import type { Actor, Deps } from "../deps.ts";
import { type NetworkPlan, tokensOn } from "./plan.ts";

/** Receives messages about what couldn't be checked. */
interface Listener {
  note(line: string): void;
  warn(line: string): void;
}

type Seen = { readonly identity: Identity; readonly tip: Tip };

/** Asks the node for its chain and for the block from which addresses must be watched. */
export async function addPlannedNetwork(
  deps: Deps,
  { plan, actor, listener }: { plan: NetworkPlan; actor: Actor; listener: Listener },
): Promise<NetworkRow> {
  const { fields } = plan;
  const chain = deps.chains.unverified(fields);
  const seen = await lookAt(chain, plan, listener);
  if (seen) checkChain(plan, seen);
  if (seen && fields.finality === "finalized" && seen.tip.finalizedHeight === null) {
    listener.warn(
      "the node reports no finalized block, so with this finality nothing is confirmed",
    );
  }
  const chainId = seen?.identity.chainId ?? plan.chainId!;
  const tokens = tokensOn(plan.preset, chainId);
  if (plan.preset && tokens.length === 0) {
    listener.warn(`chain ${chainId} is not ${plan.preset.name}: its tokens are not added`);
  }
  if (seen) await checkTokens(listener, { chain, tokens });
  if (seen) await checkTraces(listener, { chain, network: fields });
  const network = await addNetwork(deps, {
    network: {
      ...fields,
      chainId,
      genesisHash: seen?.identity.genesisHash ?? null,
      startHeight: plan.startBlock === "latest" ? seen!.tip.height + 1 : plan.startBlock,
      currencies: currenciesOf(plan, tokens),
    },
    actor,
  });
  listener.note(
    `Its currencies: ${[fields.nativeSymbol, ...tokens.map((it) => it.symbol)].join(", ")}`,
  );
  return network;
}

/** A silent node is no obstacle if it needn't answer anything. */
async function lookAt(
  chain: Chain,
  plan: NetworkPlan,
  listener: Listener,
): Promise<Seen | undefined> {
  try {
    return { identity: await chain.identity(), tip: await chain.tip() };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const { code } = plan.fields;
    if (plan.chainId === undefined || plan.startBlock === "latest") {
      throw refuse("new_node_silent", { network: code, why: error.message, cause: error });
    }
    listener.warn(`${error.message}; ${code} is added without asking its node`);
    return undefined;
  }
}

function checkChain({ chainId, preset }: NetworkPlan, { identity }: Seen): void {
  if (chainId === undefined || chainId === identity.chainId) return;
  const chains = { chainId, found: identity.chainId };
  throw chainId === preset?.chainId
    ? refuse("node_on_other_chain", { name: preset.name, ...chains })
    : refuse("chain_not_asked_for", chains);
}

/** New nodes must be on the chain of the books and able to do what they are needed for. */
export async function checkNodes(
  deps: Deps,
  { network, before, listener }: { network: NetworkRow; before: NetworkRow; listener: Listener },
): Promise<void> {
  const isSameNodes = JSON.stringify(network.rpcUrls) === JSON.stringify(before.rpcUrls);
  const chain = deps.chains.unverified(network);
  if (!isSameNodes) await checkSameChain(chain, { network, listener });
  if (!isSameNodes || network.traces !== before.traces) {
    await checkTraces(listener, { chain, network });
  }
}

async function checkSameChain(
  chain: Chain,
  { network, listener }: { network: NetworkRow; listener: Listener },
): Promise<void> {
  try {
    const { chainId, genesisHash } = await chain.identity();
    const stored = { name: network.code, chainId: network.chainId };
    if (chainId !== stored.chainId) {
      throw refuse("node_on_other_chain", { ...stored, found: chainId });
    }
    if (network.genesisHash === null || genesisHash === network.genesisHash) return;
    throw refuse("node_has_other_genesis", stored);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    listener.warn(`${error.message}; its chain is checked when it answers`);
  }
}

/** A node that can't do what was requested is refused; a silent one fails later, when it is followed. */
async function checkTraces(
  listener: Listener,
  { chain, network }: { chain: Chain; network: Pick<NetworkRow, "code" | "traces"> },
): Promise<void> {
  if (network.traces !== "on") return;
  const canTrace = await chain.canTrace().catch((error) => {
    if (!(error instanceof NodeError)) throw error;
    listener.warn(`${error.message}; whether it serves traces is not checked`);
    return true;
  });
  if (canTrace) return;
  throw refuse("traces_not_served", { network: network.code });
}

async function checkTokens(
  listener: Listener,
  { chain, tokens }: { chain: Chain; tokens: readonly PresetToken[] },
): Promise<void> {
  for (const { symbol, contract, decimals } of tokens) {
    await checkDecimals(listener, { chain, symbol, contract, decimals });
  }
}

interface TokenFacts {
  readonly chain: Chain;
  readonly symbol: string;
  readonly contract: string;
  readonly decimals: number;
}

/** Wrong decimals could credit a million times too much. If the node is silent, they stay unchecked. */
export async function checkDecimals(listener: Listener, token: TokenFacts): Promise<void> {
  const { symbol, contract, decimals } = token;
  const found = await decimalsOf(token).catch((error) => {
    if (!(error instanceof NodeError)) throw error;
    listener.warn(`${error.message}; the decimals of ${symbol} are not checked`);
    return decimals;
  });
  if (found === decimals) return;
  if (found === undefined) {
    return listener.warn(
      `no token answers at ${contract}; the decimals of ${symbol} are not checked`,
    );
  }
  throw refuse("token_decimals_differ", { symbol, contract, found, decimals });
}

function decimalsOf({ chain, contract }: TokenFacts): Promise<number | undefined> {
  return chain.tokenDecimals(contract);
}

function currenciesOf(
  plan: NetworkPlan,
  tokens: readonly PresetToken[],
): NewNetwork["currencies"] {
  const { nativeSymbol, nativeDecimals } = plan.fields;
  const free = { minDepositAmount: "0", minWithdrawalAmount: "0", feeFlat: "0", feePercent: "0" };
  return [
    {
      symbol: nativeSymbol,
      name: plan.nativeName,
      contractAddress: null,
      decimals: nativeDecimals,
      ...free,
    },
    ...tokens.map(({ contract, ...token }) => ({ ...token, contractAddress: contract, ...free })),
  ];
}
