import assert from "node:assert/strict";
import { setAccount } from "../../src/accounts/set_account.ts";
import { findNetwork } from "../../src/books/find.ts";
import { collectorAddress, collectorCode } from "../../src/chains/evm/collector/deployment.ts";
import type { Collector } from "../../src/chains/collecting.ts";
import { deployCollector, planDeployment } from "../../src/collectors/deploy.ts";
import { confirmDeposits } from "../../src/deposits/confirm.ts";
import { Amount, assetOf } from "../../src/domain/money/amount.ts";
import { followNetwork } from "../../src/following/follow_network.ts";
import { setNetwork } from "../../src/networks/set.ts";
import { reconcile } from "../../src/reconcile/reconcile.ts";
import { settleTransfers } from "../../src/settlement/settle_transfers.ts";
import { assignSweeps } from "../../src/sweeps/assign.ts";
import type { BatchPlace, Sweeping } from "../../src/sweeps/batches.ts";
import { depositsOfSweep } from "../../src/sweeps/reads/sweeps.ts";
import { Sweeps } from "../../src/sweeps/table.ts";
import { gasWalletOf } from "../../src/wallets/reads/addresses.ts";
import { Addresses } from "../../src/wallets/tables/addresses.ts";
import { enable, makeToken } from "./gateway.ts";
import { type Anvil, startAnvil } from "./nodes/anvil.ts";
import { type Contract, deploy } from "./nodes/contracts.ts";
import {
  type FaultProxy,
  type OnCall,
  type RpcReply,
  startFaultProxy,
} from "./nodes/fault_proxy.ts";
import {
  fundGasWallet,
  payIn,
  RECEIVER,
  startSweepingWorld,
  type SweepingWorld,
  sweepsOf,
  sweepTo,
} from "./sweeping.ts";
import { allocate } from "./views.ts";

export const PAID = 5_000_000n;

export interface Scene extends AsyncDisposable {
  readonly anvil: Anvil;
  readonly proxy: FaultProxy;
  /** Before the second node, if there is one. */
  readonly second: FaultProxy;
  readonly world: SweepingWorld;
  readonly token: Contract;
  readonly gas: string;
  readonly collector: Collector;
  readonly addresses: readonly string[];
  /** What is due now. */
  due(): Promise<Sweeping[]>;
  place(isDelegating?: boolean): Promise<BatchPlace>;
  /** Mines and reads blocks, and books what is final in them; nothing is swept. */
  look(blocks: number): Promise<void>;
}

interface SceneOptions {
  readonly currency?: "USDT" | "ETH";
  readonly paidRaw?: bigint;
  /** Beside the one behind the proxy, which is asked first. */
  readonly hasSecondNode?: boolean;
}

/** Customers have paid, their deposits are credited, and the contract is deployed. */
export async function startScene(
  customers = 3,
  { currency = "USDT", paidRaw = PAID, hasSecondNode = false }: SceneOptions = {},
): Promise<Scene> {
  const anvil = await startAnvil({ args: ["--hardfork", "prague"] });
  const proxy = await startFaultProxy(anvil.url, () => "pass");
  const second = await startFaultProxy(anvil.url, () => "pass");
  const rpcUrls = [proxy.url, ...hasSecondNode ? [second.url] : []];
  const world = await startSweepingWorld({ anvil, receiver: null, rpcUrls });
  const { deps, merchant: { api, accountId } } = world;
  const token = await deploy(anvil, { name: "UsdtLike" });
  await makeToken(deps, { network: "ETH", contract: token.address });
  await enable(deps, { accountId, network: "ETH", currency: "USDT" });
  const addresses: string[] = [];
  for (let i = 0; i < customers; i++) {
    const { address } = await allocate(api, { currency, user: `customer ${i}` });
    addresses.push(address);
    const paid = { to: address, raw: paidRaw };
    await payIn(world, currency === "ETH" ? paid : { ...paid, token });
  }
  await world.turn();
  await sweepTo(world, RECEIVER);
  const gas = await fundGasWallet(world);
  const chainId = Number(await anvil.rpc("eth_chainId"));
  // As if its first transaction had deployed it.
  const collector = { chainId, owner: gas, nonce: 1_000 };
  await anvil.rpc("anvil_setCode", [collectorAddress(collector), collectorCode(collector)]);
  return {
    ...{ anvil, proxy, second, world, token, gas, collector, addresses },
    due: () => dueNow(world),
    place: async (isDelegating = true) => {
      const network = await findNetwork(deps, "ETH");
      return {
        network,
        chain: deps.chains.of(network),
        gasWallet: (await gasWalletOf(deps.db, "ETH"))!,
        collector,
        older: [],
        delegatingAccounts: new Set(isDelegating ? [accountId] : []),
      };
    },
    look: async (blocks) => {
      await anvil.mine(blocks);
      const network = await findNetwork(deps, "ETH");
      while (!(await followNetwork(deps, network)).isCaughtUp);
      await confirmDeposits(deps, network);
      await settleTransfers(deps, network);
    },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await Promise.all([proxy, second].map((one) => one[Symbol.asyncDispose]()));
      await anvil[Symbol.asyncDispose]();
    },
  };
}

async function dueNow({ deps }: SweepingWorld): Promise<Sweeping[]> {
  const network = await findNetwork(deps, "ETH");
  await assignSweeps(deps, network);
  const chain = deps.chains.of(network);
  const catalog = await deps.catalog.current();
  const waiting = await deps.db.rows(Sweeps, "WHERE state = 'waiting' ORDER BY id");
  return await Promise.all(waiting.map(async (sweep) => {
    const deposits = await depositsOfSweep(deps.db, sweep.id);
    const currency = catalog.currency("ETH", sweep.currency)!;
    const address = await deps.db.get(Addresses, [sweep.addressId]);
    const asset = assetOf(sweep);
    const amount = deposits.reduce(
      (sum, row) => sum.plus(Amount.parse(row.amount, asset)),
      Amount.zero(asset),
    );
    return {
      network,
      chain,
      sweep,
      currency,
      address,
      to: RECEIVER,
      deposits,
      orphans: [],
      amount,
    };
  }));
}

export const statesOf = async ({ world }: Scene) =>
  (await sweepsOf(world)).map(({ state }) => state);

/** Every address against the chain, and every account against its entries. */
export async function checkBooks({ world: { deps } }: Scene): Promise<void> {
  const { differences, surplus, skipped } = await reconcile(deps, { network: undefined });
  assert.deepEqual({ differences, surplus, skipped }, {
    differences: [],
    surplus: [],
    skipped: [],
  });
}

export const heldBy = (token: Contract, address: string) => token.read("balanceOf", [address]);

/** As an operator would: deploy, then set the network to it. */
export async function switchOn(
  { world: { deps, merchant: { accountId } }, anvil }: Scene,
  change: { collect: "batch" | "auto"; collectWaitMs?: number },
): Promise<void> {
  const network = await findNetwork(deps, "ETH");
  const plan = await planDeployment(deps, network);
  assert.equal(plan.kind, "new");
  await deployCollector(deps, {
    deploying: (plan as Extract<typeof plan, { kind: "new" }>).deploying,
    actor: "test",
  });
  await anvil.mine(3);
  await setNetwork(deps, { code: "ETH", change, actor: "test" });
  await setAccount(deps, { id: accountId, change: { delegatesNative: true }, actor: "test" });
}

/** One node's answers about these addresses. */
export function lie(
  about: readonly string[],
  said: Readonly<Record<string, string>>,
): OnCall {
  const own = new Set(about.map((address) => address.toLowerCase()));
  return (method, [address]) => {
    const result = own.has(String(address).toLowerCase()) ? said[method] : undefined;
    return result === undefined ? "pass" : { edit: (reply: RpcReply) => ({ ...reply, result }) };
  };
}
