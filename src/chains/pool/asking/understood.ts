import { NodeError } from "../../faults.ts";
import type { EndpointOptions } from "../endpoint.ts";

/**
 * Another endpoint may give an answer that doesn't trip us. Where all are asked, a fault of ours
 * still ends the question, because it must not pass for the silence of one of them.
 */
export async function understood<T>(
  asked: Promise<T>,
  { host, expected, log }: Pick<EndpointOptions, "expected" | "log"> & { host: string },
): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    log.warn("an endpoint's answer was not understood", { network: expected?.code, host, error });
    throw new NodeError(`${host} answered what could not be read`, { cause: error });
  }
}
