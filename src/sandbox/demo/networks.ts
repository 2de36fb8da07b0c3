import { enableCurrency } from "../../accounts/enable_currency.ts";
import { adjustBalance } from "../../accounts/manage_accounts.ts";
import { present } from "../../base/assert.ts";
import type { Deps } from "../../deps/deps.ts";
import { addNetwork, type NewNetwork } from "../../networks/add.ts";
import { addCurrency } from "../../networks/currencies.ts";

/** Without what the node itself knows. */
type DemoNetwork = Omit<
  NewNetwork,
  "chainId" | "genesisHash" | "rpcUrls" | "startHeight" | "tipAtMs"
>;

/** Of the money that each network starts with. */
interface Starting {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
}

const DOLLAR = {
  symbol: "USDT",
  name: "Tether USD",
  minDepositAmount: "1",
  minWithdrawalAmount: "5",
  feeFlat: "1",
  feePercent: "0.5",
};

/** A network of the chain behind `nodeUrl`, from its next block on, with its coin and perhaps a dollar. */
export async function addDemoNetwork(
  deps: Deps,
  { network, nodeUrl, token }: {
    network: DemoNetwork;
    nodeUrl: string;
    token?: { contractAddress: string; decimals: number };
  },
): Promise<{ readonly chainId: string }> {
  const rpcUrls = [nodeUrl];
  const node = deps.chains.unverified({ family: network.family, rpcUrls });
  const [{ genesisHash, chainId }, tip] = await Promise.all([node.identity(), node.tip()]);
  const found = { chainId, genesisHash, rpcUrls, startHeight: tip.height + 1, tipAtMs: tip.atMs };
  await addNetwork(deps, { network: { ...network, ...found }, actor: "cli" });
  if (token) {
    const currency = { ...DOLLAR, ...token, network: network.code };
    await addCurrency(deps, { currency, actor: "cli" });
  }
  return { chainId };
}

/** Both are paid from the same hot wallet. */
export async function enableBoth(deps: Deps, its: Enabling): Promise<string> {
  await enableCoin(deps, its);
  return await enableCoin(deps, { ...its, coin: "USDT" });
}

interface Enabling {
  readonly accountId: number;
  readonly network: string;
  readonly coin: string;
}

export async function enableCoin(
  deps: Deps,
  { accountId, network, coin }: Enabling,
): Promise<string> {
  const order = { accountId, network, isOperator: true, actor: "cli" };
  const allowed = { isDepositEnabled: true, isWithdrawalEnabled: true };
  const { hotWallet } = await enableCurrency(deps, { ...order, ...allowed, currency: coin });
  return present(hotWallet, "An enabled currency has a hot wallet");
}

/** Books what the hot wallet holds, as if it had been paid in. */
export async function bookStart(deps: Deps, starting: Starting): Promise<void> {
  const note = "what the demo starts with";
  await adjustBalance(deps, { ...starting, note, actor: "cli" });
}
