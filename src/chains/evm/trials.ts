import { TurnBatches } from "../../base/batches.ts";
import { NodeError } from "../chain.ts";
import type { EndpointOptions } from "../pool/endpoint.ts";
import type { Endpoints } from "./endpoints.ts";
import { type Trial, type TrialOptions, tryOut, tryOutAll } from "./trial.ts";

type Waiting = Pick<EndpointOptions, "sleep">;

export type TryOut = (options: TrialOptions) => Promise<Trial>;

/** With three calls each, what every node takes in one body. */
const TOGETHER_MAX = 32;
/** A recipient whose code takes long keeps others waiting no longer than this. */
const PATIENCE_MS = 1_000;

/**
 * Payments of one wallet that come together are tried out in one body. What it does not tell plainly,
 * or not soon, each asks alone: together only ever saves questions.
 */
export function createTrials(endpoints: Endpoints, { sleep }: Waiting): TryOut {
  const alone: TryOut = (options) => endpoints.read((rpc) => tryOut(rpc, options));

  async function together(asked: readonly TrialOptions[]) {
    const told = asked.length === 1 ? [] : await soon(endpoints, { asked, sleep });
    return await Promise.allSettled(asked.map((options, i) => told[i] ?? alone(options)));
  }

  const batches = new TurnBatches<TrialOptions, Trial>(together, TOGETHER_MAX);
  return (options) => batches.run(options.request.from, options);
}

async function soon(
  endpoints: Endpoints,
  { asked, sleep }: Waiting & { asked: readonly TrialOptions[] },
): Promise<(Trial | undefined)[]> {
  const told = endpoints.read((rpc) => tryOutAll(rpc, asked)).catch((error) => {
    if (!(error instanceof NodeError)) throw error;
    return [];
  });
  const enough = new AbortController();
  const tooLong = sleep(PATIENCE_MS, enough.signal).then(() => []);
  return await Promise.race([told, tooLong]).finally(() => enough.abort());
}
