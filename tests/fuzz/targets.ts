import { createApiKey } from "../../src/access/manage_api_keys.ts";
import { recordEvent } from "../../src/books/records.ts";
import { addPolicy } from "../../src/policies/manage.ts";
import { createGatewayMetrics } from "../../src/upkeep/metrics.ts";
import { createLog, type Log } from "../../src/base/log.ts";
import { GUEST_ROUTES, ROUTES } from "../../src/dashboard/pages.ts";
import { isGatewayRole, type Role, ROLES } from "../../src/access/rules/roles.ts";
import { PERMISSIONS } from "../../src/access/rules/permissions.ts";
import { createDocs } from "../../src/docs/app.ts";
import { sampleData } from "../../src/webhooks/rules/sample_events.ts";
import { Events } from "../../src/webhooks/tables/events.ts";
import { createApp } from "../../src/http/app.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { serveDashboard } from "../../src/app/serve.ts";
import type { Credentials } from "../support/api_client.ts";
import { forgetProof, makeLogin } from "../support/dashboard/dashboard.ts";
import {
  enable,
  makeMerchant,
  makeNetwork,
  startGateway,
  type TestGateway,
} from "../support/gateway.ts";
import type { World } from "../support/world.ts";
import type { ApiFacts } from "./api_requests.ts";
import { type DashboardFacts, fieldsOf } from "./dashboard_requests.ts";
import type { Target } from "./shoot.ts";

const NO_LIMIT = 1_000_000_000;
/** Nothing listens there. */
const DEAD_NODE = "http://127.0.0.1:9";

/** The API as it is served, except for the socket, and the logs of its faults. */
export function apiTarget({ deps }: World): Target {
  const faults: string[] = [];
  const app = createApp({
    deps: { ...deps, log: faultLog(faults) },
    metrics: createGatewayMetrics(),
    trustedProxies: [],
    authFailuresPerMinute: NO_LIMIT,
    bodyTimeoutMs: 20_000,
    pages: createDocs({ publicUrl: "http://127.0.0.1" }),
  });
  return {
    handle: (request, remoteIp) => app.fetch(request, { remoteIp }),
    takeFaults: () => faults.splice(0),
  };
}

export async function makeApiFacts(world: World): Promise<ApiFacts> {
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
  await addRules(world);
  await deps.db.write({
    reads: [],
    decide: (view) => {
      const [type, nowMs] = ["deposit.confirmed" as const, deps.clock.nowMs()];
      const data = sampleData(type, nowMs) as Record<string, unknown>;
      recordEvent(view, { accountId, type, data, nowMs });
    },
  });
  const events = await deps.db.list(Events, { accountId });
  return {
    endpoints: ENDPOINTS,
    eventIds: events.map(({ eventId }) => eventId),
    keys: [await key({}), await key({}), other.credentials],
    weakKeys: [
      await key({ permissions: ["read_balance"] }),
      await key({ ipList: ["10.1.0.0/16"] }),
      await key({ rateLimit: 60 }),
    ],
  };
}

/** A limit that is reached now and then, and payments that wait for somebody. */
async function addRules({ deps }: World): Promise<void> {
  const scope = { accountId: null, keyId: null, network: null, currency: "ETH" };
  const terms = { approvals: 1, expiresMs: 60_000, setBy: "operator", actor: "test" } as const;
  const rule = { ...scope, ...terms, each: null };
  const [limit, big] = ["max_count_day", "max_payment"] as const;
  await addPolicy(deps, {
    ...rule,
    ...{ label: "Few each", condition: limit, cap: "20", each: "recipient", outcome: "refuse" },
  });
  await addPolicy(deps, {
    ...rule,
    ...{ label: "Big ones", condition: big, cap: "2", outcome: "approve" },
  });
}

export interface DashboardTarget extends Target, AsyncDisposable {
  readonly gateway: TestGateway;
  facts: DashboardFacts;
  /** Makes new users for each role: requests sign users out and disable them. */
  renew(): Promise<void>;
}

/** A gateway of its own, because operators' changes would change the API's answers. */
export async function dashboardTarget(): Promise<DashboardTarget> {
  const env = { CPG_WORKER: "false", CPG_LOG_LEVEL: "silent" };
  const gateway = await startGateway({ ...env, CPG_PUBLIC_URL: "http://127.0.0.1" });
  const { deps } = gateway;
  const faults: string[] = [];
  const log = faultLog(faults);
  const { handle, stop } = serveDashboard({ ...deps, log }, gateway.config);
  await makeNetwork(deps, { rpcUrls: [DEAD_NODE] });
  const { accountId } = await makeMerchant(gateway);
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  const routes = [...GUEST_ROUTES, ...ROUTES];
  let people = 0;
  const renew = async () => {
    people++;
    const login = (role: Role, name: string) =>
      makeLogin(deps, {
        role,
        accountId: isGatewayRole(role) ? null : accountId,
        email: `${name}${people}@example.com`,
      });
    const logins = await Promise.all(ROLES.map((role) => login(role, role)));
    // Whose sensitive forms wait for a proof.
    const late = await login("operator", "late");
    await forgetProof(deps, late);
    target.facts = { ...target.facts, tokens: [...logins, late].map(({ token }) => token) };
  };
  const target: DashboardTarget = {
    gateway,
    handle: handle!,
    takeFaults: () => faults.splice(0),
    facts: { routes, tokens: [], fields: [] },
    renew,
    [Symbol.asyncDispose]: async () => {
      await stop();
      await gateway.stop();
    },
  };
  await renew();
  target.facts = { ...target.facts, fields: fieldsOf(await pagesOf(target)) };
  return target;
}

async function pagesOf({ facts: { routes, tokens }, handle }: DashboardTarget): Promise<string[]> {
  const pages: string[] = [];
  for (const { path } of routes.filter(({ kind }) => kind === "page")) {
    const filled = path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => name === "id" ? "1" : "ETH");
    for (const token of tokens) {
      const url = `http://127.0.0.1/dashboard${filled === "/" ? "" : filled}`;
      const headers = { host: "127.0.0.1", cookie: `cpg=${token}` };
      pages.push(await (await handle(new Request(url, { headers }), "127.0.0.1")).text());
    }
  }
  return pages;
}

/** Formats every line, as a server does, and keeps those about faults. */
function faultLog(faults: string[]): Log {
  return createLog({
    level: "info",
    clock: { nowMs: () => Date.now() },
    write: (line) => {
      const text = line();
      // Alerts are errors too, and no faults.
      if (text.includes('request failed"')) faults.push(text);
    },
  });
}
