import type { Deps } from "../../src/deps/deps.ts";
import { createGatewayMetrics } from "../../src/upkeep/metrics.ts";
import type { Clock } from "../../src/base/clock.ts";
import { createLog } from "../../src/base/log.ts";
import type { Env } from "../../src/app/config/variables.ts";
import { openGateway } from "../../src/app/gateway.ts";
import { createApp } from "../../src/http/app.ts";
import { type ApiClient, apiClient, type Credentials } from "../support/api_client.ts";
import { makePlace } from "../support/database/database.ts";
import { makeMerchant, type Merchant, testConfig } from "../support/gateway.ts";

/** Time stands still until a test moves it. */
interface StillClock extends Clock {
  advance(ms: number): void;
}

export interface ClockedGateway extends AsyncDisposable {
  readonly deps: Deps;
  readonly url: string;
  readonly clock: StillClock;
  /** The log, one JSON text a line. */
  readonly logged: readonly string[];
  stop(): Promise<void>;
}

const START_MS = Date.parse("2026-01-31T12:00:00Z");
/** Nothing listens there. */
export const DEAD_NODE = "http://127.0.0.1:9";

/** The API on a real socket, without workers, with the test's clock. */
export async function startClockedGateway(
  env: Env = {},
  change: (deps: Deps) => Deps = (deps) => deps,
): Promise<ClockedGateway> {
  const place = await makePlace({ isMigrated: true });
  const config = testConfig({ ...place.env, ...env });
  const clock = stillClock();
  const logged: string[] = [];
  const log = createLog({ level: "info", clock, write: (line) => void logged.push(line()) });
  const gateway = await openGateway(config, { clock, log });
  const { trustedProxies, authFailuresPerMinute, bodyTimeoutMs } = config;
  const metrics = createGatewayMetrics();
  const deps = change(gateway.deps);
  const app = createApp({ deps, metrics, trustedProxies, authFailuresPerMinute, bodyTimeoutMs });
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request, info) => app.fetch(request, { remoteIp: info.remoteAddr.hostname }),
  );
  const stop = async () => {
    await server.shutdown();
    await gateway.close();
    await place.remove();
  };
  const url = `http://127.0.0.1:${server.addr.port}`;
  return { deps: gateway.deps, url, clock, logged, stop, [Symbol.asyncDispose]: stop };
}

/** A merchant whose requests carry the gateway's time. */
export async function makeClockedMerchant(
  gateway: ClockedGateway,
  options: Parameters<typeof makeMerchant>[1] = {},
): Promise<Merchant> {
  const merchant = await makeMerchant(gateway, options);
  return { ...merchant, api: clockedClient(gateway, merchant.credentials) };
}

export function clockedClient(
  { url, clock }: Pick<ClockedGateway, "url" | "clock">,
  credentials: Credentials,
): ApiClient {
  const send: ApiClient["send"] = (call) =>
    apiClient(url, credentials).send({ timestamp: timestampOf(clock), ...call });
  return {
    send,
    get: (target) => send({ method: "GET", target }),
    post: (target, body) =>
      send({
        method: "POST",
        target,
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
  };
}

export function timestampOf(clock: Clock, { offsetS = 0 }: { offsetS?: number } = {}): string {
  return String(Math.floor(clock.nowMs() / 1000) + offsetS);
}

function stillClock(): StillClock {
  let nowMs = START_MS;
  return { nowMs: () => nowMs, advance: (ms) => void (nowMs += ms) };
}
