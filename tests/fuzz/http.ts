import { checkLedgerPage, FIRST_ASSET } from "../../src/integrity/check_ledger.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { auditPayer, startPayingWorld } from "../support/payouts.ts";
import type { World } from "../support/world.ts";
import { type ApiFacts, apiRecipe } from "./api_requests.ts";
import { dashboardRecipe } from "./dashboard_requests.ts";
import {
  type Finding,
  FINDINGS_MAX,
  type FuzzOptions,
  type FuzzReport,
  type Random,
  seededRandom,
  startCourse,
} from "./fuzz.ts";
import { isTooMuch, watchMemory } from "./memory.ts";
import { shoot } from "./shoot.ts";
import { apiTarget, type DashboardTarget, dashboardTarget, makeApiFacts } from "./targets.ts";
import { knock, resetMany } from "./wire.ts";

const TOGETHER = 32;
/** A page costs as much as fifty requests of the API, and a connection as much as ten. */
const DASHBOARD_SHARE = 0.015;
const WIRE_SHARE = 0.015;
/** Of the rounds of connections. */
const RESETS_SHARE = 0.2;
const RENEW_EVERY = 10;

/** Random requests to everything served: no 500, nothing slow, no leaked memory, no moved money. */
export async function run(options: FuzzOptions): Promise<FuzzReport> {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil, env: { CPG_LOG_LEVEL: "silent" } });
  await using dashboard = await dashboardTarget();
  const facts = await makeApiFacts(world);
  const api = apiTarget(world);
  const random = seededRandom(options.seed);
  const course = startCourse(options);
  const memory = watchMemory();
  const findings: Finding[] = [];
  const counts = { api: 0, dashboard: 0, wire: 0 };
  while (!course.isOver() && findings.length < FINDINGS_MAX) {
    const kind = random.chance(DASHBOARD_SHARE)
      ? "dashboard"
      : random.chance(WIRE_SHARE)
      ? "wire"
      : "api";
    counts[kind] += TOGETHER;
    if (kind === "api") {
      findings.push(...await shoot(api, many(() => apiRecipe(random, facts))));
    } else if (kind === "wire") findings.push(...await knockOften(world, { random, facts }));
    else findings.push(...await browse(dashboard, { random, round: counts.dashboard / TOGETHER }));
    course.step(TOGETHER);
    memory.look(course);
  }
  findings.push(...await ledgerFindings(world), ...await bookFindings(dashboard));
  const growth = memory.growthMib();
  if (growth && isTooMuch(growth)) {
    const what = `${growth.heap} MiB more on the heap`;
    findings.push({ what, reproduction: `--seed ${options.seed}` });
  }
  const notes = [
    `${counts.api} of the API, ${counts.dashboard} of the dashboard, ${counts.wire} raw connections`,
    ...growth ? [`${growth.heap} MiB heap and ${growth.rss} MiB RSS more than after warm-up`] : [],
  ];
  return { done: course.done, findings, notes };
}

function many<T>(make: () => T): T[] {
  return Array.from({ length: TOGETHER }, make);
}

async function knockOften(
  { url }: World,
  order: { random: Random; facts: ApiFacts },
): Promise<Finding[]> {
  if (order.random.chance(RESETS_SHARE)) await resetMany(url);
  const found = await Promise.all(many(() => knock(url, order)));
  return found.filter((finding) => finding !== undefined);
}

async function browse(
  dashboard: DashboardTarget,
  { random, round }: { random: Random; round: number },
): Promise<Finding[]> {
  if (round % RENEW_EVERY === 0) await dashboard.renew();
  return await shoot(dashboard, many(() => dashboardRecipe(random, dashboard.facts)));
}

/** Only accepted withdrawals may have moved anything. */
async function ledgerFindings(world: World): Promise<Finding[]> {
  try {
    await auditPayer(world);
    return [];
  } catch (error) {
    return [{ what: `The ledger of the API: ${error}`, reproduction: "the whole run" }];
  }
}

/** There is no money to begin with: nothing a form says may book any. */
async function bookFindings({ gateway: { deps } }: DashboardTarget): Promise<Finding[]> {
  const page = await checkLedgerPage(deps, {
    after: FIRST_ASSET,
    isFromStart: true,
    network: undefined,
  });
  const rows = await deps.db.query("SELECT count(*) AS n FROM ledger_entries");
  const booked = Number(rows[0]!.n);
  const wrong = [
    ...page.differences.map((row) => JSON.stringify(row)),
    ...booked ? [`${booked} entries`] : [],
  ];
  return wrong.map((what) => ({
    what: `The dashboard's ledger: ${what}`,
    reproduction: "the whole run",
  }));
}
