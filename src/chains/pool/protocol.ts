import type { BlockRef, Identity } from "../chain.ts";
import type { Head } from "./head.ts";
import type { ExpectedIdentity } from "./shown_identity.ts";

/** How to ask a family's nodes. The pool knows nothing else about the family. */
export interface Protocol<N extends Named> {
  /** Opens one URL. What is learned about the node is kept for all its lines. */
  open(url: string): (line: Line) => N;
  identityOn(node: N): Promise<Identity>;
  /** Throws `UnfitNode` if a node of the right chain can't be used for another reason. */
  checkNode?(node: N): Promise<void>;
  headOn(node: N, asked: HeadAsked): Promise<Head>;
  /** Undefined if the node has no block at that height (yet). */
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

export interface Line {
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Wraps every HTTP exchange, to delay or repeat it. */
  readonly gate: <T>(send: () => Promise<T>) => Promise<T>;
  /** Hears how many calls an HTTP exchange has answered. */
  readonly answered?: ((calls: number) => void) | undefined;
}
