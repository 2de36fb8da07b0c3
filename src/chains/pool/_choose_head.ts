import { last } from "../../base/lists.ts";
import { NodeError } from "../faults.ts";
import type { Ballot } from "./branches.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Pool } from "./endpoints.ts";
import { hashAt } from "./head.ts";
import type { Named } from "./protocol.ts";

export interface Polled<N extends Named> extends Ballot {
  readonly endpoint: Endpoint<N>;
}

const LEAD_TIMEOUT_MS = 1_000;

/** An endpoint that alone is far ahead has to prove it with blocks. */
export async function chooseHead<N extends Named>(
  pool: Pool<N>,
  together: readonly Polled<N>[],
): Promise<Polled<N>> {
  const sorted = together.toSorted((a, b) => b.head.height - a.head.height || a.order - b.order);
  const trusted = sorted.filter(({ endpoint }) => !pool.isClaimDoubted(endpoint));
  const leaders = trusted.length > 0 ? trusted : sorted;
  for (const [i, leader] of leaders.entries()) {
    const next = leaders[i + 1];
    if (i + 1 < pool.quorum && next) continue;
    if (i > 0 && pool.quorum > 1) return leader;
    if (!next || await isLeadShown(pool, { leader, next })) return leader;
  }
  return last(leaders);
}

async function isLeadShown<N extends Named>(
  { followed, protocol }: Pool<N>,
  { leader: { endpoint, head }, next }: { leader: Polled<N>; next: Polled<N> },
): Promise<boolean> {
  const { height, hash } = head;
  if (height <= next.head.height + 1) return true;
  if (
    followed && height <= followed.height + 1 && hashAt(head, followed.height) === followed.hash
  ) {
    return true;
  }
  try {
    const at = [next.head.height + 1, height];
    const [above, own] = await endpoint.ask(
      (node) => Promise.all(at.map((one) => protocol.refOn(node, one))),
      { timeoutMs: LEAD_TIMEOUT_MS },
    );
    return above?.parentHash === next.head.hash && own?.hash === hash;
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return false;
  }
}
