import { KeyedBatches } from "../base/waiting/batches.ts";

/**
 * What a program remembers from one call to the next. Its API, dashboard and worker share it; other
 * instances don't, and a restart empties it.
 */
export interface Memory {
  /** By wallet: the transfers that wait for its next nonces. */
  readonly signingQueues: KeyedBatches;
}

const SIGNED_TOGETHER_MAX = 50;

export function createMemory(): Memory {
  return {
    signingQueues: new KeyedBatches(SIGNED_TOGETHER_MAX),
  };
}
