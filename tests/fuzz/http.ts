import { createGatewayMetrics } from "../../src/actions/metrics.ts";
import { createLog, type Log } from "../../src/base/log.ts";
import { createApp } from "../../src/http/app.ts";
import { endpointsOf } from "../../src/http/endpoints.ts";
import { startAnvil } from "../support/anvil.ts";
import type { Credentials } from "../support/api_client.ts";
import { makeMerchant } from "../support/gateway.ts";
import { auditPayer, startPayingWorld } from "../support/payouts.ts";
import type { World } from "../support/world.ts";
import { createApiKey } from "../../src/actions/manage_api_keys.ts";
import { PERMISSIONS } from "../../src/domain/permissions.ts";
import { type ApiFacts, apiRecipe } from "./api_requests.ts";
import {
  type Finding,
  FINDINGS_MAX,
  type FuzzOptions,
  type FuzzReport,
  seededRandom,
  startCourse,
} from "./fuzz.ts";
import { isTooMuch, watchMemory } from "./memory.ts";
import { shoot, type Target } from "./shoot.ts";

const TOGETHER = 32;
const NO_LIMIT = 1_000_000_000;

/** Random requests to all that is served: no 500, nothing slow, no memory kept, no money moved. */
export async function run(options: FuzzOptions): Promise<FuzzReport> {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil, env: { CPG_LOG_LEVEL: "silent" } });
  const facts = await makeFacts(world);
  const api = apiTarget(world);
  const random = seededRandom(options.seed);
  const course = startCourse(options);
  const memory = watchMemory();
  const findings: Finding[] = [];
  while (!course.isOver() && findings.length < FINDINGS_MAX) {
    const recipes = Array.from({ length: TOGETHER }, () => apiRecipe(random, facts));
    findings.push(...await shoot(api, recipes));
    course.step(recipes.length);
    memory.look(course);
  }
  findings.push(...await ledgerFindings(world));
  const growth = memory.growthMib();
  if (growth && isTooMuch(growth)) {
    findings.push({
      what: `${growth.heap} MiB more on the heap`,
      reproduction: `--seed ${options.seed}`,
    });
  }
  const notes = growth ? [`${growth.heap} MiB heap and ${growth.rss} MiB RSS more than warm`] : [];
  return { done: course.done, findings, notes };
}

function apiTarget({ deps }: World): Target {
  const faults: string[] = [];
  const app = createApp({
    deps: { ...deps, log: faultLog(faults) },
    metrics: createGatewayMetrics(),
    trustedProxies: [],
    bodyTimeoutMs: 20_000,
    authFailuresPerMinute: NO_LIMIT,
  });
  return {
    handle: (request, remoteIp) => app.fetch(request, { remoteIp }),
    takeFaults: () => faults.splice(0),
  };
}

/** Makes every line, as a server does, and keeps those that tell of a fault. */
function faultLog(faults: string[]): Log {
  return createLog({
    level: "info",
    clock: { nowMs: () => Date.now() },
    write: (line) => {
      const text = line();
      if (text.includes('"level":"error"')) faults.push(text);
    },
  });
}

async function makeFacts(world: World): Promise<ApiFacts> {
  const { deps, merchant: { accountId } } = world;
  const key = async (change: Partial<Parameters<typeof createApiKey>[1]>): Promise<Credentials> => {
    const { row, secret } = await createApiKey(deps, {
      accountId,
      label: "fuzz",
      permissions: [...PERMISSIONS],
      ipList: [],
      rateLimit: NO_LIMIT,
      actor: "test",
      ...change,
    });
    return { keyId: row.keyId, secret };
  };
  const other = await makeMerchant(world, { name: "Other", rateLimit: NO_LIMIT });
  return {
    endpoints: endpointsOf(deps),
    keys: [await key({}), await key({}), other.credentials],
    weakKeys: [
      await key({ permissions: ["read_balance"] }),
      await key({ ipList: ["10.1.0.0/16"] }),
      await key({ rateLimit: 60 }),
    ],
  };
}

/** Nothing but withdrawals that were accepted may have moved anything. */
async function ledgerFindings(world: World): Promise<Finding[]> {
  try {
    await auditPayer(world);
    return [];
  } catch (error) {
    return [{ what: `The ledger: ${error}`, reproduction: "the whole run" }];
  }
}
