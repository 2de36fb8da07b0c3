import { TurnBatches } from "../../../base/waiting/batches.ts";
import { NodeError } from "../../faults.ts";
import { NOT_NEEDED } from "../../pool/asking/not_needed.ts";
import type { EndpointOptions } from "../../pool/endpoint.ts";
import type { Newest } from "../../pool/endpoints.ts";
import type { Endpoints } from "../endpoints.ts";
import { type Rehearsal, type RehearsalOptions, rehearse, rehearseAll } from "./rehearsal.ts";
import type { Rpc } from "../rpc.ts";
import { type Trial, type TrialPlace, tryOut, tryOutAll } from "./trial.ts";
import type { TriedWallets } from "../wallet_state.ts";
import type { TrialOptions } from "./_trial_calls.ts";

interface Waiting extends Pick<EndpointOptions, "sleep"> {
  readonly tried: TriedWallets;
}

export interface Trials {
  tryOut(options: TrialOptions): Promise<Trial>;
  rehearse(options: RehearsalOptions): Promise<Rehearsal>;
}

/** With five calls each, plus the shared ones, this is what every node accepts in one body. */
const TOGETHER_MAX = 16;
/** A recipient whose code runs for long delays the others no longer than this. */
const PATIENCE_MS = 1_000;

/**
 * Concurrent payments of one wallet are tried in one body. What that doesn't answer clearly and
 * soon is tried alone, so batching only ever saves requests.
 */
export function createTrials(endpoints: Endpoints, waiting: Waiting): Trials {
  return {
    tryOut: together(endpoints, { ...waiting, alone: tryOut, all: tryOutAll }),
    rehearse: together(endpoints, { ...waiting, alone: rehearse, all: rehearseAll }),
  };
}

interface Ways<Options, Result> extends Waiting {
  alone(rpc: Rpc, options: Options, place: TrialPlace): Promise<Result>;
  all(
    rpc: Rpc,
    asked: readonly Options[],
    place: TrialPlace,
  ): Promise<(Result | undefined)[]>;
}

function together<Options extends Pick<TrialOptions, "request">, Result>(
  endpoints: Endpoints,
  ways: Ways<Options, Result>,
): (options: Options) => Promise<Result> {
  const { tried } = ways;
  const alone = (options: Options) =>
    endpoints.read((rpc, newest) => ways.alone(rpc, options, { tried, newest }));

  async function work(asked: readonly Options[]) {
    const results = asked.length === 1 ? [] : await soon(endpoints, { ...ways, asked });
    return await Promise.allSettled(asked.map((options, i) => results[i] ?? alone(options)));
  }

  const batches = new TurnBatches(TOGETHER_MAX);
  return (options) => batches.run(options.request.from, { job: options, work });
}

async function soon<Options, Result>(
  endpoints: Endpoints,
  { asked, all, sleep, tried }: Ways<Options, Result> & { asked: readonly Options[] },
): Promise<(Result | undefined)[]> {
  const ask = (rpc: Rpc, newest?: Newest) => all(rpc, asked, { tried, newest });
  const results = endpoints.read(ask).catch((error) => {
    if (!(error instanceof NodeError)) throw error;
    return [];
  });
  const enough = new AbortController();
  const tooLong = sleep(PATIENCE_MS, enough.signal).then(() => []);
  return await Promise.race([results, tooLong]).finally(() => enough.abort(NOT_NEEDED));
}
