import type { Chain, Identity, Tip } from "../chains/chain.ts";
import { NodeError, UnfitNode } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { addNetwork, type NewNetwork } from "./add.ts";
import type { PresetToken } from "./catalogue.ts";
import { checkConfirmations, checkTokens, checkTraces, type Listener } from "./check_nodes.ts";
import { coinOn, type NetworkPlan, tokensOn } from "./plan.ts";
import { aboutCoins, isTestNetwork } from "./test_networks.ts";
import type { NetworkRow } from "./table.ts";

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
  else mustBeKnown(plan.fields.family, { chainId: plan.chainId!, genesisHash: null });
  if (seen && fields.finality === "finalized" && seen.tip.finalizedHeight === null) {
    listener.warn(
      "the node reports no finalized block, so with this finality nothing is confirmed",
    );
  }
  const chainId = seen?.identity.chainId ?? plan.chainId!;
  await checkConfirmations(listener, { ...fields, chainId });
  const tokens = tokensOn(plan.preset, chainId);
  if (plan.preset && tokens.length < plan.preset.tokens.length) {
    listener.warn(`chain ${chainId} is not ${plan.preset.name}: its tokens are not added`);
  }
  if (seen) await checkTokens(listener, { chain, tokens });
  if (seen) await checkTraces(listener, { chain, network: fields });
  const coin = coinOn(plan, chainId);
  // The audit log lists them in this order.
  const { code, family, name, ...settings } = fields;
  const network = await addNetwork(deps, {
    network: {
      ...{ code, family, name },
      nativeSymbol: coin.symbol,
      nativeDecimals: coin.decimals,
      ...settings,
      chainId,
      genesisHash: seen?.identity.genesisHash ?? null,
      startHeight: plan.startBlock === "latest" ? seen!.tip.height + 1 : plan.startBlock,
      tipAtMs: seen?.tip.atMs ?? null,
      currencies: currenciesOf(coin, tokens),
    },
    actor,
  });
  if (isTestNetwork(network)) listener.warn(aboutCoins(network));
  else if (!plan.preset) {
    listener.note(`${aboutCoins(network)}; if it is a test chain, its settings can say so`);
  }
  listener.note(
    `Its currencies: ${[coin.symbol, ...tokens.map((it) => it.symbol)].join(", ")}`,
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
    if (error instanceof UnfitNode) {
      throw refuse("new_node_unfit", { why: error.message, cause: error });
    }
    if (plan.chainId === undefined || plan.startBlock === "latest") {
      throw refuse("new_node_silent", { network: code, why: error.message, cause: error });
    }
    listener.warn(`${error.message}; ${code} is added without asking its node`);
    return undefined;
  }
}

function mustBeKnown(
  family: NetworkRow["family"],
  { chainId, genesisHash }: Pick<NetworkRow, "chainId" | "genesisHash">,
): void {
  if (!familyOf(family).knowsChain(chainId)) throw refuse("chain_unknown", { genesisHash });
}

function checkChain({ chainId, preset, fields }: NetworkPlan, { identity }: Seen): void {
  mustBeKnown(fields.family, identity);
  if (chainId === undefined || chainId === identity.chainId) return;
  const chains = { chainId, found: identity.chainId };
  throw chainId === preset?.chainId
    ? refuse("node_on_other_chain", { name: preset.name, ...chains })
    : refuse("chain_not_asked_for", chains);
}

function currenciesOf(
  coin: ReturnType<typeof coinOn>,
  tokens: readonly PresetToken[],
): NewNetwork["currencies"] {
  const free = { minDepositAmount: "0", minWithdrawalAmount: "0", feeFlat: "0", feePercent: "0" };
  return [
    { ...coin, contractAddress: null, ...free },
    ...tokens.map(({ contract, ...token }) => ({ ...token, contractAddress: contract, ...free })),
  ];
}
