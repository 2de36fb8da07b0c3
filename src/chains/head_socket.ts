import type { Clock } from "../base/clock.ts";
import { deadlineIn, OutOfTime } from "../base/waiting/deadline.ts";
import type { PushHealth } from "./health.ts";

export interface PushedHead {
  readonly height: number;
  readonly hash: string;
  /** What else its header says, if it says it; nobody relies on it. */
  readonly parentHash?: string;
  readonly bloom?: string;
  readonly hasUsedGas?: boolean;
}

export interface HeadSocketOptions {
  readonly url: string;
  readonly chainId: string;
  readonly clock: Clock;
  readonly onHead: (head: PushedHead) => void;
  /** It has subscribed, or failed. */
  readonly onTried?: () => void;
}

/**
 * Hears of new heads from one node, over one connection with one subscription. What it says is
 * believed by nobody: it only makes them look.
 */
export interface HeadSocket {
  /** Has to be called again and again: that is when it notices silence and connects anew. */
  look(seen: { readonly blockMs: number | null }): void;
  /** It has pushed a head, and has not failed since. */
  isLive(): boolean;
  health(): PushHealth;
  /** For good; resolves once nothing is open any more. */
  close(): Promise<void>;
}

/** Whether a subscription is accepted: null, or why not. */
export async function trySocket(
  open: (options: HeadSocketOptions) => HeadSocket,
  { withinMs, ...options }: Pick<HeadSocketOptions, "url" | "chainId" | "clock"> & {
    withinMs: number;
  },
): Promise<string | null> {
  const tried = Promise.withResolvers<void>();
  const socket = open({ ...options, onHead: () => {}, onTried: tried.resolve });
  const deadline = deadlineIn(withinMs);
  try {
    socket.look({ blockMs: null });
    await deadline.race(tried.promise);
    return socket.health().pushError;
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    return error.message;
  } finally {
    deadline.cancel();
    await socket.close();
  }
}
