import { setAccount } from "../../src/accounts/set_account.ts";
import { adjustBalance } from "../../src/accounts/manage_accounts.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { openGateway } from "../../src/app/gateway.ts";
import { TEST_MASTER_KEY } from "../support/database/database.ts";
import { enable, makeMerchant, makeNetwork, type TestNetwork } from "../support/gateway.ts";

export interface Installation extends AsyncDisposable {
  readonly folder: string;
  /** The environment of a program that serves it. */
  readonly env: Record<string, string>;
  readonly key: { readonly keyId: string; readonly secret: string };
  readonly accountId: number;
  readonly hotWallet: string;
}

interface InstallationOptions {
  readonly databaseUrl?: string;
  readonly rpcUrl?: string;
  /** Ethereum by default. */
  readonly chain?: Omit<TestNetwork, "rpcUrls"> & { readonly symbol: string };
}

/** More than any run spends. */
export const START_BALANCE = "1000000000";
const ETHER = { symbol: "ETH" };
const NO_NODE = "http://127.0.0.1:9";

/** A database with one merchant who has more money than any run spends; nothing follows its chain. */
export async function makeInstallation(
  { databaseUrl, rpcUrl = NO_NODE, chain = ETHER }: InstallationOptions = {},
): Promise<Installation> {
  const folder = await Deno.makeTempDir({ prefix: "cpg-bench-" });
  const env = {
    CPG_DATABASE_URL: databaseUrl ?? `file:${folder}/cpg.db`,
    CPG_MASTER_KEY: TEST_MASTER_KEY,
    CPG_PORT: "0",
    CPG_LOG_LEVEL: "info",
    CPG_WORKER: "false",
  };
  const gateway = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  const { deps } = gateway;
  const merchant = await makeMerchant({ deps, url: "" }, { rateLimit: 1_000_000_000 });
  const { accountId } = merchant;
  // A run stores more than an account's day allows.
  await setAccount(deps, { id: accountId, change: { quotaMb: 1_000_000 }, actor: "bench" });
  const network = await makeNetwork(deps, { rpcUrls: [rpcUrl], ...chain });
  const asset = { accountId, network, currency: chain.symbol };
  const hotWallet = await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount: START_BALANCE, note: "bench", actor: "bench" });
  await gateway.close();
  const { keyId, secret } = merchant.credentials;
  return {
    folder,
    env,
    key: { keyId, secret },
    accountId,
    hotWallet,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
