import { createAccount } from "../../accounts/manage_accounts.ts";
import { createUser, newPassword } from "../../access/manage_users.ts";
import { createApiKey } from "../../access/manage_api_keys.ts";
import type { Deps } from "../../deps/deps.ts";
import { setCheckout } from "../../checkout/checkout.ts";
import { present } from "../../base/assert.ts";
import { rulesOf } from "../../chains/registry.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { PERMISSIONS } from "../../access/rules/permissions.ts";
import { allAccounts } from "../../store/reads/pages/lists.ts";

import { gasWallet } from "../../wallets/gas_wallet.ts";
import type { DemoChain } from "./chain.ts";
import { makeInvoice } from "./invoice.ts";
import { addDemoNetwork, bookStart, enableBoth } from "./networks.ts";
import type { Beside, BesideNetwork } from "./beside.ts";
import { DEMO_TOKEN_DECIMALS, DEMO_TOKEN_DEPLOYMENT, mintCall } from "./token.ts";

export interface DemoSetup {
  readonly accountId: number;
  readonly keyId: string;
  readonly secret: string;
  readonly network: string;
  readonly token: string;
  readonly hotWallet: string;
  readonly linkPath: string;
  readonly invoicePath: string;
  readonly beside: readonly BesideNetwork[];
  /** Of the dashboard. */
  readonly merchant: { readonly email: string; readonly password: string };
}

const NETWORK = "ETH";
const MIN_CONFIRMATIONS = 3;
const POLL_INTERVAL_MS = 500;
const RATE_LIMIT = 600;
const STARTING_ETH = "10";
const GAS_ETH = "1";
const STARTING_USDT = "10000";
const PAYER_USDT = "1000000";
/** As real shops do: nobody should have to compare 18 decimals. */
const PAYER_DIGITS = 6;
const MERCHANT = "merchant@example.com";

const ETHER = {
  symbol: "ETH",
  name: "Ether",
  contractAddress: null,
  decimals: 18,
  minDepositAmount: "0.001",
  minWithdrawalAmount: "0.01",
  feeFlat: "0.001",
  feePercent: "0",
};
const LOCAL_CHAIN = {
  code: NETWORK,
  family: "evm",
  name: "Local chain",
  nativeSymbol: "ETH",
  nativeDecimals: 18,
  minConfirmations: MIN_CONFIRMATIONS,
  pollIntervalMs: POLL_INTERVAL_MS,
  finality: "none",
  quorum: 1,
  traces: "auto",
  currencies: [ETHER],
} as const;

/** The node's own default. */
const LOCAL_CHAIN_ID = "31337";

/** Creates a merchant who can be paid and can pay, on a chain that the gateway reaches at `nodeUrl`. */
export async function setUpDemo(
  deps: Deps,
  { chain, nodeUrl, beside }: {
    chain: DemoChain;
    nodeUrl: string;
    beside: readonly Beside[];
  },
): Promise<DemoSetup> {
  await mustBeEmpty(deps);
  const token = await deployToken(chain);
  await addDemoNetwork(deps, {
    network: LOCAL_CHAIN,
    nodeUrl,
    token: { contractAddress: token, decimals: DEMO_TOKEN_DECIMALS },
  });
  const { id: accountId } = await createAccount(deps, { name: "Demo shop", actor: "cli" });
  await setCheckout(deps, { accountId, change: { digits: PAYER_DIGITS }, actor: "cli" });
  const hotWallet = await enableBoth(deps, { accountId, network: NETWORK, coin: "ETH" });
  await fund(deps, { chain, token, accountId, hotWallet });
  const { address: gas } = await gasWallet(deps, { network: NETWORK, actor: "cli" });
  await chain.send({ to: gas, valueRaw: raw(GAS_ETH, 18) });
  const { row, secret } = await createApiKey(deps, {
    accountId,
    label: "demo",
    permissions: PERMISSIONS,
    ipList: [],
    rateLimit: RATE_LIMIT,
    actor: "cli",
  });
  await chain.tick();
  const networks: BesideNetwork[] = [];
  for (const one of beside) networks.push(await one.setUp(deps, accountId));
  const prices = Object.assign({}, ...beside.map((one) => one.prices));
  const pages = await makeInvoice(deps, { accountId, prices });
  const merchant = { email: MERCHANT, password: newPassword() };
  const login = { email: MERCHANT, role: "merchant", accountId } as const;
  await createUser(deps, { ...login, actor: "cli" }, merchant.password);
  return {
    ...pages,
    beside: networks,
    merchant,
    accountId,
    keyId: row.keyId,
    secret,
    network: NETWORK,
    token,
    hotWallet,
  };
}

async function mustBeEmpty({ catalog, db }: Deps): Promise<void> {
  const [network] = (await catalog.current()).networks;
  const [merchant] = await allAccounts(db);
  const taken = network
    ? `the network ${network.code}`
    : merchant && `the account ${merchant.name}`;
  if (!taken) return;
  throw new OperatorError(
    `The demo needs an empty database, and this one has ${taken}: set CPG_DATABASE_URL to another`,
  );
}

async function deployToken(chain: DemoChain): Promise<string> {
  const { contractAddress } = await chain.send({ data: DEMO_TOKEN_DEPLOYMENT });
  const address = present(contractAddress, "A deployment has an address");
  return rulesOf({ ...LOCAL_CHAIN, chainId: LOCAL_CHAIN_ID }).canonicalAddress(address);
}

interface Funds {
  readonly chain: DemoChain;
  readonly token: string;
  readonly accountId: number;
  readonly hotWallet: string;
}

/** Books what the hot wallet holds, as if it had been paid in. */
async function fund(deps: Deps, { chain, token, accountId, hotWallet }: Funds): Promise<void> {
  const mint = (to: string, amount: string) =>
    chain.send({ to: token, data: mintCall({ to, amountRaw: raw(amount, DEMO_TOKEN_DECIMALS) }) });
  await chain.send({ to: hotWallet, valueRaw: raw(STARTING_ETH, 18) });
  await mint(hotWallet, STARTING_USDT);
  await mint(chain.payer, PAYER_USDT);
  const starting = { accountId, network: NETWORK };
  await bookStart(deps, { ...starting, currency: "ETH", amount: STARTING_ETH });
  await bookStart(deps, { ...starting, currency: "USDT", amount: STARTING_USDT });
}

function raw(whole: string, decimals: number): bigint {
  return BigInt(whole) * 10n ** BigInt(decimals);
}
