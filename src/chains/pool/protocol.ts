import type { BlockRef, Identity } from "../chain.ts";
import type { Head } from "./head.ts";
import type { ExpectedIdentity } from "./shown_identity.ts";

/** How the nodes of a family are asked; the pool knows no more of it. */
export interface Protocol<N extends Named> {
  /** For one URL; what the opened line learns of its node it keeps. */
  open(url: string): (line: Line) => N;
  identityOn(node: N): Promise<Identity>;
  /** Fails with `UnfitNode` where a node of the right chain is not fit for this all the same. */
  fitOn?(node: N): Promise<void>;
  headOn(node: N, asked: HeadAsked): Promise<Head>;
  /** Undefined where the node has no block at that height (yet). */
  refOn(node: N, height: number): Promise<BlockRef | undefined>;
}

export interface HeadAsked {
  readonly heights: readonly number[];
  readonly expected: ExpectedIdentity | undefined;
  /** See `TipOptions`. */
  readonly finalEveryBlocks: number;
}

export interface Named {
  readonly host: string;
}

/** How one question reaches the node. */
export interface Line {
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Every HTTP exchange passes here: it may be held back, or done again. */
  readonly gate: <T>(send: () => Promise<T>) => Promise<T>;
}
