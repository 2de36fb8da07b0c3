import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import type { Reply } from "../../support/nodes/anvil.ts";
import { ETHER, setBalance } from "../../support/payers.ts";
import { allocate, transactionsOf } from "../../support/views.ts";
import type { Missing, PartOrder } from "../part.ts";
import type { Row } from "../row.ts";
import { type FarWorld, sendAll, startFarWorld } from "./far_world.ts";
import { atLeast, atMost, callsBy, mustBecome, namesOf, noneOf, rowOf, waitUntil } from "./goal.ts";

export const AT_ONCE = 100;
const GOALS = {
  rate: atLeast(8, "a second", `token sweeps one by one, ${AT_ONCE} at once`),
  calls: atMost(8, "calls each", `token sweeps one by one, ${AT_ONCE} at once: calls`),
  left: atMost(15, "%", "gas left on addresses, swept one by one"),
};
export const SWEEP_ROWS = namesOf(GOALS);

const RECEIVER = "0x00000000000000000000000000000000000bEEf1";
export const MIN_CONFIRMATIONS = 3;
/** What isn't swept by then counts as half a sweep if it has its gas. */
const SECONDS = 60;
const RAW = 100n * 10n ** 6n;

/** From the block with which the last payment may be credited to the block of the last sweep. */
export async function* measureSweeps({ say }: PartOrder): AsyncGenerator<Row | Missing> {
  await using far = await startFarWorld({ minConfirmations: MIN_CONFIRMATIONS, isPushed: true });
  const { anvil } = far;
  const addresses = await makeAddresses(far);
  say(`far: ${AT_ONCE} addresses are paid`);
  const { seconds, swept, asked } = await sweepAll(far, addresses);
  const calls = asked.length;
  say(`far: ${callsBy(asked)}`);
  const funded = await Promise.all(
    addresses.map(async (address) =>
      BigInt(await anvil.rpc("eth_getBalance", [address, "latest"])) > 0n
    ),
  );
  const waiting = Math.max(0, funded.filter(Boolean).length - swept);
  const done = swept + waiting / 2;
  say(`far: in ${seconds.toFixed(0)} s ${swept} swept, and ${waiting} have their gas`);
  if (done === 0) return yield* noneOf(GOALS, `nothing was done in ${SECONDS} s`);
  yield rowOf(GOALS.rate, done / seconds);
  yield rowOf(GOALS.calls, calls / done);
  const { left } = GOALS;
  if (swept === 0) return yield* noneOf({ left }, `nothing was swept in ${SECONDS} s`);
  const { usedGas, leftRaw, sentRaw } = await gasOf(far);
  say(`far: a sweep took ${usedGas} gas`);
  yield rowOf(left, 100 * Number(leftRaw) / Number(sentRaw));
}

/** With somewhere to sweep to, and coins for gas. */
export async function makeAddresses({ anvil, world }: FarWorld): Promise<string[]> {
  const { deps, merchant: { accountId, api } } = world;
  const owner = { network: "ETH", actor: "bench" };
  await setReceivingWallet(deps, { ...owner, accountId, address: RECEIVER, isNow: true });
  await setBalance(anvil, (await gasWallet(deps, owner)).address, 100n * ETHER);
  const addresses: string[] = [];
  for (let i = 0; i < AT_ONCE; i++) {
    addresses.push((await allocate(api, { currency: "USDT" })).address);
  }
  return addresses;
}

/** Pays each of them, and counts from the block with which the last may be credited. */
export async function sweepAll(far: FarWorld, addresses: readonly string[]) {
  const { node, token, madeAt } = far;
  const sweptRaw = () => token.read("balanceOf", [RECEIVER]);
  const hadRaw = await sweptRaw();
  const dueRaw = RAW * BigInt(addresses.length);
  const hashes = await sendAll(far, addresses.map((to) => ({ to, isToken: true })));
  const height = await lastBlockOf(far, hashes);
  const creditable = height + MIN_CONFIRMATIONS - 1;
  await mustBecome("the last may be credited", () => madeAt.has(creditable));
  const startedAt = madeAt.get(creditable)!;
  const before = node.bodies.length;
  await waitUntil(async () => await sweptRaw() - hadRaw === dueRaw, { seconds: SECONDS });
  const seconds = (performance.now() - startedAt) / 1_000;
  const swept = Number((await sweptRaw() - hadRaw) / RAW);
  return { seconds, swept, asked: node.bodies.slice(before).flat() };
}

async function lastBlockOf({ anvil }: FarWorld, hashes: readonly string[]): Promise<number> {
  let heights: number[] = [];
  await mustBecome("all are paid", async () => {
    const receipts: Reply[] = await Promise.all(
      hashes.map((hash) => anvil.rpc("eth_getTransactionReceipt", [hash])),
    );
    heights = receipts.flatMap((receipt) => receipt ? [Number(receipt.blockNumber)] : []);
    return heights.length === hashes.length;
  });
  return Math.max(...heights);
}

/** Of the addresses that were swept: what each took with its top-up, and what is still there. */
async function gasOf({ anvil, world: { merchant: { api } } }: FarWorld) {
  const rows = await transactionsOf(api);
  const receiptOf = async ({ tx_hash: hash }: { tx_hash: string }): Promise<Reply> =>
    await anvil.rpc("eth_getTransactionReceipt", [hash]);
  let [gas, count, leftRaw, sentRaw] = [0, 0, 0n, 0n];
  for (const row of rows.filter(({ direction }) => direction === "sweep")) {
    const receipt = await receiptOf(row);
    if (!receipt) continue;
    const { from: address } = receipt;
    const isSame = ({ to_address: to }: { to_address: string }) =>
      to.toLowerCase() === address.toLowerCase();
    const topUps = rows.filter((one) => one.direction === "gas_topup" && isSame(one));
    const left = BigInt(await anvil.rpc("eth_getBalance", [address, "latest"]));
    gas += Number(receipt.gasUsed);
    for (const topUp of topUps) gas += Number((await receiptOf(topUp))?.gasUsed ?? 0);
    leftRaw += left;
    sentRaw += left + BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
    count++;
  }
  return { usedGas: Math.round(gas / count), leftRaw, sentRaw };
}
