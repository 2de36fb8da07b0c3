import { createApiKey } from "../../src/access/manage_api_keys.ts";
import { PERMISSIONS } from "../../src/access/rules/permissions.ts";
import { enableCurrency } from "../../src/accounts/enable_currency.ts";
import { createAccount } from "../../src/accounts/manage_accounts.ts";
import { type Config, readConfig } from "../../src/app/config/config.ts";
import type { Env } from "../../src/app/config/variables.ts";
import { serve, type Serving } from "../../src/app/serve.ts";
import type { Deps } from "../../src/deps/deps.ts";
import { addNetwork } from "../../src/networks/add.ts";
import { addCurrency } from "../../src/networks/currencies.ts";
import type { NetworkRow } from "../../src/networks/table.ts";
import { type ApiClient, apiClient, type Credentials } from "./api_client.ts";
import { makePlace } from "./database/database.ts";

export interface TestGateway extends AsyncDisposable {
  readonly serving: Serving;
  readonly deps: Deps;
  readonly url: string;
  readonly config: Config;
  stop(): Promise<void>;
}

/** As the program reads it, but passwords cost nothing: half a second for each adds up. */
export function testConfig(env: Env): Config {
  return { ...readConfig(env), passwordCost: { N: 2, r: 8, p: 1 } };
}

/** A whole gateway on a free port, with a database of its own that goes with it. */
export async function startGateway(env: Env = {}): Promise<TestGateway> {
  const place = await makePlace({ isMigrated: true });
  const config = testConfig({
    ...place.env,
    CPG_PORT: "0",
    CPG_LOG_LEVEL: "silent",
    ...env,
  });
  const serving = await serve(config);
  const stop = async () => {
    await serving.stop();
    await place.remove();
  };
  return {
    serving,
    deps: serving.gateway.deps,
    url: serving.url,
    config,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

export interface Merchant {
  readonly accountId: number;
  readonly credentials: Credentials;
  readonly api: ApiClient;
}

const ACTOR = "test";

export async function makeMerchant(
  { deps, url }: Pick<TestGateway, "deps" | "url">,
  options: {
    name?: string;
    ipList?: string[];
    rateLimit?: number;
    permissions?: typeof PERMISSIONS[number][];
  } = {},
): Promise<Merchant> {
  const account = await createAccount(deps, { name: options.name ?? "Acme", actor: ACTOR });
  const { row, secret } = await createApiKey(deps, {
    accountId: account.id,
    label: "test",
    permissions: options.permissions ?? [...PERMISSIONS],
    ipList: options.ipList ?? [],
    rateLimit: options.rateLimit ?? 100_000,
    actor: ACTOR,
  });
  const credentials = { keyId: row.keyId, secret };
  return { accountId: account.id, credentials, api: apiClient(url, credentials) };
}

export interface TestNetwork extends Partial<TestCoin> {
  readonly code?: string;
  readonly rpcUrls: readonly string[];
  readonly chainId?: string;
  /** Null: its chain id says it. */
  readonly isTest?: boolean | null;
  readonly minConfirmations?: number;
  readonly startHeight?: number;
  readonly pollIntervalMs?: number;
  /** No node has ever answered. */
  readonly isUnseen?: boolean;
}

export interface TestCoin {
  readonly family: NetworkRow["family"];
  readonly finality: NetworkRow["finality"];
  readonly symbol: string;
  readonly decimals: number;
}

const ETHER: TestCoin = { family: "evm", finality: "none", symbol: "ETH", decimals: 18 };

export async function makeNetwork(deps: Deps, options: TestNetwork): Promise<string> {
  const { family, finality, symbol, decimals } = { ...ETHER, ...options };
  const row = await addNetwork(deps, {
    actor: ACTOR,
    network: {
      code: options.code ?? "ETH",
      family,
      name: "Ethereum",
      nativeSymbol: symbol,
      nativeDecimals: decimals,
      chainId: options.chainId ?? "31337",
      isTest: options.isTest ?? null,
      genesisHash: null,
      rpcUrls: options.rpcUrls,
      minConfirmations: options.minConfirmations ?? 3,
      pollIntervalMs: options.pollIntervalMs ?? 50,
      startHeight: options.startHeight ?? 1,
      tipAtMs: options.isUnseen ? null : deps.clock.nowMs(),
      finality,
      quorum: 1,
      traces: "auto",
      currencies: [{
        symbol,
        name: "Ether",
        contractAddress: null,
        decimals,
        minDepositAmount: "0",
        minWithdrawalAmount: "0.001",
        feeFlat: "0.0001",
        feePercent: "0.5",
      }],
    },
  });
  return row.code;
}

export async function makeToken(
  deps: Deps,
  token: { network: string; contract: string; symbol?: string; decimals?: number },
): Promise<void> {
  await addCurrency(deps, {
    actor: ACTOR,
    currency: {
      network: token.network,
      symbol: token.symbol ?? "USDT",
      name: "Tether USD",
      contractAddress: token.contract,
      decimals: token.decimals ?? 6,
      minDepositAmount: "1",
      minWithdrawalAmount: "5",
      feeFlat: "1",
      feePercent: "0",
    },
  });
}

/** The account's hot wallet on the network, if it has one. */
export async function enable(
  deps: Deps,
  order: {
    accountId: number;
    network: string;
    currency: string;
    deposit?: boolean;
    withdrawal?: boolean;
  },
): Promise<string> {
  const { hotWallet } = await enableCurrency(deps, {
    accountId: order.accountId,
    network: order.network,
    currency: order.currency,
    isDepositEnabled: order.deposit ?? true,
    isWithdrawalEnabled: order.withdrawal ?? true,
    isOperator: true,
    actor: ACTOR,
  });
  return hotWallet ?? "";
}
