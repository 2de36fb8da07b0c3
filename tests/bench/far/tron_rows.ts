import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import { USDT_ENERGY } from "../../../src/sandbox/tron_node/contracts/token.ts";
import { enable, makeToken } from "../../support/gateway.ts";
import { startFarNode } from "../../support/nodes/far_node.ts";
import { makeTronWallet } from "../../support/nodes/tron_wallet.ts";
import { startTronNode } from "../../support/tron_node/start.ts";
import { allocate } from "../../support/views.ts";
import { startBareWorld } from "../../support/world.ts";
import type { Missing, PartOrder } from "../part.ts";
import type { Row } from "../row.ts";
import { atLeast, atMost, callsBy, mustBecome, namesOf, noneOf, rowOf, waitUntil } from "./goal.ts";

const AT_ONCE = 40;
const GOALS = {
  rate: atLeast(3, "a second", `TRON sweeps, ${AT_ONCE} at once`),
  calls: atMost(15, "calls each", `TRON sweeps, ${AT_ONCE} at once: calls`),
  burned: atMost(7.5, "TRX", "TRX burned for a sweep without staked energy"),
  left: atMost(15, "%", "gas left on addresses of TRON, swept one by one"),
};
export const TRON_ROWS = namesOf(GOALS);

const STAKED = { burned: atMost(0.7, "TRX", "TRX burned for a sweep with staked energy") };
export const STAKED_ROWS = namesOf(STAKED);

const TRX = 1_000_000n;
const GAS_TRX = 10_000n;
/** Gives energy for 45 sweeps with their margin; the rest of their price is bandwidth. */
const STAKED_TRX = 400_000n;
/** The first coins to an address, which each of these gets, burn so much. */
const ACTIVATION_TRX = 1.1;
/** Nineteen blocks make one final: at three seconds each, nothing else would show. */
const BLOCK_MS = 150;
const MIN_CONFIRMATIONS = 20;
/** As for sweeps of EVM chains. */
const SECONDS = 60;
const RAW = 100n * TRX;

export async function* measureTronSweeps({ say }: PartOrder): AsyncGenerator<Row | Missing> {
  const found = await sweepOnTron(say, {});
  const { seconds, calls, swept, done, used, left } = found;
  if (done === 0) return yield* noneOf(GOALS, `nothing was done in ${SECONDS} s`);
  yield rowOf(GOALS.rate, done / seconds);
  yield rowOf(GOALS.calls, calls / done);
  if (swept === 0) {
    const { burned, left } = GOALS;
    return yield* noneOf({ burned, left }, `nothing was swept in ${SECONDS} s`);
  }
  yield rowOf(GOALS.burned, used / swept);
  yield rowOf(GOALS.left, 100 * left / (used + left));
}

/** Of addresses that had coins before, with their loans' way there and back. */
export async function* measureStaked({ say }: PartOrder): AsyncGenerator<Row | Missing> {
  const { swept, used } = await sweepOnTron(say, { isStaked: true });
  if (swept < AT_ONCE) return yield* noneOf(STAKED, `${swept} of ${AT_ONCE} were swept`);
  yield rowOf(STAKED.burned, used / swept);
}

async function sweepOnTron(say: PartOrder["say"], { isStaked = false }: { isStaked?: boolean }) {
  await using node = await startTronNode();
  await using far = await startFarNode(node.url);
  await using world = await startBareWorld({
    network: {
      ...{ code: "TRX", symbol: "TRX", decimals: 6, family: "tron", finality: "finalized" },
      chainId: BigInt(`0x${node.chain.blocks[0]!.id.slice(-8)}`).toString(),
      ...{ rpcUrls: [far.url], minConfirmations: MIN_CONFIRMATIONS, pollIntervalMs: 500 },
    },
  });
  const { deps, merchant: { accountId, api } } = world;
  const manners = { answers: "false", energy: USDT_ENERGY } as const;
  const token = node.deployToken({ name: "Tether USD", symbol: "USDT", decimals: 6, manners });
  token.mint(node.bank, 10n ** 15n);
  const owner = { network: "TRX", actor: "bench" };
  await makeToken(deps, { network: "TRX", contract: token.address });
  await enable(deps, { accountId, network: "TRX", currency: "USDT" });
  const { address: receiver } = makeTronWallet(902);
  await setReceivingWallet(deps, { ...owner, accountId, address: receiver, isNow: true });
  const { address: gas } = await gasWallet(deps, owner);
  node.fund(gas, GAS_TRX * TRX);
  if (isStaked) node.stakeFor(gas, STAKED_TRX * TRX);
  const addresses: string[] = [];
  for (let i = 0; i < AT_ONCE; i++) {
    const { address } = await allocate(api, { network: "TRX", currency: "USDT" });
    if (isStaked) {
      node.fund(address, 1n);
      node.setBalance(address, 0n);
    }
    node.trigger(token.address, token.transferData(address, RAW));
    addresses.push(address);
  }
  say(`far: ${AT_ONCE} addresses of TRON are paid`);
  node.produce();
  node.produce(MIN_CONFIRMATIONS);
  const startedAt = performance.now();
  const before = far.bodies.length;
  node.auto(BLOCK_MS);
  const sweptRaw = () => token.balanceOf(receiver);
  await waitUntil(() => sweptRaw() === RAW * BigInt(AT_ONCE), { seconds: SECONDS });
  const seconds = (performance.now() - startedAt) / 1_000;
  const takeAllBack = async () => {
    const { energy } = deps.chains.of(await findNetwork(deps, "TRX"));
    const isBack = async () => (await energy!.stakeOf(gas)).lentRaw === 0n;
    await mustBecome("all is taken back", isBack, 3 * SECONDS);
  };
  const asked = far.bodies.slice(before).flat();
  const calls = asked.length;
  say(`far: ${callsBy(asked)}`);
  const swept = addresses.filter((address) => token.balanceOf(address) === 0n);
  const funded = addresses.filter((address) => node.balanceOf(address) > 0n);
  const waiting = funded.filter((address) => !swept.includes(address));
  const done = swept.length + waiting.length / 2;
  say(
    `far: in ${seconds.toFixed(0)} s ${swept.length} swept, and ${waiting.length} have their gas`,
  );
  if (isStaked) await takeAllBack();
  node.auto("off");
  const trxOn = (of: readonly string[]) =>
    Number(of.reduce((sum, one) => sum + node.balanceOf(one), 0n) / 1_000n) / 1_000;
  const activated = isStaked ? 0 : ACTIVATION_TRX * funded.length;
  // What burned for those that are only funded so far is what their top-up took.
  const used = Number(GAS_TRX) - trxOn([gas, ...addresses]) - activated;
  return { seconds, calls, swept: swept.length, done, used, left: trxOn(swept) };
}
