import type { Clock } from "../../../base/clock.ts";
import { NodeError } from "../../faults.ts";
import type { Endpoint, EndpointOptions } from "../endpoint.ts";
import type { Named } from "../protocol.ts";

const CLAIM_DOUBTED_FOR_MS = 30_000;
const LATE_FOR_MS = 60_000;

/** If it can't serve the blocks up to the head that it has announced, its head doesn't lead for a while. */
export async function doubtedIfMissing<T, N extends Named>(
  asked: Promise<T>,
  { endpoint: { seen }, height, clock }: { endpoint: Endpoint<N>; height: number; clock: Clock },
): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const isClaimed = (seen.head?.height ?? -1) >= height;
    // Only a plain NodeError is about the blocks; its subclasses are network errors or missing
    // services.
    if (isClaimed && error instanceof NodeError && error.name === "NodeError") {
      seen.claimDoubtedUntilMs = clock.nowMs() + CLAIM_DOUBTED_FOR_MS;
    }
    throw error;
  }
}

/** Those that are being asked for blocks; whoever keeps them too long is asked last for a while. */
export class AskedForBlocks<N extends Named> {
  readonly #open = new Set<Endpoint<N>>();

  constructor(readonly options: Pick<EndpointOptions, "clock" | "sleep">) {}

  async run<T>(endpoint: Endpoint<N>, asked: Promise<T>): Promise<T> {
    this.#open.add(endpoint);
    return await asked.finally(() => this.#open.delete(endpoint));
  }

  /** Resolves when it has kept the blocks for that long. */
  async untilLate(
    endpoint: Endpoint<N>,
    { ms, signal }: { ms: number; signal: AbortSignal },
  ): Promise<void> {
    const { clock, sleep } = this.options;
    await sleep(ms, signal);
    if (signal.aborted || !this.#open.has(endpoint)) return;
    endpoint.seen.lateUntilMs = clock.nowMs() + LATE_FOR_MS;
  }
}
