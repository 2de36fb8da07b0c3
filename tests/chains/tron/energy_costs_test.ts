import assert from "node:assert/strict";
import { present } from "../../../src/base/assert.ts";
import type { Chain } from "../../../src/chains/chain.ts";
import type { StakeOrder } from "../../../src/chains/energy.ts";
import type { TransferRequest } from "../../../src/chains/transfer.ts";
import { USDT_ENERGY } from "../../../src/sandbox/tron_node/contracts/token.ts";
import { planLoans } from "../../../src/domain/energy_loans.ts";
import { makeTronWallet } from "../../support/nodes/tron_wallet.ts";
import { startTronNode, type TokenHandle, type TronNode } from "../../support/tron_node/start.ts";
import { chainOf, receiver, sender, TRX } from "./sending.ts";

type Wallet = ReturnType<typeof makeTronWallet>;

const GAS_WALLET = sender;
const USDT = 25_000_000n;
const SUN_PER_TRX = Number(TRX);

interface Scene {
  readonly node: TronNode;
  readonly chain: Chain;
  readonly token: TokenHandle;
}

/** A gas wallet whose free bandwidth of the day is used up, and a receiving wallet with USDT. */
async function scene(node: TronNode): Promise<Scene> {
  node.fund(GAS_WALLET.address, 1_000n * TRX);
  node.fund(receiver, 1n);
  const manners = { answers: "false", energy: USDT_ENERGY } as const;
  const token = node.deployToken({ name: "Tether USD", symbol: "USDT", decimals: 6, manners });
  token.mint(receiver, 1n);
  const made = { node, chain: chainOf(node.url), token };
  const payment = { from: GAS_WALLET.address, to: receiver, contract: null, amountRaw: 1n };
  for (let i = 0; i < 3; i++) await transfer(made, GAS_WALLET, payment);
  return made;
}

/** Activated, with USDT and one sun. */
function depositAddress({ node, token }: Scene, index: number): Wallet {
  const wallet = makeTronWallet(100 + index);
  node.setBalance(wallet.address, 1n);
  token.mint(wallet.address, USDT);
  return wallet;
}

async function transfer({ node, chain }: Scene, by: Wallet, request: TransferRequest) {
  const preflight = await chain.prepareTransfer(request);
  if (preflight.kind === "refused") throw new Error(preflight.reason);
  const nonce = node.head.timestampMs + 600_000;
  const { raw } = await chain.signTransfer(preflight.prepared, { nonce, signer: by.signer });
  assert.deepEqual(await chain.broadcast(raw), { kind: "accepted" });
  node.produce();
  assert.deepEqual(node.head.transactions.map(({ ret }) => ret.contractRet), ["SUCCESS"]);
}

async function change({ node, chain }: Scene, order: Omit<StakeOrder, "from">) {
  const energy = present(chain.energy, "TRON has energy");
  const preflight = await energy.prepareStake({ from: GAS_WALLET.address, ...order });
  if (preflight.kind === "refused") throw new Error(preflight.reason);
  const nonce = node.head.timestampMs + 600_000;
  const options = { nonce, signer: GAS_WALLET.signer };
  const { raw } = await chain.signTransfer(preflight.prepared, options);
  assert.deepEqual(await chain.broadcast(raw), { kind: "accepted" });
  node.produce();
}

function sweepOf({ token }: Scene, { address }: Wallet): TransferRequest {
  return { from: address, to: receiver, contract: token.address, amountRaw: USDT };
}

async function needOf({ chain }: Scene, request: TransferRequest) {
  const preflight = await chain.prepareTransfer(request);
  if (preflight.kind === "refused") throw new Error(preflight.reason);
  return preflight.prepared;
}

/** The TRX that are gone after each step, from the gas wallet and the address together. */
async function burnedBy(
  { node }: Scene,
  { address }: Wallet,
  steps: readonly (() => Promise<void>)[],
): Promise<number[]> {
  const held = () => node.balanceOf(GAS_WALLET.address) + node.balanceOf(address);
  const burned: number[] = [];
  for (const step of steps) {
    const before = held();
    await step();
    burned.push(Number(before - held()) / SUN_PER_TRX);
  }
  return burned;
}

/** As today: coins for the sweep, and the sweep. */
async function burningSweep(made: Scene, wallet: Wallet): Promise<number[]> {
  const request = sweepOf(made, wallet);
  return await burnedBy(made, wallet, [
    async () => {
      const { nativeCostMaxRaw } = await needOf(made, request);
      const { address: from } = GAS_WALLET;
      const gas = { from, to: wallet.address, contract: null, amountRaw: nativeCostMaxRaw };
      await transfer(made, GAS_WALLET, gas);
    },
    () => transfer(made, wallet, request),
  ]);
}

/** A loan, the sweep, and the loan taken back. */
async function lendingSweep(made: Scene, wallet: Wallet): Promise<number[]> {
  const { chain: { energy } } = made;
  const { address } = wallet;
  const request = sweepOf(made, wallet);
  return await burnedBy(made, wallet, [
    async () => {
      const { charge } = await needOf(made, request);
      const quota = await energy!.quotaOf(address);
      const stake = await energy!.stakeOf(GAS_WALLET.address);
      const [plan] = planLoans([{ address, energy: charge.gas, quota }], stake);
      assert.ok(plan?.kind === "lend", plan?.kind);
      await change(made, { kind: "lend", to: address, amountRaw: plan.amountRaw });
    },
    () => transfer(made, wallet, request),
    async () => {
      const owned = (borrowers: readonly string[]) => Promise.resolve(new Set(borrowers));
      const [loan] = await energy!.loansOf(GAS_WALLET.address, owned);
      await change(made, { kind: "take_back", to: address, amountRaw: loan!.amountRaw });
    },
  ]);
}

function sum(burned: readonly number[]): number {
  return Math.round(burned.reduce((total, trx) => total + trx, 0) * SUN_PER_TRX) / SUN_PER_TRX;
}

Deno.test("a USDT sweep burns 6.7 TRX without energy, and 0.56 TRX with energy that is lent for it", async () => {
  await using node = await startTronNode();
  const made = await scene(node);

  const without = await burningSweep(made, depositAddress(made, 1));

  // The bytes of the payment of coins, and 64,285 units of energy.
  assert.deepEqual(without, [0.268, 6.4285]);
  assert.ok(sum(without) <= 7.5);
  node.stakeFor(GAS_WALLET.address, 50_000n * TRX);

  const lent = await lendingSweep(made, depositAddress(made, 2));

  // The address has 600 bytes of free bandwidth a day, and its sweep takes 345.
  assert.deepEqual(lent, [0.279, 0, 0.281]);
  assert.ok(sum(lent) <= 0.7);
});

Deno.test("with a bit staked for bandwidth too, a sweep whose energy is lent burns nothing", async () => {
  await using node = await startTronNode();
  const made = await scene(node);
  node.stakeFor(GAS_WALLET.address, 50_000n * TRX);
  node.setResources(GAS_WALLET.address, { net: 600n });
  assert.deepEqual(await lendingSweep(made, depositAddress(made, 1)), [0, 0, 0]);
});

Deno.test("energy for one sweep after the other is lent until the day's is used up, and comes back", async () => {
  await using node = await startTronNode();
  const made = await scene(node);
  const { chain: { energy } } = made;
  node.stakeFor(GAS_WALLET.address, 50_000n * TRX);
  const swept = async (index: number) => sum(await lendingSweep(made, depositAddress(made, index)));
  // 473,000 units a day are seven sweeps, of which each must be lent a fifth more than it takes.
  for (let index = 1; index <= 7; index++) assert.ok(await swept(index) <= 0.7, String(index));
  const wallet = depositAddress(made, 8);
  const { charge } = await needOf(made, sweepOf(made, wallet));
  const need = { address: wallet.address, energy: charge.gas, quota: { limit: 0n, used: 0n } };
  const planned = async () => planLoans([need], await energy!.stakeOf(GAS_WALLET.address))[0]!.kind;
  assert.equal(await planned(), "burn");
  assert.ok(sum(await burningSweep(made, wallet)) <= 7.5);
  node.setTime(node.head.timestampMs + 6 * 3_600_000);
  node.produce();
  assert.equal(await planned(), "lend");
});

Deno.test("a second sweep of an address on one day pays for its bytes", async () => {
  await using node = await startTronNode();
  const made = await scene(node);
  node.stakeFor(GAS_WALLET.address, 50_000n * TRX);
  const wallet = depositAddress(made, 1);
  assert.equal((await lendingSweep(made, wallet))[1], 0);
  made.token.mint(wallet.address, USDT);
  node.setBalance(wallet.address, TRX);
  assert.equal((await lendingSweep(made, wallet))[1], 0.345);
});
