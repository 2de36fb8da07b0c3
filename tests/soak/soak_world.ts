import type { Deps } from "../../src/deps/deps.ts";
import { adjustBalance } from "../../src/accounts/manage_accounts.ts";
import { setReceivingWallet } from "../../src/accounts/receiving_wallet.ts";
import { gasWallet } from "../../src/wallets/gas_wallet.ts";
import { type FaultyNode, startFaultyNode } from "../../src/sandbox/faults/faulty_node.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { openGateway } from "../../src/app/gateway.ts";
import { type Anvil, startAnvil } from "../support/nodes/anvil.ts";
import { apiClient, type Credentials } from "../support/api_client.ts";
import { type ChildGateway, startChildGateway } from "../support/programs/child_gateway.ts";
import { type Contract, deploy } from "../support/nodes/contracts.ts";
import { enable, makeMerchant, makeNetwork, makeToken } from "../support/gateway.ts";
import { eventually } from "../support/programs/eventually.ts";
import { ETHER, setBalance } from "../support/payers.ts";
import type { AuditedMerchant } from "./audit.ts";
import { makePlace } from "../support/database/database.ts";

/** The program in a process of its own, the chain it follows behind a line, and two merchants. */
export interface SoakWorld extends AsyncDisposable {
  readonly anvil: Anvil;
  readonly line: FaultyNode;
  /** For the operator's commands, beside the process that serves. */
  readonly deps: Deps;
  readonly merchants: readonly SoakMerchant[];
  readonly gasWallet: string;
  readonly token: Contract;
  readonly disperse: Contract;
  readonly rejector: Contract;
  readonly customers: readonly string[];
  kill(): Promise<void>;
  start(): Promise<void>;
  readonly errors: () => string;
}

export interface SoakMerchant extends Omit<AuditedMerchant, "addresses"> {
  readonly addresses: string[];
}

export const MIN_CONFIRMATIONS = 6;
const CURRENCIES = ["ETH", "USDT"];
const ADJUSTED = { ETH: "100", USDT: "10000" };
const CUSTOMERS = 5;

export async function startSoakWorld(): Promise<SoakWorld> {
  const anvil = await startAnvil({ accounts: 1 + CUSTOMERS });
  const line = await startFaultyNode(anvil.url);
  const place = await makePlace({ isMigrated: true });
  const { env } = place;
  let child: ChildGateway = await startChildGateway(env);
  let errors = "";
  const operator = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  const { deps } = operator;
  const kill = async () => {
    await child.kill();
    errors += child.stderr();
  };
  const made = await makeContracts(anvil);
  await makeNetwork(deps, { rpcUrls: [line.url], minConfirmations: MIN_CONFIRMATIONS });
  await makeToken(deps, { network: "ETH", contract: made.token.address });
  const url = () => child.url;
  const merchants: SoakMerchant[] = [];
  for (const name of ["Acme", "Bolt"]) {
    merchants.push(await makeSoakMerchant(deps, { name, url, ...made }));
  }
  const { address: gas } = await gasWallet(deps, { network: "ETH", actor: "test" });
  await setBalance(anvil, gas, 100n * ETHER);
  await anvil.mine(MIN_CONFIRMATIONS);
  await anvil.rpc("evm_setAutomine", [false]);
  await eventually(() => merchants[1]!.api.get("/v1/currencies"), {
    until: ({ body }) => body.data?.length === CURRENCIES.length,
  });
  return {
    ...made,
    anvil,
    line,
    deps,
    merchants,
    gasWallet: gas,
    kill,
    start: async () => void (child = await startChildGateway(env)),
    errors: () => errors + child.stderr(),
    [Symbol.asyncDispose]: async () => {
      await kill().catch(() => {});
      await operator.close();
      await line[Symbol.asyncDispose]();
      await anvil.kill();
      await place.remove();
    },
  };
}

async function makeContracts(anvil: Anvil) {
  const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  const disperse = await deploy(anvil, { name: "Disperse" });
  const rejector = await deploy(anvil, { name: "Rejector" });
  const customers = anvil.accounts.slice(1, 1 + CUSTOMERS);
  for (const from of customers) {
    await token.send("mint", [from, 10n ** 15n]);
    await token.send("approve", [disperse.address, 10n ** 15n], { from });
  }
  return { anvil, token, disperse, rejector, customers };
}

async function makeSoakMerchant(
  deps: Deps,
  { name, url, anvil, token }: { name: string; url: () => string; anvil: Anvil; token: Contract },
): Promise<SoakMerchant> {
  const { accountId, credentials } = await makeMerchant({ deps, url: url() }, { name });
  let hotWallet = "";
  for (const currency of CURRENCIES) {
    const asset = { accountId, network: "ETH", currency };
    hotWallet = await enable(deps, asset);
    const amount = ADJUSTED[currency as keyof typeof ADJUSTED];
    await adjustBalance(deps, { ...asset, amount, note: "soak", actor: "soak" });
  }
  const receiver = `0x${String(accountId).padStart(4, "0").padStart(40, "5eed")}`;
  await setReceivingWallet(deps, { accountId, network: "ETH", address: receiver, actor: "soak" });
  await setBalance(anvil, hotWallet, 1000n * ETHER);
  await token.send("mint", [hotWallet, 10n ** 12n]);
  const api = movingClient(url, credentials);
  return { name, api, hotWallet, receiver, adjusted: ADJUSTED, addresses: [] };
}

/** Each start of the gateway listens on another port. */
function movingClient(url: () => string, credentials: Credentials) {
  const now = () => apiClient(url(), credentials);
  return {
    get: (target: string) => now().get(target),
    post: (target: string, body: unknown) => now().post(target, body),
    send: (call: Parameters<ReturnType<typeof apiClient>["send"]>[0]) => now().send(call),
  };
}
