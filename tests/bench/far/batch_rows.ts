import { setAccount } from "../../../src/accounts/set_account.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { deployCollector, planDeployment } from "../../../src/collectors/deploy.ts";
import { usableCollector } from "../../../src/collectors/usable.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { transactionsOf } from "../../support/views.ts";
import type { Missing, PartOrder } from "../part.ts";
import type { Row } from "../row.ts";
import { type FarWorld, startFarWorld } from "./far_world.ts";
import { atLeast, atMost, callsBy, mustBecome, namesOf, noneOf, rowOf } from "./goal.ts";
import { AT_ONCE, makeAddresses, MIN_CONFIRMATIONS, sweepAll } from "./sweep_rows.ts";

const GOALS = {
  rate: atLeast(20, "a second", `token sweeps in batches, ${AT_ONCE} at once`),
  calls: atMost(1.5, "calls each", `token sweeps in batches, ${AT_ONCE} at once: calls`),
  first: atMost(31_500, "gas", "gas of a token sweep in batches, 100 at once, for the first time"),
  again: atMost(13_500, "gas", "gas of a token sweep in batches, 100 at once, again"),
  left: atMost(0, "%", "gas left on addresses, swept in batches"),
};
export const BATCH_ROWS = namesOf(GOALS);

/** All for the first time, when each address has to delegate as well, and then once more. */
export async function* measureBatches({ say }: PartOrder): AsyncGenerator<Row | Missing> {
  await using far = await startFarWorld({
    minConfirmations: MIN_CONFIRMATIONS,
    isPushed: true,
    args: ["--hardfork", "prague"],
  });
  const addresses = await makeAddresses(far);
  await switchOn(far);
  say(`far: ${AT_ONCE} addresses are paid, to be swept in batches`);
  const first = await sweepAll(far, addresses);
  say(`far: ${callsBy(first.asked)}`);
  const again = await sweepAll(far, addresses);
  say(`far: ${callsBy(again.asked)}`);
  if (first.swept < AT_ONCE || again.swept < AT_ONCE) {
    return yield* noneOf(GOALS, `${first.swept} and ${again.swept} of ${AT_ONCE} were swept`);
  }
  const [rates, calls] = [
    [first, again].map(({ swept, seconds }) => swept / seconds),
    [first, again].map(({ swept, asked }) => asked.length / swept),
  ];
  yield rowOf(GOALS.rate, ...rates);
  yield rowOf(GOALS.calls, ...calls);
  const gas = await gasOf(far);
  yield rowOf(GOALS.first, gas.first);
  yield rowOf(GOALS.again, gas.again);
  const held = await Promise.all(
    addresses.map((address) => far.anvil.rpc("eth_getBalance", [address, "latest"])),
  );
  yield rowOf(GOALS.left, 100 * held.filter((raw) => BigInt(raw) > 0n).length / AT_ONCE);
}

async function switchOn({ world: { deps, merchant: { accountId } } }: FarWorld): Promise<void> {
  const network = () => findNetwork(deps, "ETH");
  const plan = await planDeployment(deps, await network());
  if (plan.kind !== "new") throw new Error("No contract was there");
  await deployCollector(deps, { deploying: plan.deploying, actor: "bench" });
  const chain = deps.chains.of(await network());
  await mustBecome("the contract is there", async () => {
    const found = await usableCollector(deps, { network: await network(), chain });
    return found.kind !== "none";
  });
  await setNetwork(deps, { code: "ETH", change: { collect: "batch" }, actor: "bench" });
  await setAccount(deps, { id: accountId, change: { delegatesNative: true }, actor: "bench" });
}

/** Of one sweep: its share of its batch. */
async function gasOf({ anvil, world: { merchant: { api } } }: FarWorld) {
  const rows = (await transactionsOf(api)).filter(({ direction }) => direction === "sweep");
  const hashes = [...new Set(rows.map(({ tx_hash: hash }) => hash))];
  const receipts = await Promise.all(
    hashes.map((hash) => anvil.rpc("eth_getTransactionReceipt", [hash])),
  );
  const inOrder = receipts.toSorted((a, b) => Number(a.blockNumber) - Number(b.blockNumber));
  const shares = inOrder.flatMap(({ transactionHash, gasUsed }) => {
    const orders = rows.filter(({ tx_hash: hash }) => hash === transactionHash).length;
    return Array<number>(orders).fill(Number(gasUsed) / orders);
  });
  const mean = (some: readonly number[]) =>
    Math.round(some.reduce((sum, one) => sum + one, 0) / some.length);
  return { first: mean(shares.slice(0, AT_ONCE)), again: mean(shares.slice(AT_ONCE)) };
}
