import assert from "node:assert/strict";
import { type Hex, parseTransaction } from "viem";
import { broadcastWithdrawal } from "../../../src/withdrawals/broadcast.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import {
  bumpWithdrawal,
  resendWithdrawal,
  revokeWithdrawal,
} from "../../../src/withdrawals/push.ts";
import { OperatorError } from "../../../src/domain/refusal.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { type Random, seededRandom } from "../../domain/random.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { lyingPrices } from "../../support/nodes/bad_nodes.ts";
import { auditPayer, settleAll, startPayingWorld, transfersOf } from "../../support/payouts.ts";
import { makeStage } from "../../support/stage.ts";
import type { World } from "../../support/world.ts";

const SEQUENCES = 100;
const STEPS = 6;
const SEED = 20_261_122;
const GWEI = 10n ** 9n;
const ACTOR = "test";

interface Scene {
  readonly world: World;
  /** A new connection each time, so that no price is cached; and a clock that runs ahead. */
  readonly deps: Deps;
  readonly random: Random;
  readonly lies: { isLying: boolean };
}

/** Each refusal must have a message for people. */
async function tried(act: Promise<unknown>): Promise<void> {
  await act.catch((error) => assert.ok(error instanceof OperatorError, String(error)));
}

async function step({ world, deps, random, lies }: Scene, id: number): Promise<void> {
  const { anvil } = world;
  const order = { id, actor: ACTOR };
  const acts = [
    () => tried(bumpWithdrawal(deps, order)),
    () => tried(bumpWithdrawal(deps, { ...order, isAnyway: true })),
    () => tried(revokeWithdrawal(deps, order)),
    () => tried(resendWithdrawal(deps, order)),
    () => void (lies.isLying = random.chance(0.5)),
    async () => {
      await anvil.mine(1);
      await world.round();
    },
    () => tried(reorganise(anvil)),
    () => setBaseFee(anvil, BigInt(1 + random.below(60)) * GWEI),
  ];
  await random.pick(acts)();
}

async function reorganise(anvil: Anvil): Promise<void> {
  await anvil.rpc("anvil_reorg", [1, []]);
}

async function setBaseFee(anvil: Anvil, raw: bigint): Promise<void> {
  await anvil.rpc("anvil_setNextBlockBaseFeePerGas", [`0x${raw.toString(16)}`]);
}

/** According to the signed bytes, and to what the chain charged. */
async function assertWithin(
  world: World,
  { from, feeMaxRaw }: { from: number; feeMaxRaw: bigint },
) {
  for (const { raw, txHash } of (await transfersOf(world)).slice(from)) {
    const { gas, gasPrice, maxFeePerGas } = parseTransaction(raw as Hex);
    assert.ok(gas! * (maxFeePerGas ?? gasPrice!) <= feeMaxRaw, `${txHash} may cost too much`);
    const receipt = await world.anvil.rpc("eth_getTransactionReceipt", [txHash]);
    const paidRaw = receipt ? BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) : 0n;
    assert.ok(paidRaw <= feeMaxRaw, `${txHash} cost too much`);
  }
}

Deno.test("a hundred payments with bids, cancellations, reorgs and fake prices stay within --fee-max", async () => {
  await using anvil = await startAnvil();
  const made = { tipRaw: 70_000n * GWEI, baseRaw: 9_000n * GWEI };
  await using node = await lyingPrices(anvil, made);
  await using world = await startPayingWorld({ anvil });
  let aheadMs = 0;
  const rpcUrls = [node.url];
  const deps: Deps = {
    ...world.deps,
    clock: { nowMs: () => Date.now() + aheadMs },
    chains: {
      ...world.deps.chains,
      of: () => world.deps.chains.unverified({ family: "evm", rpcUrls }),
    },
  };
  const stage = makeStage(world);
  await adjustBalance(deps, { ...stage.asset, amount: "100", note: "test", actor: ACTOR });
  await anvil.rpc("evm_setAutomine", [false]);
  for (let i = 0; i < SEQUENCES; i++) {
    const random = seededRandom(SEED + i);
    const feeMax = random.pick(["0.00003", "0.0001", "0.002", "0.05"]);
    await setNetwork(deps, { code: "ETH", change: { feeMax }, actor: ACTOR });
    const from = (await transfersOf(world)).length;
    node.isLying = random.chance(0.5);
    const id = await stage.waitingWithdrawal();
    const row = (await deps.db.find(Withdrawals, [id]))!;
    await broadcastWithdrawal(deps, row, { actor: ACTOR, budgetMs: 10_000 });
    for (let at = 0; at < STEPS; at++) {
      aheadMs += random.below(400);
      await step({ world, deps, random, lies: node }, id);
    }
    const feeMaxRaw = BigInt(Math.round(Number(feeMax) * 1e6)) * 10n ** 12n;
    await assertWithin(world, { from, feeMaxRaw });
    await setBaseFee(anvil, GWEI);
    await settleAll(world);
    await assertWithin(world, { from, feeMaxRaw });
  }
  await setBaseFee(anvil, GWEI);
  await settleAll(world);
  await settleAll(world);
  await auditPayer(world, { adjusted: "200" });
  assert.ok((await transfersOf(world)).length > SEQUENCES / 2);
});
