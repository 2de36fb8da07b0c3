import { sleep, systemClock } from "../../base/clock.ts";
import type { EndpointOptions } from "./endpoint.ts";
import { Pool } from "./endpoints.ts";
import type { Named, Protocol } from "./protocol.ts";

export interface PoolSettings
  extends Partial<Pick<EndpointOptions, "fetch" | "timeoutMs" | "log" | "answered">> {
  readonly rpcUrls: readonly string[];
  /** The system's own by default. */
  readonly waiting?: Pick<EndpointOptions, "clock" | "sleep">;
  /** How many endpoints must read a block alike; 1 by default. */
  readonly quorum?: number;
  /** An endpoint on another chain is not used. */
  readonly expected?: EndpointOptions["expected"];
}

const TIMEOUT_MS = 15_000;
export const SYSTEM_WAITING = { clock: systemClock, sleep };

export function openPool<N extends Named>(protocol: Protocol<N>, settings: PoolSettings): Pool<N> {
  const { rpcUrls, waiting = SYSTEM_WAITING, log, quorum = 1, expected, answered } = settings;
  // A single endpoint has no others whose answers could expose its mistakes.
  const isAlone = rpcUrls.length === 1;
  return new Pool({
    protocol,
    rpcUrls,
    fetch: settings.fetch ?? fetch,
    timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
    ...waiting,
    log: isAlone || !log ? { info: () => {}, warn: () => {} } : log,
    quorum,
    expected,
    answered,
  });
}
