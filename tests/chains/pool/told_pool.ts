import { nextTurn } from "../../../src/base/waiting/next_turn.ts";
import { RpcFailure } from "../../../src/chains/pool/node_errors.ts";
import { openPool } from "../../../src/chains/pool/open_pool.ts";
import type { Pool } from "../../../src/chains/pool/endpoints.ts";
import type { Named, Protocol } from "../../../src/chains/pool/protocol.ts";

/** What a node tells of the chain. */
export interface Told {
  /** By height. */
  hashes: readonly string[];
  finalized?: number;
  /** It answers after this. */
  held?: Promise<void>;
  isDead?: boolean;
  /** How often it was asked. */
  asked?: number;
}

/** Heights 0 to `top`; those above `forkedAt` have other hashes. */
export function chainUpTo(top: number, forkedAt = Infinity): string[] {
  return Array.from({ length: top + 1 }, (_, i) => `${i > forkedAt ? "fork" : "block"} ${i}`);
}

interface ToldPool {
  readonly pool: Pool<Named>;
  readonly clock: { ms: number };
  /** The heights that endpoints were asked about in the last poll. */
  readonly heights: Set<number>;
}

/** Endpoints in this order. A wait ends as soon as all that isn't held has been answered. */
export function startToldPool(
  told: Readonly<Record<string, Told>>,
  { quorum }: { quorum: number },
): ToldPool {
  const clock = { ms: 1_000_000 };
  const heights = new Set<number>();
  const answerOf = async ({ host }: Named): Promise<Told> => {
    const it = told[host]!;
    it.asked = (it.asked ?? 0) + 1;
    await it.held;
    if (it.isDead) throw new RpcFailure("connection", `${host} is dead`);
    return it;
  };
  const refIn = ({ hashes }: Told, height: number) => {
    const hash = hashes[height];
    return hash === undefined
      ? undefined
      : { height, hash, parentHash: hashes[height - 1] ?? "none" };
  };
  const protocol: Protocol<Named> = {
    open: (url) => () => ({ host: new URL(url).host }),
    identityOn: () => Promise.reject(new Error("Nobody asks for it")),
    headOn: async (node, asked) => {
      for (const height of asked.heights) heights.add(height);
      const it = await answerOf(node);
      const head = refIn(it, it.hashes.length - 1)!;
      const finalized = it.finalized === undefined
        ? null
        : { height: it.finalized, atMs: it.finalized };
      const known = asked.heights.map((height) => [height, it.hashes[height] ?? null] as const);
      return { ...head, atMs: clock.ms, finalized, hashes: new Map(known) };
    },
    refOn: async (node, height) => refIn(await answerOf(node), height),
  };
  const waiting = { clock: { nowMs: () => clock.ms }, sleep: nextTurn };
  const rpcUrls = Object.keys(told).map((host) => `http://${host}`);
  return { pool: openPool(protocol, { rpcUrls, quorum, waiting }), clock, heights };
}
