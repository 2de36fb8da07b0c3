import { retrySweep } from "../../src/sweeps/retry.ts";
import { BROKEN_FAULTS } from "../../src/sandbox/faults/fault_kinds.ts";
import { evenly } from "../../src/sandbox/faults/fault_plan.ts";
import { OperatorError } from "../../src/domain/refusal.ts";
import { rowsOf } from "../../src/operations/lists/list.ts";
import { SWEEPS } from "../../src/sweeps/list.ts";
import { type Random, seededRandom } from "../domain/random.ts";
import { alertsOf, cursorOf } from "../support/views.ts";
import { auditSoak, openOf, reportOf } from "./audit.ts";
import { type ChainEvents, chainEvents } from "./chain_events.ts";
import { type MerchantOrders, merchantOrders } from "./merchant_orders.ts";
import { MIN_CONFIRMATIONS, type SoakWorld, startSoakWorld } from "./soak_world.ts";

interface SoakOptions {
  readonly seed: number;
  /** The duration of the traffic; after it there is time to settle. */
  readonly busyMs: number;
  /** Longer if the machine is too busy for so many steps in that time. */
  readonly stepsMin?: number;
  readonly settlingMsMax?: number;
  /** The share of the requests to the node that is disturbed. */
  readonly faultRate?: number;
  readonly hasKills?: boolean;
  readonly report?: (line: string) => void;
}

interface SoakTotals {
  blocks: number;
  deposits: number;
  withdrawals: number;
  sweeps: number;
  topUps: number;
  reorganisations: number;
  kills: number;
  bumps: number;
  faults: number;
}

interface SoakResult {
  readonly totals: SoakTotals;
  /** Empty, or the faults that were found. */
  readonly findings: readonly string[];
}

interface Soak {
  readonly world: SoakWorld;
  readonly random: Random;
  readonly events: ChainEvents;
  readonly orders: MerchantOrders;
  readonly counts: { reorganisations: number; kills: number };
  readonly report: (line: string) => void;
}

const ADDRESSES = 6;
const DEPTH_MAX = 5;
const STEP_MS_MAX = 120;
const TOLD_EVERY_MS = 10_000;
/** Each pause that a node asks for is kept, so that many of them would be slow and nothing else. */
const KINDS = { ...evenly(BROKEN_FAULTS), rate_limit: 0.05 };

/**
 * A gateway's life under everything at once, and whether every coin is where it must be. The seed
 * decides what is done; what the gateway is just doing then is a matter of chance.
 */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { seed, busyMs, stepsMin = 0, settlingMsMax = 60_000, faultRate = 0.1 } = options;
  const { report = () => {} } = options;
  await using world = await startSoakWorld();
  const random = seededRandom(seed);
  const run: Soak = {
    world,
    random,
    report,
    events: chainEvents(world, random),
    orders: merchantOrders(world, random),
    counts: { reorganisations: 0, kills: 0 },
  };
  await run.orders.allocateUpTo(ADDRESSES);
  world.line.follow({ seed, rate: faultRate, kinds: KINDS });
  const startedAtMs = performance.now();
  const isBusy = (steps: number) => steps < stepsMin || performance.now() - startedAtMs < busyMs;
  for (let [steps, loggedAtMs] = [0, startedAtMs]; isBusy(steps); steps++) {
    await step(run, options.hasKills ?? true);
    if (performance.now() - loggedAtMs < TOLD_EVERY_MS) continue;
    loggedAtMs = performance.now();
    report(`${run.orders.count()} withdrawals asked for, ${JSON.stringify(run.counts)}`);
  }
  world.line.follow(undefined);
  const open = await settle(run, settlingMsMax);
  if (open.length > 0) report(`Still open after ${settlingMsMax} ms: ${open.join("; ")}`);
  return await judge(run);
}

/** Chances out of 100, most of them for what makes time pass. */
async function step({ world, random, events, orders, counts }: Soak, hasKills: boolean) {
  const dice = random.below(100);
  const addresses = world.merchants.flatMap((merchant) => merchant.addresses);
  if (dice < 40) await world.anvil.mine(1);
  else if (dice < 62) await events.pay(addresses);
  else if (dice < 84) orders.withdrawSome();
  else if (dice < 88) await orders.bumpSome();
  else if (dice < 92) await events.resendSome();
  else if (dice < 98) {
    counts.reorganisations++;
    await events.reorganise(1 + random.below(DEPTH_MAX));
  } else if (hasKills) {
    counts.kills++;
    await world.kill();
    // The chain continues without it.
    await world.anvil.mine(random.below(4));
    if (random.chance(0.5)) await events.pay(addresses);
    if (random.chance(0.3)) await events.reorganise(1 + random.below(DEPTH_MAX));
    await world.start();
  }
  await pause(random.below(STEP_MS_MAX));
}

/** A block now and then, until nothing is under way. Answers what still is. */
async function settle(run: Soak, withinMs: number): Promise<string[]> {
  const { world, events, orders } = run;
  const startedAtMs = performance.now();
  let open: string[] = [];
  for (let round = 0; performance.now() - startedAtMs < withinMs; round++) {
    const isClosed = await events.closeNonces();
    await world.anvil.mine(1);
    await pause(200);
    if (!await orders.hearAll() || !isClosed) continue;
    if (round % 5 !== 0) continue;
    open = await openNow(run);
    if (open.length === 0) return [];
    await retrySweeps(world);
  }
  return open.length > 0 ? open : ["answers to merchants"];
}

async function openNow({ world, orders }: Soak): Promise<string[]> {
  const { deps, anvil, merchants } = world;
  const reported = await Promise.all(merchants.map((one) => reportOf(one, orders.idMax())));
  const head = Number(await anvil.rpc("eth_blockNumber"));
  const { scanHeight } = await cursorOf(deps);
  const waiting = await waitingSweeps(world);
  return [
    ...reported.flatMap(openOf),
    ...(head === scanHeight ? [] : [`read to ${scanHeight} of ${head}`]),
    ...waiting.map(({ id, state, reason }) => `sweep ${id} is ${state}: ${reason}`),
  ];
}

/** Sweeps that aren't worth their fee, or whose coins paid another's gas, wait for more deposits. */
async function waitingSweeps({ deps }: SoakWorld) {
  const asked = { accountId: null, values: {}, cursor: null, limit: 10_000 };
  const { rows: sweeps } = await rowsOf(deps, SWEEPS, asked);
  return sweeps.filter(({ state, reason }) =>
    state !== "done" && !/cost too much|fees take up to|nothing to send/.test(reason ?? "")
  );
}

/** Retries as an operator would, so that nothing waits longer than necessary. */
async function retrySweeps(world: SoakWorld): Promise<void> {
  for (const { id, state } of await waitingSweeps(world)) {
    if (state !== "waiting" && state !== "parked") continue;
    await retrySweep(world.deps, { id, actor: "soak" }).catch((error) => {
      if (!(error instanceof OperatorError)) throw error;
    });
  }
}

async function judge({ world, orders, counts, report }: Soak): Promise<SoakResult> {
  // The chain's last payments become deep enough to be credited.
  await world.anvil.mine(MIN_CONFIRMATIONS);
  await pause(1_000);
  const { anvil, merchants, gasWallet, token, line } = world;
  const findings = await auditSoak({
    anvil,
    merchants,
    gasWallet,
    token: token.address,
    minConfirmations: MIN_CONFIRMATIONS,
    withdrawalIdMax: orders.idMax(),
  });
  const reported = await Promise.all(merchants.map((one) => reportOf(one, orders.idMax())));
  const rows = reported.flatMap((one) => one.rows);
  const count = (direction: string) => rows.filter((row) => row.direction === direction).length;
  const totals: SoakTotals = {
    blocks: Number(await anvil.rpc("eth_blockNumber")),
    deposits: count("deposit"),
    withdrawals: reported.flatMap((one) => one.withdrawals).length,
    sweeps: count("sweep"),
    topUps: count("gas_topup"),
    ...counts,
    bumps: orders.bumps(),
    faults: Object.values(line.counts.kinds).reduce((sum, some) => sum + some, 0),
  };
  // A node behind a bad line does fail withdrawals; the next one that is signed closes the alert.
  const usual = ["hot_wallet_low", "withdrawals_failing"];
  const raised = (await alertsOf(world.deps)).filter(({ kind }) => !usual.includes(kind));
  const alerts = raised.map(({ kind, message }) => `Alert ${kind}: ${message}`);
  for (const line of world.errors().split("\n")) if (line.includes('"error",')) report(line);
  return { totals, findings: [...orders.contradictions, ...alerts, ...findings] };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
