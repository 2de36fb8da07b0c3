import { nodeErrors } from "../../faults.ts";
import type { Endpoint, EndpointOptions } from "../endpoint.ts";
import { NOT_NEEDED } from "./not_needed.ts";
import { allFailed } from "./race.ts";
import type { Named } from "../protocol.ts";

interface Survey<N extends Named, T>
  extends Pick<EndpointOptions, "clock" | "sleep" | "timeoutMs"> {
  readonly ask: (node: N, endpoint: Endpoint<N>) => Promise<T>;
  /** With fewer healthy endpoints than this, the others are waited for too. */
  readonly enough: number;
  /** Wait for this, however late. */
  readonly until: (answers: readonly Answered<N, T>[]) => boolean;
  /** Also those that are still being asked something else. */
  readonly isThorough: boolean;
}

export interface Answered<N extends Named, T> {
  readonly endpoint: Endpoint<N>;
  readonly value: T;
}

const WAIT_MS = 1_000;
const TIMEOUT_MS = 5_000;

/**
 * Asks all endpoints a small question. One that failed or was late last time is asked, to notice
 * its recovery, but not waited for.
 */
export async function takeSurvey<N extends Named, T>(
  endpoints: readonly Endpoint<N>[],
  { ask, enough, until, isThorough, clock, sleep, timeoutMs }: Survey<N, T>,
): Promise<Answered<N, T>[]> {
  const answers: Answered<N, T>[] = [];
  const errors: unknown[] = [];
  const limitMs = endpoints.length === 1 ? timeoutMs : Math.min(timeoutMs, TIMEOUT_MS);

  async function askOne(endpoint: Endpoint<N>): Promise<void> {
    const startedMs = clock.nowMs();
    endpoint.seen.isBeingAsked = true;
    try {
      const value = await endpoint.ask((node) => ask(node, endpoint), { timeoutMs: limitMs });
      answers.push({ endpoint, value });
    } catch (error) {
      errors.push(error);
    }
    endpoint.seen.isBeingAsked = false;
    endpoint.seen.isSlow = clock.nowMs() - startedMs > WAIT_MS;
  }

  const free = endpoints.filter(({ seen }) => isThorough || !(seen.isSlow && seen.isBeingAsked));
  const chosen = free.length > 0 ? free : endpoints;
  const isHealthy = chosen.map((endpoint) => endpoint.isHealthy());
  const asked = chosen.map(askOne);
  const healthy = asked.filter((_, i) => isHealthy[i]);
  const isEnough = healthy.length >= Math.min(enough, endpoints.length);
  await atMost(isEnough ? healthy : asked, sleep);
  for (const { seen } of chosen) seen.isSlow ||= seen.isBeingAsked;
  await untilEither(asked, () => until(answers));
  const failures = nodeErrors(errors);
  if (answers.length === 0) throw allFailed(failures);
  return [...answers];
}

/** Until all work is done or the condition holds. */
async function untilEither(work: readonly Promise<void>[], holds: () => boolean): Promise<void> {
  if (holds()) return;
  const held = Promise.withResolvers<void>();
  for (const each of work) each.then(() => void (holds() && held.resolve()));
  await Promise.race([Promise.all(work), held.promise]);
}

async function atMost(
  work: readonly Promise<void>[],
  sleep: EndpointOptions["sleep"],
): Promise<void> {
  const awake = new AbortController();
  await Promise.race([Promise.all(work), sleep(WAIT_MS, awake.signal)]);
  awake.abort(NOT_NEEDED);
}
