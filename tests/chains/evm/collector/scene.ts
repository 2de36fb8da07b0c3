import type { CoinMove, Collector } from "../../../../src/chains/collecting.ts";
import assert from "node:assert/strict";
import type { TransactionSerializable } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { hashAuthorization, keccak256 } from "viem/utils";
import { fromHex } from "../../../../src/base/bytes.ts";
import { asHex, hex32 } from "../../../../src/chains/evm/decode.ts";
import { decodeReceipt, type EvmLog } from "../../../../src/chains/evm/blocks/decode_receipt.ts";
import {
  type Batch,
  batchCall,
  type OrderOutcome,
  readOutcomes,
} from "../../../../src/chains/evm/collector/batch.ts";
import { isBorneOut } from "../../../../src/chains/token_moves.ts";
import { authorize } from "../../../../src/chains/evm/collector/delegation.ts";
import {
  collectorAddress,
  collectorCode,
  initCode,
} from "../../../../src/chains/evm/collector/deployment.ts";
import { signDetail } from "../../../../src/chains/evm/transfers/sign_transfer.ts";
import {
  type Delegation,
  type SignedAuthorization,
  unsigned,
} from "../../../../src/chains/evm/transfers/unsigned.ts";
import { type Anvil, type Reply, startAnvil } from "../../../support/nodes/anvil.ts";
import type { Contract } from "../../../support/nodes/contracts.ts";
import { fund, makeWallet, type TestWallet } from "../../../support/nodes/evm_wallet.ts";

export const CHAIN_ID = 31337;
/** The key of `makeWallet(1)`. */
const GAS_ACCOUNT = privateKeyToAccount(`0x${"07".repeat(28)}00000001`);
const FEE = { kind: "eip1559", maxFeeRaw: 3_000_000_000n, tipRaw: 1n } as const;
const GAS = 15_000_000n;

export interface Scene extends AsyncDisposable {
  readonly anvil: Anvil;
  readonly gasWallet: TestWallet;
  readonly collector: Collector;
  /** The collector's. */
  readonly address: string;
  /** The gas it took. */
  readonly deployGas: number;
}

interface SentBatch {
  readonly txHash: string;
  readonly raw: string;
  readonly succeeded: boolean;
  readonly gasUsed: number;
  readonly logs: readonly EvmLog[];
  readonly outcomes: readonly OrderOutcome[];
}

/** A chain with EIP-7702 where the gas wallet has deployed its collector. */
export async function startScene(
  { owner, args = [] }: { owner?: string; args?: readonly string[] } = {},
): Promise<Scene> {
  const anvil = await startAnvil({ args: ["--hardfork", "prague", ...args] });
  const gasWallet = makeWallet(1);
  await fund(anvil, gasWallet.address);
  const collector = { chainId: CHAIN_ID, owner: gasWallet.address, nonce: 0 };
  const data = initCode(owner ?? gasWallet.address);
  const { receipt } = await sendFrom({ anvil, gasWallet }, { to: null, data });
  const address = collectorAddress(collector);
  assert.equal(receipt.contractAddress, address.toLowerCase());
  if (owner === undefined) assert.equal(await codeOf(anvil, address), collectorCode(collector));
  const deployGas = Number(receipt.gasUsed);
  const { stop } = anvil;
  return { anvil, gasWallet, collector, address, deployGas, [Symbol.asyncDispose]: stop };
}

interface Sending {
  readonly to: string | null;
  readonly data: string;
  readonly gas?: bigint;
  readonly authorizations?: readonly SignedAuthorization[];
}

export async function signFrom(
  { gasWallet: { address: from, signer } }: Pick<Scene, "gasWallet">,
  { nonce, gas = GAS, ...to }: Sending & { nonce: number },
) {
  const detail = { chainId: CHAIN_ID, valueRaw: 0n, gas, fee: FEE, ...to };
  const costMaxRaw = gas * FEE.maxFeeRaw;
  const { authorizations = [] } = to;
  const foreign = authorizations.filter(({ chainId }) => chainId !== CHAIN_ID);
  if (foreign.length === 0) {
    return await signDetail({ from, detail, costMaxRaw }, { nonce, signer });
  }
  // The program refuses to.
  const own = unsigned({ ...detail, authorizations: [] }, nonce);
  const raw = await GAS_ACCOUNT.signTransaction({
    ...{ ...own, type: "eip7702", authorizationList: [...authorizations] },
  } as TransactionSerializable);
  return { raw, txHash: keccak256(raw), nonce };
}

async function sendFrom(
  scene: Pick<Scene, "anvil" | "gasWallet">,
  sending: Sending,
): Promise<{ raw: string; receipt: Reply }> {
  const nonce = await nonceOf(scene.anvil, scene.gasWallet.address);
  const { raw, txHash } = await signFrom(scene, { ...sending, nonce });
  const receipt = await scene.anvil.rpc("eth_sendRawTransactionSync", [raw]);
  assert.equal(receipt.transactionHash, txHash);
  return { raw, receipt };
}

/** By default every order is tried, with enough gas for a usual token. */
export async function sendBatch(
  scene: Scene,
  { orders, authorizations = [], gasEach = 150_000n, atLeast = 0, gas = GAS }:
    & { orders: readonly CoinMove[]; authorizations?: readonly SignedAuthorization[] }
    & Partial<Omit<Batch, "orders">>
    & { gas?: bigint },
): Promise<SentBatch> {
  const data = batchCall({ orders, gasEach, atLeast });
  const { raw, receipt } = await sendFrom(scene, { to: scene.address, data, gas, authorizations });
  const { txHash, succeeded, logs } = await decodeReceipt(receipt, receipt.transactionHash);
  const outcomes = readOutcomes(logs, { collector: scene.address, orders });
  return { txHash, raw, succeeded, gasUsed: Number(receipt.gasUsed), logs, outcomes };
}

/** For coins the outcome is all there is to ask. */
export function hasMoved(
  outcome: OrderOutcome,
  { contract, amountRaw, lostRaw }:
    & Pick<CoinMove, "contract" | "amountRaw">
    & { lostRaw: bigint },
): boolean {
  if (outcome.kind !== "moved") return false;
  const { arrivedRaw: loggedRaw } = outcome;
  return contract === null || loggedRaw > 0n && isBorneOut({ amountRaw, loggedRaw }, lostRaw);
}

type Authorizing = Omit<Delegation, "from" | "to"> & Pick<TestWallet, "signer">;

export function authorizeCollector(
  { signer, ...order }: Authorizing,
): Promise<SignedAuthorization> {
  return authorize({ ...order, to: "collector" }, signer);
}

export function authorizeNobody({ signer, ...order }: Authorizing): Promise<SignedAuthorization> {
  return authorize({ ...order, to: "nobody" }, signer);
}

export async function authorizationsOf(
  { anvil, collector }: Scene,
  wallets: readonly TestWallet[],
): Promise<SignedAuthorization[]> {
  return await Promise.all(wallets.map(async ({ address, signer }) => {
    return await authorizeCollector({ collector, signer, nonce: await nonceOf(anvil, address) });
  }));
}

/** Whatever one likes to sign, as no function of the program does. */
export async function signAny(
  { signer }: TestWallet,
  order: { chainId?: number; address: string; nonce: number },
): Promise<SignedAuthorization> {
  const unsigned = {
    chainId: CHAIN_ID,
    ...order,
    address: asHex(order.address),
  };
  const { r, s, recovery } = await signer.sign(fromHex(hashAuthorization(unsigned).slice(2))!);
  return { ...unsigned, r: hex32(r), s: hex32(s), yParity: recovery };
}

/** They delegate to the collector, in a batch without orders. */
export async function delegateAll(scene: Scene, wallets: readonly TestWallet[]): Promise<void> {
  await sendBatch(scene, { orders: [], authorizations: await authorizationsOf(scene, wallets) });
}

export async function nonceOf(anvil: Anvil, address: string): Promise<number> {
  return Number(await anvil.rpc("eth_getTransactionCount", [address, "latest"]));
}

export async function codeOf(anvil: Anvil, address: string): Promise<string> {
  return await anvil.rpc("eth_getCode", [address, "latest"]);
}

export async function coinsOf(anvil: Anvil, address: string): Promise<bigint> {
  return BigInt(await anvil.rpc("eth_getBalance", [address, "latest"]));
}

export function tokensOf(token: Contract, { address }: { address: string }): Promise<bigint> {
  return token.read("balanceOf", [address]);
}

export function makeWallets(count: number, from: number): TestWallet[] {
  return Array.from({ length: count }, (_, i) => makeWallet(from + i));
}
