/** The node could not be asked or gave no sensible answer. Nothing is known; ask again. */
export class NodeError extends Error {
  override name = "NodeError";
}

/** The largest time that a Date can hold. */
const TIME_MS_MAX = 8.64e15;

/** A block's time; no node may stop what shows or stores it. */
export function blockTime(ms: number): number {
  if (Math.abs(ms) <= TIME_MS_MAX) return ms;
  throw new NodeError(`A block's time is impossible: ${ms} ms`);
}

/** Throws the first that is anything else: a bug. */
export function nodeErrors(errors: readonly unknown[]): NodeError[] {
  return errors.map((error) => {
    if (error instanceof NodeError) return error;
    throw error;
  });
}

export type Excess = "size" | "time";

/** The block is known, but not what happened inside its transactions. */
export class TracesMissing extends NodeError {
  override name = "TracesMissing";
  /** Every node asked said that it no longer has the state to trace this block. */
  readonly isForgotten: boolean;
  /** The trace is too large for an answer or takes too long. */
  readonly excess: Excess | undefined;

  constructor(
    message: string,
    options: { cause: unknown; isForgotten: boolean; excess?: Excess | undefined },
  ) {
    super(message, options);
    this.isForgotten = options.isForgotten;
    this.excess = options.excess;
  }
}

/** A token that doesn't answer says nothing about the blocks that the node has. */
class NoBalance extends NodeError {
  override name = "NoBalance";
}

/** For what a node that has the block was asked about it. */
export function asNoBalance(error: unknown): never {
  if (!(error instanceof NodeError) || error.name !== "NodeError") throw error;
  throw new NoBalance(error.message, { cause: error });
}

/** Nothing this node says may count. */
export class UnfitNode extends NodeError {
  override name = "UnfitNode";
}

/** The nodes are on another chain: money sent or credited there would be lost. */
export class WrongChain extends UnfitNode {
  override name = "WrongChain";
}
