import type { Chain } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { presetOn, type PresetToken } from "./catalogue.ts";
import type { NetworkRow } from "./table.ts";

/** Receives messages about what couldn't be checked. */
export interface Listener {
  note(line: string): void;
  warn(line: string): void;
  /** Throws if a person, told the reason against it, doesn't want to go on; otherwise it is a warning. */
  ask?(why: string): Promise<void>;
}

interface Check {
  readonly network: NetworkRow;
  readonly before: NetworkRow;
  readonly listener: Listener;
  /** Nodes that don't answer are taken too. */
  readonly isForced: boolean;
}

/** New nodes must be on the chain of the books and able to do what they are needed for. */
export async function checkNodes(
  deps: Deps,
  { network, before, listener, isForced }: Check,
): Promise<void> {
  if (network.minConfirmations !== before.minConfirmations) {
    await checkConfirmations(listener, network);
  }
  const isSameNodes = JSON.stringify(network.rpcUrls) === JSON.stringify(before.rpcUrls);
  const chain = deps.chains.unverified(network);
  if (!isSameNodes) await checkSameChain(chain, { network, listener, isForced });
  if (!isSameNodes || network.traces !== before.traces) {
    await checkTraces(listener, { chain, network });
  }
}

/** What the catalogue knows of a chain is what it takes until a block stays. */
export async function checkConfirmations(
  listener: Listener,
  network: Pick<NetworkRow, "family" | "chainId" | "minConfirmations">,
): Promise<void> {
  const known = presetOn(network);
  if (!known || network.minConfirmations >= known.minConfirmations) return;
  const why = `${known.name} takes back blocks that are less deep than ` +
    `${known.minConfirmations}, and with them deposits that ${network.minConfirmations} ` +
    "confirmations have credited";
  await (listener.ask?.(why) ?? listener.warn(why));
}

async function checkSameChain(
  chain: Chain,
  { network, listener, isForced }: Omit<Check, "before">,
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
    if (!isForced) {
      throw refuse("new_nodes_silent", {
        network: network.code,
        why: error.message,
        cause: error,
      });
    }
    listener.warn(`${error.message}; its chain is checked when it answers`);
  }
}

/** A node that can't do what was requested is refused; a silent one fails later, when it is followed. */
export async function checkTraces(
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

export async function checkTokens(
  listener: Listener,
  { chain, tokens }: { chain: Chain; tokens: readonly PresetToken[] },
): Promise<void> {
  for (const token of tokens) await checkDecimals(listener, { chain, ...token });
}

interface TokenFacts {
  readonly chain: Chain;
  readonly symbol: string;
  readonly contract: string;
  readonly decimals: number;
}

/** Wrong decimals could credit a million times too much. If the node is silent, they stay unchecked. */
export async function checkDecimals(listener: Listener, token: TokenFacts): Promise<void> {
  const { chain, symbol, contract, decimals } = token;
  const found = await chain.tokenDecimals(contract).catch((error) => {
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
